"""Writes the goldens of testdata/verify as initialisers of a RuleExample table.

usage: embed_rule_examples.py TESTDATA_VERIFY OUTPUT
`<rule>.hlo` breaks a rule, `<rule>_ok.hlo` comes close and keeps it; directives are left out.
"""

import pathlib
import sys

DIRECTIVES = ("// RUN:", "// EXIT:", "// OUT:", "// ERR:")


def program(path):
    if not path.exists():
        return ""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return "".join(line + "\n" for line in lines if not line.startswith(DIRECTIVES))


def main():
    folder = pathlib.Path(sys.argv[1])
    rows = []
    for bad in sorted(folder.glob("*.*.hlo")) + sorted(folder.glob("result-shape.hlo")):
        rule = bad.name[: -len(".hlo")]
        if rule.endswith("_ok"):
            continue
        good = folder / f"{rule}_ok.hlo"
        rows.append(f'{{"{rule}",\nR"hlo({program(bad)})hlo",\nR"hlo({program(good)})hlo"}},\n')
    text = "".join(rows)
    output = pathlib.Path(sys.argv[2])
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")


main()

"""Every rule has an example that breaks it and one that comes close and keeps it.

usage: rule_coverage_test.py HLO_VERIFY TESTDATA_VERIFY VERIFIER_TEST_CC
The examples are goldens, <rule>.hlo and <rule>_ok.hlo, or, where no text can break the rule,
modules made in VERIFIER_TEST_CC: it names the rule in ExpectBroken and in ExpectKept.
TESTDATA_VERIFY/coverage.json lists under "reported_as" the rules whose violation is always
reported under another id, each with its reason.

What other stages report (parse.*, run.*, format.*) needs an example among all goldens, or an entry
under "stages_without_golden" that says where it is tested.
"""

import json
import pathlib
import re
import subprocess
import sys


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else None


def reported(text, rule):
    return any(line.startswith("// ERR:") and f"[{rule}]" in line for line in text.splitlines())


def problem_of(folder, rule, expected):
    bad = text_of(folder / f"{rule}.hlo")
    good = text_of(folder / f"{rule}_ok.hlo")
    if bad is None or good is None:
        return "no golden"
    if not reported(bad, expected):
        return f"{rule}.hlo does not report [{expected}]"
    if "// ERR:" in good:
        return f"{rule}_ok.hlo is not accepted silently"
    return None


def unit_tested(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    names = [set(re.findall(function + r'\(\s*"([^"]+)"', text)) for function in ("Broken", "Kept")]
    return names[0] & names[1]


def stage_failures(folder, rules, untested):
    texts = [path.read_text(errors="replace") for path in folder.parent.rglob("*.hlo")]
    seen = {rule for rule in rules if any(f"[{rule}]" in text for text in texts)}
    failures = [f"{rule}: no golden shows it" for rule in rules if rule not in seen | set(untested)]
    return failures + [f"{rule}: is shown" for rule in untested if rule in seen]


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    listing = subprocess.run(
        [tool, "--list-rules", "--format=json"], check=True, capture_output=True, text=True
    )
    listed = json.loads(listing.stdout)
    stages = [rule["id"] for rule in listed if rule["severity"].endswith("of another stage")]
    rules = [
        "result-shape" if rule["id"].startswith("<") else rule["id"]
        for rule in listed
        if rule["severity"] not in ("checked by the builder", "not checkable")
        and rule["id"] not in stages
    ]
    coverage = json.loads((folder / "coverage.json").read_text(encoding="utf-8"))
    exceptions = coverage["reported_as"]
    expected_ids = {rule: entry["id"] for rule, entry in exceptions.items()}
    expected_ids["result-shape"] = "negate.result-shape"
    in_code = unit_tested(sys.argv[3])
    failures = []
    for rule in rules:
        problem = problem_of(folder, rule, expected_ids.get(rule, rule))
        if problem and rule not in in_code:
            failures.append(f"{rule}: {problem}")
    failures += [f"{rule}: no such rule" for rule in exceptions if rule not in rules]
    failures += stage_failures(folder, stages, coverage["stages_without_golden"])
    print("\n".join(failures))
    print(f"{len(rules)} rules, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()

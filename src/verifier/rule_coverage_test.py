"""Every rule has a golden that breaks it and one that comes close and keeps it.

usage: rule_coverage_test.py HLO_VERIFY TESTDATA_VERIFY
Exceptions stand in TESTDATA_VERIFY/coverage.json, each with its reason:
  reported_as  the rule's violation is always reported under another, more general id
  uncovered    no golden yet; an entry that is covered by now is an error too, so the list shrinks
"""

import json
import pathlib
import subprocess
import sys


def text_of(path):
    return path.read_text(encoding="utf-8") if path.exists() else None


def reported(text, rule):
    return any(line.startswith("// ERR:") and f"[{rule}]" in line for line in text.splitlines())


def problem_of(folder, rule, reported_as):
    bad = text_of(folder / f"{rule}.hlo")
    good = text_of(folder / f"{rule}_ok.hlo")
    if bad is None or good is None:
        return "no golden"
    expected = reported_as.get(rule, "negate.result-shape" if rule == "result-shape" else rule)
    if not reported(bad, expected):
        return f"{rule}.hlo does not report [{expected}]"
    if "// ERR:" in good:
        return f"{rule}_ok.hlo is not accepted silently"
    return None


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    listing = subprocess.run(
        [tool, "--list-rules", "--format=json"], check=True, capture_output=True, text=True
    )
    rules = [
        "result-shape" if rule["id"].startswith("<") else rule["id"]
        for rule in json.loads(listing.stdout)
        if rule["severity"] not in ("checked by the builder", "not checkable")
    ]
    exceptions = json.loads((folder / "coverage.json").read_text(encoding="utf-8"))
    uncovered = exceptions["uncovered"]
    failures = []
    for rule in rules:
        problem = problem_of(folder, rule, exceptions["reported_as"])
        if problem and rule not in uncovered:
            failures.append(f"{rule}: {problem}")
        if not problem and rule in uncovered:
            failures.append(f"{rule}: covered; take it off the list of uncovered rules")
    failures += [f"{rule}: no such rule" for rule in uncovered if rule not in rules]
    print("\n".join(failures))
    print(f"{len(rules)} rules, {len(uncovered)} without goldens, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()

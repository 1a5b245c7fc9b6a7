"""hlo-verify --strict-precision agrees with XLA's verdict on every module of the corpus.

usage: corpus_verdicts_test.py HLO_VERIFY CORPUS
Modules with a schedule have their layouts assigned: those that XLA accepts are accepted with
--layout-sensitive too.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
SEPARATOR = re.compile(rb"(?m)^// -----.*\n")
# XLA spreads a scalar literal over an array; the grammar asks for one brace level a dimension.
STRICTER_HERE = {"lit/tools/compute_cost_test.hlo"}


def write_modules(answers, corpus, folder):
    paths = {}
    for number, answer in enumerate(answers):
        parts = SEPARATOR.split((corpus / answer["file"]).read_bytes())
        path = folder / f"{number}.hlo"
        path.write_bytes(parts[answer["module"]])
        paths[str(path)] = answer
    return paths


def rejected_paths(tool, mode, paths):
    command = [tool, mode, "--no-config", "--warn=none", "--diagnostics=concise"]
    result = subprocess.run(command + list(paths), capture_output=True, check=False)
    if result.returncode not in (0, 1):
        sys.exit(f"exit code {result.returncode}")
    lines = result.stderr.decode(errors="replace").splitlines()
    matches = [re.match(r"(.*\.hlo):\d+:\d+: error: ", line) for line in lines]
    return {match.group(1): line for match, line in zip(matches, lines) if match}


def main():
    tool, corpus = sys.argv[1], pathlib.Path(sys.argv[2])
    answers_path = corpus / "answers.jsonl"
    if not answers_path.exists():
        print(f"skipped: no corpus at {corpus}")
        sys.exit(SKIPPED)
    answers = [json.loads(line) for line in answers_path.read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        paths = write_modules(answers, corpus, pathlib.Path(folder))
        rejected = rejected_paths(tool, "--strict-precision", paths)
        scheduled = [
            path
            for path, answer in paths.items()
            if answer["parses"] and answer["verifies"]
            and b"is_scheduled=true" in pathlib.Path(path).read_bytes()
        ]
        misplaced = rejected_paths(tool, "--layout-sensitive", scheduled)
    differences = len(misplaced)
    print("\n".join(misplaced.values()))
    for path, answer in paths.items():
        accepted = answer["parses"] and answer["verifies"]
        if accepted == (path not in rejected) or answer["file"] in STRICTER_HERE:
            continue
        differences += 1
        print(f"{answer['file']} module {answer['module']}: XLA says {accepted}, we say otherwise")
        print(f"    {rejected.get(path, '')}")
    print(f"{len(answers)} modules, {len(scheduled)} scheduled; {differences} verdicts differ")
    sys.exit(1 if differences else 0)


main()

"""Corrections come to an end and never make a text worse. usage: fix_test.py HLO_VERIFY TESTDATA

Every golden is corrected again and again until nothing changes.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

MOST_ROUNDS = 10


def errors_of(tool, folder):
    """How many errors each file has."""
    command = [tool, "--no-config", "--max-errors=0", "--diagnostics=concise", str(folder)]
    result = subprocess.run(command, capture_output=True, check=False)
    assert result.returncode in (0, 1), result.returncode
    lines = result.stderr.decode(errors="replace").splitlines()
    matches = [re.match(r"(.*\.hlo):\d+:\d+: error: ", line) for line in lines]
    return collections.Counter(match.group(1) for match in matches if match)


def fix(tool, folder):
    """Whether anything was corrected."""
    command = [tool, "--no-config", "--diagnostics=concise", "--fix", str(folder)]
    result = subprocess.run(command, capture_output=True, check=False)
    assert result.returncode in (0, 1), result.returncode
    return b"hlo-verify: fixed " in result.stderr


def main():
    tool, testdata = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(sorted(testdata.rglob("*.hlo"))):
            (pathlib.Path(folder) / f"{number}_{path.name}").write_bytes(path.read_bytes())
        before = errors_of(tool, folder)
        rounds = 0
        while fix(tool, folder):
            rounds += 1
            assert rounds < MOST_ROUNDS, "corrections do not come to an end"
        after = errors_of(tool, folder)
    worse = [path for path, count in after.items() if count > before[path]]
    print("\n".join(f"{path}: {before[path]} errors became {after[path]}" for path in worse))
    print(f"{rounds} rounds, {sum(before.values())} errors became {sum(after.values())}")
    sys.exit(1 if worse else 0)


main()

"""docs/rules.md is what the tool prints. usage: rule_docs_test.py HLO_VERIFY RULES_MD"""

import pathlib
import subprocess
import sys

tool, path = sys.argv[1:]
command = [tool, "--list-rules", "--format=markdown"]
expected = subprocess.run(command, check=True, capture_output=True, text=True).stdout
if pathlib.Path(path).read_text(encoding="utf-8") != expected:
    sys.exit(f"{path} is not current: hlo-verify --list-rules --format=markdown > docs/rules.md")

"""Runs the examples of a page: usage: doc_examples_test.py BIN_DIR PAGE

In the page's code blocks, `$ command` is followed by its whole output; `$ cat NAME` shows a file, which is there
for every command of the page.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def examples(page):
    """(command, output) of every example, in the order of the page."""
    for block in re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if not block.startswith("$ "):
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def main():
    bin_dir, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    found = list(examples(page.read_text(encoding="utf-8")))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, output in found:
            if command.startswith("cat "):
                (pathlib.Path(folder) / command[4:]).write_text(output, encoding="utf-8")
        for command, output in found:
            if command.startswith("cat "):
                continue
            result = subprocess.run(
                ["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60,
                env={"PATH": f"{bin_dir}:/usr/bin:/bin"}, check=False)
            if result.stdout + result.stderr != output:
                failures += 1
                print(f"$ {command}\n--- the page\n{output}--- is\n{result.stdout}{result.stderr}")
    print(f"{len(found)} examples, {failures} not true")
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())

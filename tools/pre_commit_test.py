"""The pre-commit hooks at work on a throwaway repository.

usage: pre_commit_test.py BIN_DIR SOURCE_DIR
Skipped when pre-commit or git is not installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
GOOD = """HloModule good, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %main (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %n = f32[4]{0} negate(%p)
}

"""
BAD = GOOD.replace("f32[4]{0} negate", "f32[5]{0} negate")
UGLY = GOOD.replace("  %p", "    %p")


class Repository:
    def __init__(self, folder, bin_dir, source_dir):
        self.folder = folder
        self.hooks = folder / "hooks"
        self.work = folder / "work"
        self.env = dict(os.environ, PATH=f"{bin_dir}:{os.environ['PATH']}", HOME=str(folder))
        self.env["PRE_COMMIT_HOME"] = str(folder / "cache")
        self.make(self.hooks)
        shutil.copy(source_dir / ".pre-commit-hooks.yaml", self.hooks)
        self.commit_all(self.hooks)
        self.make(self.work)

    def run(self, *command, cwd=None):
        return subprocess.run(
            command, cwd=cwd or self.work, env=self.env, capture_output=True, text=True, check=False
        )

    def make(self, path):
        path.mkdir()
        self.run("git", "init", "-q", cwd=path)
        self.run("git", "config", "user.email", "test@example.com", cwd=path)
        self.run("git", "config", "user.name", "test", cwd=path)

    def commit_all(self, path):
        self.run("git", "add", "-A", cwd=path)
        self.run("git", "commit", "-q", "-m", "state", cwd=path)

    def passes(self, text, *command):
        (self.work / "module.hlo").write_text(text)
        self.run("git", "add", "-A")
        result = self.run("pre-commit", *command, "--all-files")
        return result.returncode == 0, result.stdout + result.stderr

    def hook_passes(self, hook, text):
        return self.passes(text, "try-repo", str(self.hooks), hook)

    def configure_as(self, readme):
        """The configuration that the README shows, with this repository as the published one."""
        config = re.search(r"```yaml\n(repos:.*?)```", readme, re.DOTALL).group(1)
        tag = re.search(r"rev: (\S+)", config).group(1)
        self.run("git", "tag", tag, cwd=self.hooks)
        config = re.sub(r"repo: \S+", f"repo: {self.hooks}", config)
        (self.work / ".pre-commit-config.yaml").write_text(config)


def main():
    bin_dir, source_dir = sys.argv[1], pathlib.Path(sys.argv[2])
    if not shutil.which("pre-commit") or not shutil.which("git"):
        print("skipped: pre-commit or git is not installed")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(pathlib.Path(folder), bin_dir, source_dir)
        cases = (
            ("hlo-verify", GOOD, True),
            ("hlo-verify", BAD, False),
            ("hlo-fmt", GOOD, True),
            ("hlo-fmt", UGLY, False),
        )
        for hook, text, expected in cases:
            passed, output = repository.hook_passes(hook, text)
            assert passed == expected, f"{hook} passed: {passed}\n{output}"
        repository.configure_as((source_dir / "README.md").read_text(encoding="utf-8"))
        for text, expected in ((GOOD, True), (BAD, False), (UGLY, False)):
            passed, output = repository.passes(text, "run")
            assert passed == expected, f"the README's configuration passed: {passed}\n{output}"
            assert ("[negate.result-shape]" in output) == (text == BAD), output
    print("both hooks pass and fail as they should")


main()

#!/usr/bin/env python3
"""Manual pages and completions: what the shells and man make of them.

usage: documents_test.py BIN_DIR SHARE_DIR
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SHARE_DIR = pathlib.Path(sys.argv.pop()).resolve()
BIN_DIR = pathlib.Path(sys.argv.pop()).resolve()
TOOLS = ("hlo-fmt", "hlo-graph", "hlo-index", "hlo-run", "hlo-verify")


def run(*command):
    env = dict(os.environ, PATH=f"{BIN_DIR}:{os.environ['PATH']}")
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env,
                          check=False)


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def options_of(tool):
    text = run(BIN_DIR / tool, "--help-all").stdout
    return set(re.findall(r"(?<![\w=|])--[\w-]+(?=[,=\[ \n])", text[:text.index("\nExamples")]))


class DocumentsTest(unittest.TestCase):
    def test_an_unknown_kind_is_refused(self):
        done = run(BIN_DIR / "hlo-fmt", "--generate=html")
        self.assertEqual((done.returncode, done.stderr.splitlines()[0]),
                         (2, "hlo-fmt: --generate makes no `html`"))

    # --- man

    @needs("groff")
    def test_manual_pages_are_without_fault(self):
        for page in SHARE_DIR.glob("man/*.1"):
            done = run("groff", "-man", "-Tutf8", "-ww", "-z", page)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page)

    def test_manual_pages_have_every_option(self):
        for tool in TOOLS:
            page = (SHARE_DIR / f"man/{tool}.1").read_text().replace("\\-", "-")
            for option in options_of(tool):
                self.assertIn(f"\\fB{option}\\fR", page)
            self.assertIn(f".SH NAME\n{tool} - ", page)
            self.assertIn(".SH EXAMPLES\n", page)

    # --- bash

    def complete(self, *words):
        """What bash offers for the last of `words`, which it has split at `=`."""
        script = (f"source {SHARE_DIR}/bash/{words[0]}; COMP_WORDS=(\"$@\"); "
                  "COMP_CWORD=$(($# - 1)); "
                  f"_{words[0].replace('-', '_')}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = run("bash", "--norc", "-c", script, "bash", *words)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    @needs("bash")
    def test_bash_completes_options_and_values(self):
        self.assertEqual(self.complete("hlo-fmt", "--che"), ["--check"])
        self.assertEqual(self.complete("hlo-fmt", "--elide"), ["--elide-literals="])
        self.assertEqual(self.complete("hlo-fmt", "--style", "=", "pr"), ["pretty"])
        self.assertEqual(self.complete("hlo-fmt", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.complete("hlo-fmt", "--style", "sh"), ["short"])
        self.assertEqual(self.complete("hlo-run", "--first-nan", "=", "i"), ["inf"])
        self.assertEqual(self.complete("hlo-run", "--only", "="), [])
        page = f"{SHARE_DIR}/man/hlo-run"
        self.assertEqual(self.complete("hlo-run", "--output", "=", page), [page + ".1"])
        self.assertEqual(self.complete("hlo-run", "--output", "=", "@" + page), [f"@{page}.1"])
        self.assertEqual(self.complete("hlo-run", page), [page + ".1"])
        for tool in TOOLS:
            offered = {word.rstrip("=") for word in self.complete(tool, "--")}
            self.assertEqual(offered, options_of(tool))

    @needs("bash")
    def test_bash_completes_rules(self):
        rules = ["transpose.permutation", "transpose.array"]
        self.assertEqual(self.complete("hlo", "explain", "transpose."), rules)
        self.assertEqual(self.complete("hlo-verify", "--ignore", "=", "transpose.p"), rules[:1])

    @needs("bash")
    def test_bash_completes_commands_and_what_they_take(self):
        self.assertEqual(self.complete("hlo", "ver"), ["verify"])
        self.assertEqual(self.complete("hlo", "fmt", "--che"), ["--check"])
        self.assertEqual(self.complete("hlo", "fmt", "-i", "--style", "=", "lo"), ["long"])

    # --- zsh and fish

    @needs("zsh")
    def test_zsh_reads_the_scripts(self):
        for script in SHARE_DIR.glob("zsh/_*"):
            self.assertTrue(script.read_text().startswith("#compdef hlo"))
            self.assertEqual(run("zsh", "-n", script).stderr, "", script)

    @needs("fish")
    def test_fish_completes_options_and_values(self):
        def complete(line, script):
            command = f"source {SHARE_DIR}/fish/{script}.fish; complete -C '{line}'"
            done = run("fish", "--no-config", "-c", command)
            self.assertEqual(done.stderr, "")
            return [offer.split("\t")[0] for offer in done.stdout.splitlines()]

        self.assertEqual(complete("hlo-fmt --che", "hlo-fmt"), ["--check"])
        self.assertIn("pretty", complete("hlo-fmt --style ", "hlo-fmt"))
        self.assertEqual(complete("hlo ver", "hlo"), ["verify"])
        self.assertEqual(complete("hlo explain transpose.p", "hlo"), ["transpose.permutation"])
        for script in SHARE_DIR.glob("fish/*.fish"):
            self.assertEqual(run("fish", "--no-execute", script).stderr, "", script)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The manners of the command line: help, usage, options without effect, full disks, many files.

usage: command_line_test.py BIN_DIR
"""
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import xml.etree.ElementTree

BIN_DIR = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLS = ("hlo-fmt", "hlo-graph", "hlo-index", "hlo-run", "hlo-verify")

GOOD = """HloModule good, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %main (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  ROOT %n = f32[4]{0} negate(%p)
}

"""
BAD = GOOD.replace("f32[4]{0} negate", "f32[5]{0} negate")


def pairs(*lines):
    return [line.split(" | ") for line in lines]


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_tool(self, tool, *arguments, exit_code=0, **options):
        done = subprocess.run([BIN_DIR / tool, *arguments], cwd=self.folder, timeout=60,
                              stdin=subprocess.DEVNULL, stdout=options.pop("stdout", -1),
                              stderr=-1, errors="surrogateescape", check=False, **options)
        self.assertEqual(done.returncode, exit_code, f"{done.stdout}{done.stderr}")
        return done

    # --- Help

    def test_help_shows_the_common_options_and_help_all_every_one_in_groups(self):
        for tool in TOOLS:
            short = self.run_tool(tool, "--help").stdout
            full = self.run_tool(tool, "--help-all").stdout
            self.assertEqual(short, self.run_tool(tool, "-h").stdout)
            self.assertIn("\nCommon options:\n", short)
            common = re.findall(r"^  (?:-\w, )*(--[\w-]+)", short, re.MULTILINE)
            count = int(re.search(r"--help-all +All (\d+) options", short).group(1))
            every = re.findall(r"^  (?:-\w, )*(--[\w-]+)", full, re.MULTILINE)
            self.assertEqual(len(every), count, tool)
            self.assertLessEqual(len(common), 11, tool)
            self.assertGreaterEqual(len(common), 5, tool)
            self.assertLessEqual(set(common), set(every), tool)
            self.assertIn("\nGeneral:\n", full)
            self.assertIn("\nExamples:\n", short)
            for line in full[:full.index("\nExamples:")].splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_help_is_as_wide_as_the_terminal(self):
        help_text = self.on_terminal(["hlo-fmt", "--help-all"], 200)[1]
        self.assertIn("--split-input-file", help_text)
        lines = help_text.split("Examples:")[0].split("\r\n")
        self.assertGreater(max(map(len, lines)), 80)
        self.assertLessEqual(max(map(len, lines)), 110)

    def on_terminal(self, command, columns=80):
        """The exit code and the output of a command whose streams are all a terminal."""
        pid, terminal = pty.fork()
        if pid == 0:
            subprocess.run(["stty", "cols", str(columns)], check=False)
            os.execv(BIN_DIR / command[0], command)
        output = b""
        while True:
            try:
                output += os.read(terminal, 65536)
            except OSError:
                break
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output.decode()

    def test_no_arguments_on_a_terminal_are_answered_with_the_usage(self):
        for tool in (*TOOLS, "hlo"):
            exit_code, output = self.on_terminal([tool])
            self.assertEqual(exit_code, 2, tool)
            self.assertIn(f"Usage: {tool} ", output)

    def test_a_full_disk_is_noticed(self):
        for tool in (*TOOLS, "hlo"):
            for option in ("--help", "--version", "--help-all"):
                with open("/dev/full", "w", encoding="utf-8") as full:
                    done = self.run_tool(tool, option, exit_code=2, stdout=full)
                self.assertEqual(done.stderr, f"{tool}: stdout cannot be written: "
                                              "No space left on device\n")

    def test_a_closed_pipe_is_no_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        self.run_tool("hlo-run", "--help", stdout=writer)
        os.close(writer)

    # --- Options without effect

    def test_options_without_effect_are_refused(self):
        self.write("a.hlo", GOOD)
        cases = pairs(
            "hlo-verify a.hlo --format=json | --format is given only together with --list-rules",
            "hlo-verify a.hlo --fix --diff | --fix has no effect with --diff",
            "hlo-verify a.hlo --list-rules | FILE has no effect with --list-rules",
            "hlo-verify --explain=fusion.kind --notes | --notes has no effect with --explain",
            "hlo-fmt a.hlo --style=keep --no-layouts | "
            "--no-layouts has no effect with --style=keep",
            "hlo-fmt a.hlo --no-metadata --resolve-frames | "
            "--resolve-frames has no effect with --no-metadata",
            "hlo-fmt a.hlo --dump-config --check | --check has no effect with --dump-config",
            "hlo-fmt a.hlo --stdin-filename=x | --stdin-filename has no effect without stdin",
            "hlo-graph a.hlo --depth=2 | --depth is given only together with --around",
            "hlo-index a.hlo --operand=0 | "
            "--operand has no effect without --direction=in-to-out or both",
            "hlo-index a.hlo --json --style=lines | --style has no effect with --json",
            "hlo-index a.hlo --root --instr=n | --instr has no effect with --root",
            "hlo-run a.hlo --isa=avx2 --backend=reference | "
            "--isa has no effect with --backend=reference",
            "hlo-run a.hlo --threads=2 --backend=reference | "
            "--threads has no effect with --backend=reference",
            "hlo-run a.hlo --rtol=1 | "
            "--rtol is given only together with --expect or --reference_backend",
            "hlo-run a.hlo --list-backends | FILE has no effect with --list-backends",
            "hlo-run a.hlo --print-plan --repeat=3 | --repeat has no effect with --print-plan")
        for command, message in cases:
            tool, *arguments = command.split()
            done = self.run_tool(tool, *arguments, exit_code=2)
            self.assertEqual(done.stderr, f"{tool}: {message}\nRun with --help for more "
                                          "information.\n", command)
            self.assertEqual(done.stdout, "", command)

    def test_a_width_needs_a_style_that_wraps(self):
        self.write("a.hlo", GOOD)
        self.write("b.hlo", GOOD)
        for style, options in (("xla", []), ("short", ["--style=short"])):
            done = self.run_tool("hlo-fmt", "a.hlo", "b.hlo", "--width=70", *options, exit_code=2)
            self.assertEqual(done.stderr, f"hlo-fmt: --width has no effect with --style={style}\n")

    def test_options_with_effect_are_not(self):
        self.write("a.hlo", GOOD)
        for command in ("hlo-verify --list-rules --format=json -q",
                        "hlo-fmt a.hlo --width=70 --style=pretty",
                        "hlo-fmt --dump-config --style=short",
                        "hlo-graph a.hlo --around=n --depth=1",
                        "hlo-index a.hlo --direction=both --operand=0",
                        "hlo-run a.hlo --reference_backend=simd --threads=1",
                        "hlo-run a.hlo --backend=simd --isa=scalar"):
            tool, *arguments = command.split()
            self.run_tool(tool, *arguments)
        self.write(".hlo-format", '{"style": "pretty"}')
        self.run_tool("hlo-fmt", "a.hlo", "--width=70")

    # --- Many files

    def make_files(self, count):
        names = [f"f{i:03}.hlo" for i in range(count)]
        for i, name in enumerate(names):
            # Early files take longest, so that later ones are done before them.
            body = "".join(f"  %a{k} = f32[4]{{0}} negate(%p)\n" for k in range(8 * (count - i)))
            text = GOOD.replace("  ROOT", body + "  ROOT")
            self.write(name, text.replace("f32[4]{0} negate(%p)\n}", "f32[5]{0} negate(%p)\n}")
                       if i % 3 == 0 else text)
        return names

    def test_output_has_the_order_of_the_files_whatever_is_done_first(self):
        names = self.make_files(40) + ["missing.hlo"]
        for tool, options in (("hlo-verify", []), ("hlo-verify", ["--diagnostics=json"]),
                              ("hlo-fmt", []), ("hlo-fmt", ["--style=pretty"]), ("hlo-index", [])):
            runs = [self.run_tool(tool, *options, *jobs, *names, exit_code=2)
                    for jobs in (["-j", "1"], ["-j4"], ["--jobs=64"], [])]
            for run in runs[1:]:
                self.assertEqual((run.stdout, run.stderr), (runs[0].stdout, runs[0].stderr), tool)

    def test_the_exit_code_is_the_worst(self):
        names = self.make_files(9)
        good = [name for i, name in enumerate(names) if i % 3]
        self.run_tool("hlo-verify", "-j4", *good)
        self.run_tool("hlo-verify", "-j4", *good, names[0], exit_code=1)
        self.run_tool("hlo-verify", "-j4", "missing.hlo", *names, exit_code=2)

    def test_files_are_rewritten_at_once(self):
        names = [f"w{i}.hlo" for i in range(20)]
        for name in names:
            self.write(name, GOOD.replace("\n  %p", "\n       %p"))
        self.run_tool("hlo-fmt", "-i", "-j4", *names, names[0])
        self.assertEqual({(self.folder / name).read_text() for name in names}, {GOOD})
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

    def test_a_bad_configuration_is_reported_once(self):
        names = self.make_files(20)
        self.write(".hlo-verify.json", "[]")
        done = self.run_tool("hlo-verify", "-j4", *names, exit_code=2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_jobs_is_a_number_from_one(self):
        for jobs in ("0", "-1", "x", "100000"):
            done = self.run_tool("hlo-fmt", f"-j{jobs}", exit_code=2)
            self.assertRegex(done.stderr, r"^hlo-fmt: (--jobs|Could not|Value)")

    # --- Rules

    def test_the_list_of_rules_explains_its_codes(self):
        rules, legend = self.run_tool("hlo-verify", "--list-rules").stdout.split(
            "\n\nThe second column:\n")
        explained = {line[2:11].strip() for line in legend.splitlines()}
        self.assertEqual({line[43:52].strip() for line in rules.splitlines()}, explained)

    def test_groups_of_rules_are_explained(self):
        text = self.run_tool("hlo", "explain", "fusion").stdout
        count = int(re.match(r"fusion: (\d+) rules", text).group(1))
        self.assertEqual(len(re.findall(r"^fusion\.[\w-]+: ", text, re.MULTILINE)), count)
        self.assertIn("`--explain=fusion.", text)
        done = self.run_tool("hlo-verify", "--explain=fusions", exit_code=2)
        self.assertIn("no rule `fusions`: did you mean `fusion`?", done.stderr)

    # --- Temporary files

    def test_what_a_killed_run_left_is_gone_after_the_next(self):
        names = [f"k{i:04}.hlo" for i in range(400)]
        for name in names:
            self.write(name, GOOD.replace("\n  %p", "\n       %p"))
        for delay in (0.002, 0.005, 0.01, 0.02):
            with subprocess.Popen([BIN_DIR / "hlo-fmt", "-i", *names], cwd=self.folder) as run:
                time.sleep(delay)
                run.send_signal(signal.SIGKILL)
        self.write("k0000.hlo.hlokit-tmp", "half a te")
        self.write("k0000.hlo", BAD.replace("[5]", "[4]").replace("\n  %p", "\n %p"))
        self.run_tool("hlo-fmt", "-i", *names)
        self.assertEqual(sorted(os.listdir(self.folder)), names)

    # --- Names of files

    NAMES = (b"plain.hlo", b"with blank.hlo", b'quo"te\'s.hlo', b"new\nline\ttab\x01.hlo",
             b"\xff\xfe no utf8.hlo", "größe-模.hlo".encode(), b"a&b<c>]]>.hlo", b"per%cent#?.hlo",
             b"c:olon.hlo", b"back\\slash.hlo", b"\xef\xbf\xbf.hlo")

    def test_documents_are_valid_for_every_name(self):
        for name in self.NAMES:
            self.write(name, BAD)
        names = [*self.NAMES, b"missing \xff\".hlo"]
        done = {}
        for kind in ("json", "sarif", "junit", "github"):
            run = self.run_tool("hlo-verify", f"--diagnostics={kind}", *names, exit_code=2)
            done[kind] = run.stderr
        for kind in ("json", "sarif", "junit"):
            done[kind].encode("utf-8")  # fails where a byte that is no UTF-8 came through
        findings = [item for item in json.loads(done["json"]) if item["file"]]
        self.assertEqual([item["file"] for item in findings],
                         [name.decode("utf-8", "replace") for name in self.NAMES])
        results = json.loads(done["sarif"])["runs"][0]["results"]
        self.assertEqual(len(results), len(self.NAMES))
        for result, name in zip(results, self.NAMES):
            uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            self.assertRegex(uri, r"^(?:[A-Za-z0-9._~/!$&'()*+,;=@-]|%[0-9A-F]{2})+$")
            self.assertEqual(urllib.parse.unquote_to_bytes(uri), name)
        suite = xml.etree.ElementTree.fromstring(done["junit"].encode())
        self.assertEqual(len(suite.findall("testcase")), len(self.NAMES))
        commands = [line for line in done["github"].splitlines() if line.startswith("::error")]
        self.assertEqual(len(commands), len(self.NAMES))

    def test_a_path_of_two_slashes_is_no_host(self):
        self.write("a.hlo", BAD)
        done = self.run_tool("hlo-verify", "--diagnostics=sarif", f"/{self.folder}/a.hlo",
                             exit_code=1)
        result = json.loads(done.stderr)["runs"][0]["results"][0]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        self.assertEqual(urllib.parse.urlparse(uri).netloc, "")
        self.assertEqual(uri, f"{self.folder}/a.hlo")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The table without any peer: its programs are valid, what is missing is said, and nothing fails.

usage: peers_test.py HLO_VERIFY
"""
import os
import subprocess
import sys
import tempfile
import unittest

import work

HERE = os.path.dirname(os.path.abspath(__file__))
HLO_VERIFY = sys.argv[1]


def peers(*arguments, path=None):
    environment = dict(os.environ, PATH=path if path is not None else os.environ["PATH"])
    return subprocess.run([sys.executable, os.path.join(HERE, "peers.py"), *arguments],
                          capture_output=True, text=True, env=environment, check=False)


class PeersTest(unittest.TestCase):
    def test_list_names_each_work_once(self):
        names = peers("--list").stdout.splitlines()
        self.assertGreater(len(names), 100)
        self.assertEqual(len(names), len(set(names)))

    def test_programs_are_valid(self):
        with tempfile.TemporaryDirectory() as programs:
            for number, row in enumerate(work.all_work()):
                if row.text is not None:
                    with open(os.path.join(programs, f"{number}.hlo"), "w") as file:
                        file.write(row.text)
            result = subprocess.run([HLO_VERIFY, "-q", programs], capture_output=True, text=True,
                                    check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_only_and_group_choose(self):
        result = peers("--list", "--group=layers", "--only=^softmax f32 4096")
        self.assertEqual(result.stdout.split(), "layers softmax f32 4096x768".split())

    def test_a_tree_without_anything_skips_with_a_message(self):
        with tempfile.TemporaryDirectory() as build:
            result = peers(f"--build={build}", "--group=layers", path="")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("skipped: ", result.stdout)
        self.assertIn("time_program", result.stdout)
        self.assertIn("0 bars, 0 missed", result.stdout)

    def test_peers_that_are_missing_are_said_once(self):
        with tempfile.TemporaryDirectory() as build:
            os.makedirs(os.path.join(build, "bench"))
            tool = os.path.join(build, "bench/time_program")
            with open(tool, "w") as file:
                file.write(f"#!{sys.executable}\nprint('ready', flush=True)\n"
                           "for _ in iter(input, ''): print(1.0, flush=True)\n")
            os.chmod(tool, 0o755)
            result = peers(f"--build={build}", "--peer=onnxruntime", "--group=layers", path="")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("skipped: onnxruntime: "), 1, result.stdout)

    def test_wrong_use(self):
        for arguments in (["--group=none"], ["--peer=none"], ["--only=("], ["--rounds=0"], ["x"]):
            result = peers(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("error: ", result.stderr)


def earlier(*arguments):
    return subprocess.run([sys.executable, os.path.join(os.path.dirname(HERE), "earlier.py"),
                           *arguments], capture_output=True, text=True, check=False)


def make_tool(path, seconds):
    """A program that says so many seconds were the median of its runs."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(f"#!{sys.executable}\nimport sys\n"
                   f"sys.stderr.write('hlo-run: 3 runs: min 0 s, median {seconds} s, mean 0 s\\n')\n")
    os.chmod(path, 0o755)
    return path


class EarlierTest(unittest.TestCase):
    def test_ratios_and_their_mean(self):
        with tempfile.TemporaryDirectory() as build:
            before = make_tool(os.path.join(build, "before/hlo-run"), 0.3)
            make_tool(os.path.join(build, "bin/hlo-run"), 0.1)
            result = earlier(before, f"--build={build}", "--only=^softmax .* 4096", "--turns=1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"softmax f32 4096x768 +300.000 +100.000 +3.00\n")
        self.assertIn("layers: 3.0\ngeometric mean of 2: 3.0\n", result.stdout)

    def test_a_program_that_fails_is_left_out(self):
        with tempfile.TemporaryDirectory() as build:
            make_tool(os.path.join(build, "bin/hlo-run"), 0.1)
            result = earlier("/bin/false", f"--build={build}", "--only=^softmax f32 4096")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("skipped: softmax f32 4096x768: /bin/false: exit 1", result.stdout)

    def test_wrong_use(self):
        for arguments in ([], ["no_such_tool"], ["/bin/true", "--only=("],
                          ["/bin/true", "--turns=0"], ["/bin/true", "--seconds=0"]):
            result = earlier(f"--build={os.path.dirname(os.path.dirname(HLO_VERIFY))}", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("error: ", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

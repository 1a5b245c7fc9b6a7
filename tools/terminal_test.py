#!/usr/bin/env python3
"""Runs hlo-run as people do: its output on a terminal.

usage: terminal_test.py HLO_RUN HLO_VERIFY
"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HLO_RUN, HLO_VERIFY = sys.argv[1:3]
del sys.argv[1:3]


def read_all(fd):
    """What comes out of the terminal until nobody holds its other end."""
    text = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # EIO
            break
        if not piece:
            break
        text += piece
    return text.decode().replace("\r\n", "\n")


class TerminalTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, text, name="m.hlo"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_on_terminal(self, *arguments, stream="stdout", tool=HLO_RUN, end_after=None):
        """(text on the terminal, exit code): one stream is a terminal, the other a file. Ctrl-C
        ends it after so many seconds."""
        mine, its = pty.openpty()
        with tempfile.TemporaryFile() as other:
            streams = {"stdout": other, "stderr": other, stream: its}
            with subprocess.Popen([tool, *arguments], stdin=subprocess.DEVNULL, **streams) as run:
                os.close(its)
                if end_after is not None:
                    time.sleep(end_after)
                    run.send_signal(signal.SIGINT)
                text = read_all(mine)
            os.close(mine)
            other.seek(0)
            self.other = other.read().decode()
        return text, run.returncode

    IOTA = "ENTRY e {\n  ROOT r = s32[%s] iota(), iota_dimension=0\n}\n"

    def test_results_are_shortened(self):
        hlo = self.program(self.IOTA % "1001")
        text, code = self.run_on_terminal(hlo)
        self.assertEqual((text, code), ("s32[1001] {0, 1, 2, ..., 998, 999, 1000}\n", 0))
        text, _ = self.run_on_terminal(self.program(self.IOTA % "1000"))
        self.assertNotIn("...", text)

    def test_shortening_can_be_chosen(self):
        hlo = self.program(self.IOTA % "1001")
        for whole in ("0", "all", "1001"):
            text, _ = self.run_on_terminal(hlo, f"--max-print={whole}")
            self.assertNotIn("...", text)
            self.assertIn(" 500, ", text)
        piped = subprocess.run([HLO_RUN, hlo], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("...", piped)
        piped = subprocess.run([HLO_RUN, hlo, "--max-print=8"], capture_output=True, text=True,
                               check=True).stdout
        self.assertEqual(piped, "s32[1001] {0, 1, 2, ..., 998, 999, 1000}\n")
        for wrong in ("some", "-2", "1.5"):
            run = subprocess.run([HLO_RUN, hlo, f"--max-print={wrong}"], capture_output=True,
                                 text=True, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertIn("--max-print", run.stderr)

    def test_json_is_never_cut(self):
        text, _ = self.run_on_terminal(self.program(self.IOTA % "2000"), "--output=json")
        self.assertIn("1999", text)
        self.assertNotIn("...", text)

    # --- progress

    # A loop of `count` products of matrices.
    LOOP = """HloModule m
body {
  p = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[64,64] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  y = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[64,64]) tuple(next, y)
}
condition {
  p = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(COUNT)
  ROOT go = pred[] compare(i, limit), direction=LT
}
ENTRY e {
  x = f32[64,64] parameter(0)
  zero = s32[] constant(0)
  begin = (s32[], f32[64,64]) tuple(zero, x)
  loop = (s32[], f32[64,64]) while(begin), condition=condition, body=body
  y = f32[64,64] get-tuple-element(loop), index=1
  ROOT s = f32[1,1] slice(y), slice={[0:1],[0:1]}
}
"""

    def endless_program(self):
        return self.program(self.LOOP.replace("COUNT", "1000000000"))

    def test_progress_of_a_loop(self):
        text, code = self.run_on_terminal(self.endless_program(), "--fake=zeros", "--time-limit=4",
                                          stream="stderr")
        self.assertEqual(code, 1)
        note, *lines, error = text.split("\r\x1b[K")
        self.assertIn("inputs generated", note)
        self.assertIn("the time limit of 4 s was over", error)
        # Where what comes before the run takes long, that has lines too.
        lines = [line for line in lines if "step" in line]
        self.assertGreater(len(lines), 2)
        iterations = [int(re.fullmatch(r"hlo-run: step 1 of 2, iteration (\d+) of 1000000000 of `loop`",
                                       line)[1]) for line in lines]
        self.assertEqual(iterations, sorted(iterations))
        self.assertEqual(self.other, "")

    def test_lines_fit_the_terminal(self):
        hlo = self.program(self.LOOP.replace("COUNT", "1000000000").replace("loop", "a" * 100))
        text, _ = self.run_on_terminal(hlo, "--fake=zeros", "--time-limit=3", stream="stderr")
        line = text.split("\r\x1b[K")[1]
        self.assertEqual(len(line), 79)
        self.assertTrue(line.endswith("aaa..."), line)

    def test_no_progress_elsewhere(self):
        hlo = self.endless_program()
        text, _ = self.run_on_terminal(hlo, "--fake=zeros", "--progress=never",
                                       "--time-limit=3", stream="stderr")
        self.assertNotIn("step", text)
        self.assertNotIn("\x1b[K", text)
        for arguments, is_wanted in (((), False), (("--progress=always",), True)):
            log = subprocess.run([HLO_RUN, hlo, hlo, "--fake=zeros", "--time-limit=3", *arguments],
                                 capture_output=True, text=True, check=False).stderr
            self.assertEqual("hlo-run: 0 of 2 files done; step 1 of 2, iteration " in log, is_wanted)
            self.assertEqual("hlo-run: 1 of 2 files done; step 1 of 2, iteration " in log, is_wanted)
            self.assertNotIn("\x1b", log)

    def test_other_tools_say_how_many_files_are_done(self):
        done = self.program(self.IOTA % "5")
        pipe = os.path.join(self.folder.name, "slow.hlo")
        os.mkfifo(pipe)
        for arguments in ((), ("--jobs=1",)):
            text, code = self.run_on_terminal(done, pipe, *arguments, stream="stderr",
                                              tool=HLO_VERIFY, end_after=3)
            self.assertEqual(text, "\r\x1b[Khlo-verify: 1 of 2 files done\r\x1b[K")
            self.assertEqual(code, -signal.SIGINT)

    def test_what_is_no_run_is_named(self):
        hlo = self.program("ENTRY e {\n  x = f64[60000000] parameter(0)\n"
                           "  ROOT y = f64[60000000] copy(x)\n}\n")
        text, _ = self.run_on_terminal(hlo, "--max-print=3", "--output=@" + hlo + ".json",
                                       "--time-limit=4.5", stream="stderr")
        self.assertRegex(text, r"hlo-run: (making the inputs|writing the result)")

    def test_quiet_runs_show_nothing(self):
        text, _ = self.run_on_terminal(self.endless_program(), "--fake=zeros", "-q",
                                       "--time-limit=3", stream="stderr")
        self.assertNotIn("step", text)

    def test_short_runs_show_nothing(self):
        text, _ = self.run_on_terminal(self.program(self.IOTA % "5"), stream="stderr")
        self.assertEqual(text, "")

    # --- interrupts

    # What Ctrl-C and time limits may take, and what a busy machine takes besides.
    SOON = 0.1 + 0.9

    def stop(self, *arguments, after=1.0, seconds=None):
        """Runs until Ctrl-C, or --time-limit where `seconds` says so; (stderr, seconds it took)."""
        if seconds is not None:
            arguments = (*arguments, f"--time-limit={seconds}")
        with subprocess.Popen([HLO_RUN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder.name) as run:
            start = time.monotonic()
            if seconds is None:
                time.sleep(after)
                start = time.monotonic()
                run.send_signal(signal.SIGINT)
            # Nobody reads stdout: a large result waits for that.
            run.wait(timeout=60)
            took = time.monotonic() - start - (seconds or 0)
            self.assertEqual(run.returncode, 1)
            return run.stderr.read().decode(), took

    def test_a_long_step_is_interrupted(self):
        hlo = self.program("ENTRY e {\n  x = f64[3000,3000] parameter(0)\n"
                           "  ROOT y = f64[3000,3000] dot(x, x), lhs_contracting_dims={1}, "
                           "rhs_contracting_dims={0}\n}\n")
        error, took = self.stop(hlo, "--fake=zeros", "--backend=reference")
        self.assertIn("m.hlo:3:27: error: interrupted inside `y` [run.interrupted]", error)
        self.assertLess(took, self.SOON)
        error, took = self.stop(hlo, "--fake=zeros", "--backend=reference", seconds=1.5)
        self.assertIn("m.hlo:3:27: error: the time limit of 1.5 s was over inside `y` "
                      "[run.time-limit]", error)
        self.assertLess(took, self.SOON)

    def test_a_loop_says_itself_where_it_was(self):
        hlo = self.program(self.LOOP.replace("COUNT", "1000000000"))
        for arguments in (["--backend=reference"], ["--backend=simd"]):
            error, took = self.stop(hlo, *arguments, "--fake=zeros")
            self.assertRegex(error, r"error: interrupted before `\w+` \[run.interrupted\]\n  ")
            self.assertLess(took, self.SOON)

    def test_printing_is_interrupted(self):
        hlo = self.program(self.IOTA % "10000000")
        error, took = self.stop(hlo, after=2)
        self.assertEqual(error, "hlo-run: interrupted while printing the result\n")
        self.assertLess(took, self.SOON)
        error, took = self.stop(hlo, seconds=2)
        self.assertEqual(error, "hlo-run: the time limit of 2 s was over while printing the result\n")
        self.assertLess(took, self.SOON)

    def test_writing_is_interrupted_and_leaves_nothing(self):
        hlo = self.program("ENTRY e {\n  x = f64[30000000] parameter(0)\n"
                           "  ROOT y = f64[30000000] copy(x)\n}\n")
        # All of it takes 3.5 s and more.
        for after in (0.5, 0.75, 1.0, 1.25, 1.5):
            with subprocess.Popen([HLO_RUN, hlo, "--max-print=3", "--output=@out.json"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  cwd=self.folder.name) as run:
                time.sleep(after)
                run.send_signal(signal.SIGINT)
                start = time.monotonic()
                error = run.stderr.read().decode()
                self.assertLess(time.monotonic() - start, self.SOON)
            self.assertIn("interrupted", error)
            self.assertEqual(os.listdir(self.folder.name), ["m.hlo"])

    def test_ctrl_c_ends_all_programs(self):
        hlo = self.program(self.LOOP.replace("COUNT", "1000000000"))
        error, _ = self.stop(hlo, hlo, hlo, "--fake=zeros")
        self.assertEqual(error.count("error:"), 1)


if __name__ == "__main__":
    unittest.main()

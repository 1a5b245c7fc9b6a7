#!/usr/bin/env python3
"""Runs hlo-run as people do: its output on a terminal.

usage: terminal_test.py HLO_RUN
"""
import os
import pty
import subprocess
import sys
import tempfile
import unittest

HLO_RUN = sys.argv.pop(1)


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

    def run_on_terminal(self, *arguments, stream="stdout"):
        """(text on the terminal, exit code): one stream is a terminal, the other a file."""
        mine, its = pty.openpty()
        with tempfile.TemporaryFile() as other:
            streams = {"stdout": other, "stderr": other, stream: its}
            with subprocess.Popen([HLO_RUN, *arguments], stdin=subprocess.DEVNULL, **streams) as run:
                os.close(its)
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


if __name__ == "__main__":
    unittest.main()

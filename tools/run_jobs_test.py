#!/usr/bin/env python3
"""Several programs at a time: hlo-run -j.

usage: run_jobs_test.py HLO_RUN
"""
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from tool_test_case import ToolTestCase

HLO_RUN = sys.argv.pop(1)

SUM = """HloModule sum
ENTRY main {{
  x = f32[] parameter(0)
  number = f32[] constant({})
  ROOT r = f32[] add(x, number)
}}
"""
BROKEN = SUM.replace("ROOT r = f32[]", "ROOT r = f32[2]")
ENDLESS = """HloModule endless
condition {
  x = s32[] parameter(0)
  ROOT always = pred[] constant(true)
}
body {
  x = s32[] parameter(0)
  ROOT y = s32[] add(x, x)
}
ENTRY main {
  one = s32[] constant(1)
  ROOT r = s32[] while(one), condition=condition, body=body
}
"""


class RunJobsTest(ToolTestCase):
    def run_tool(self, *arguments):
        return subprocess.run([HLO_RUN, *arguments], capture_output=True, text=True, timeout=60,
                              cwd=self.folder, stdin=subprocess.DEVNULL, check=False)

    def begin(self, *arguments):
        return subprocess.Popen([HLO_RUN, *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.folder)

    def test_the_order_is_that_of_the_files(self):
        names = [f"f{i:02}.hlo" for i in range(30)]
        for i, name in enumerate(names):
            self.write(name, (BROKEN if i % 7 == 3 else SUM).format(i))
        for options in ([], ["--input=1"], ["--output=json"], ["--print-plan"], ["-q"]):
            alone = self.run_tool(*options, *names, "missing.hlo")
            self.assertEqual(alone.returncode, 2)
            for jobs in ("-j2", "-j16"):
                several = self.run_tool(jobs, *options, *names, "missing.hlo")
                self.assertEqual((several.returncode, several.stdout, several.stderr),
                                 (2, alone.stdout, alone.stderr), options)

    def test_the_exit_code_is_the_worst(self):
        self.write("good.hlo", SUM.format(1))
        self.write("bad.hlo", BROKEN.format(1))
        self.assertEqual(self.run_tool("-j2", "good.hlo", "good.hlo").returncode, 0)
        self.assertEqual(self.run_tool("-j2", "good.hlo", "bad.hlo", "good.hlo").returncode, 1)

    def test_a_time_limit_is_each_ones_own(self):
        self.write("endless.hlo", ENDLESS)
        self.write("good.hlo", SUM.format(1))
        done = self.run_tool("-j2", "-q", "--time-limit=0.5", "--input=2", "good.hlo", "good.hlo")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "good.hlo:\nf32[] 3\ngood.hlo:\nf32[] 3\n"))
        done = self.run_tool("-j2", "-q", "--time-limit=0.5", "endless.hlo", "good.hlo")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the time limit of 0.5 s was over before", done.stderr)
        self.assertTrue(done.stdout.startswith("good.hlo:\n"), done.stdout)

    def children_of(self, process):
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            return [int(number) for number in file.read().split()]

    def wait_for_children(self, process, count):
        for _ in range(500):
            children = self.children_of(process)
            if len(children) == count:
                time.sleep(0.2)  # until they run
                return children
            time.sleep(0.01)
        self.fail("no children")

    def test_a_process_that_is_killed_takes_its_file_only(self):
        self.write("endless.hlo", ENDLESS)
        self.write("good.hlo", SUM.format(1))
        with self.begin("-j3", "-q", "endless.hlo", "good.hlo") as process:
            time.sleep(0.3)
            [child] = self.wait_for_children(process, 1)
            os.kill(child, signal.SIGKILL)
            out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(error,
                         "hlo-run: endless.hlo: its process was ended by signal 9 (Killed)\n")
        self.assertTrue(out.startswith("good.hlo:\n"), out)

    def test_an_interrupt_ends_all_and_begins_no_more(self):
        self.write("endless.hlo", ENDLESS)
        with self.begin("-j2", *["endless.hlo"] * 5) as process:
            self.wait_for_children(process, 2)
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (1, ""))
        self.assertEqual(len(re.findall(r"endless\.hlo.*interrupted", error)), 2, error)

    def test_children_end_with_their_parent(self):
        self.write("endless.hlo", ENDLESS)
        with self.begin("-j2", "endless.hlo", "endless.hlo") as process:
            children = self.wait_for_children(process, 2)
            process.kill()
            process.communicate(timeout=60)  # their ends of the pipes are closed
        for _ in range(500):
            if not any(self.is_running(child) for child in children):
                return
            time.sleep(0.01)
        self.fail("children are still there")

    def is_running(self, process_id):
        try:
            with open(f"/proc/{process_id}/stat", encoding="ascii") as file:
                return file.read().rpartition(")")[2].split()[0] not in "ZX"
        except FileNotFoundError:
            return False

    def test_what_is_one_for_all_is_refused(self):
        self.write("good.hlo", SUM.format(1))
        for option in ("--output=@x.npz", "--dump=.*:d", "--profile-out=t.json",
                       "--diagnostics=json", "--transport=mpi"):
            done = self.run_tool("-j2", option, "good.hlo", "good.hlo")
            self.assertEqual((done.returncode, done.stdout), (2, ""), option)
            self.assertIn("not with several --jobs", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["good.hlo"])


if __name__ == "__main__":
    unittest.main()

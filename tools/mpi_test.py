#!/usr/bin/env python3
"""hlo-run under mpirun does what it does in one process: mpi_test.py HLO_RUN SOURCE_DIR"""

import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tool_test_case import ToolTestCase

HLO_RUN = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])
# For a root user, more processes than cores, and machines without ssh, which nobody needs to start
# processes on one machine; -q: mpirun says nothing of exit codes.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", "-q"]
# A sanitizer would report what OpenMPI holds to the end.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
MODULE = os.path.join(os.path.dirname(HLO_RUN), "..", "lib", "hlokit", "hlokit_mpi.so")

SEVERAL = re.compile(r"replica_groups|source_target_pairs|replica_count|num_partitions|--replicas"
                     r"|--partitions|SPMD")

LOOP = """HloModule loop, replica_count=4
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
body {
  s = (u32[], f32[]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  x = f32[] get-tuple-element(s), index=1
  one = u32[] constant(1)
  next = u32[] add(i, one)
  y = f32[] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add
  ROOT t = (u32[], f32[]) tuple(next, y)
}
condition {
  s = (u32[], f32[]) parameter(0)
  i = u32[] get-tuple-element(s), index=0
  n = u32[] constant(2000000000)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[] parameter(0)
  zero = u32[] constant(0)
  s = (u32[], f32[]) tuple(zero, x)
  ROOT w = (u32[], f32[]) while(s), condition=condition, body=body
}
"""

SUM = """HloModule sum, replica_count=4
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[3] parameter(0)
  sum = f32[3] all-reduce(x), replica_groups={{0,2,3,1}}, to_apply=add
  ROOT both = (f32[3], f32[3]) tuple(x, sum)
}
"""


# Arrays that are large enough to be moved together, of six participants in two kinds of groups.
LARGE_REDUCERS = [("s32", "add"), ("s32", "xor"), ("u8", "multiply"), ("s16", "minimum"),
                  ("u64", "maximum"), ("pred", "and"), ("s32", "subtract"), ("f32", "add"),
                  ("bf16", "add")]


def large_program(count=72000):
    text, results, shapes = "HloModule large, replica_count=6\n", [], []
    for kind, opcode in LARGE_REDUCERS:
        text += (f"{opcode}_{kind} {{\n  a = {kind}[] parameter(0)\n  b = {kind}[] parameter(1)\n"
                 f"  ROOT r = {kind}[] {opcode}(a, b)\n}}\n")
    text += f"""ENTRY main {{
  r = u32[] replica-id()
  rs = u32[{count}] broadcast(r), dimensions={{}}
  k = u32[{count}] iota(), iota_dimension=0
  sum = u32[{count}] add(rs, k)
  big = u32[] constant(2654435761)
  bigs = u32[{count}] broadcast(big), dimensions={{}}
  product = u32[{count}] multiply(sum, bigs)
  seven = u32[] constant(7)
  sevens = u32[{count}] broadcast(seven), dimensions={{}}
  shifted = u32[{count}] shift-right-logical(product, sevens)
  m = u32[{count}] xor(product, shifted)
"""

    def add(shape, instruction):
        nonlocal text
        text += f"  y{len(results)} = {shape} {instruction}\n"
        results.append(f"y{len(results)}")
        shapes.append(shape)

    for i, (kind, opcode) in enumerate(LARGE_REDUCERS):
        text += (f"  x{i} = {kind}[{count}] " +
                 ("compare(m, shifted), direction=GT\n" if kind == "pred" else "convert(m)\n"))
        groups = "{}" if i % 2 else "{{0,3},{1,5,4,2}}"
        add(f"{kind}[{count}]",
            f"all-reduce(x{i}), replica_groups={groups}, to_apply={opcode}_{kind}")
    add(f"u32[{count * 6}]", "all-gather(m), dimensions={0}, replica_groups={}")
    add(f"u32[{count}]", "collective-broadcast(m), replica_groups={{4,0,5},{2,1,3}}")
    add(f"f32[{count // 6}]",
        "reduce-scatter(x7), dimensions={0}, replica_groups={}, to_apply=add_f32")
    add(f"u32[{count}]", "all-to-all(m), dimensions={0}, replica_groups={}")
    return text + f"  ROOT all = ({', '.join(shapes)}) tuple({', '.join(results)})\n}}\n"


def commands_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.findall(r"^// RUN: (.*)$", file.read(), re.MULTILINE)


# Of several participants that fail alike, each process tells of one of its own; and where a busy
# one was when the time was over is chance.
def any_failed(text):
    text = re.sub(r"^.*: note: (replica|partition) \d+ was at `.*\n.*\n.*\n", "somewhere\n", text,
                  flags=re.MULTILINE)
    return re.sub(r", on (replica|partition) \d+ \[", ", on one of them [", text)


class MpiTest(ToolTestCase):
    def run_mpi(self, *arguments, processes=4, **options):
        return subprocess.run([*MPIRUN, "-n", str(processes), HLO_RUN, "--transport=mpi",
                               *arguments], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, **options)

    def compare(self, *arguments, processes=4, **options):
        alone = subprocess.run([HLO_RUN, *arguments], capture_output=True, text=True, timeout=120,
                               stdin=subprocess.DEVNULL, **options)
        together = self.run_mpi(*arguments, processes=processes, **options)
        said = f"{arguments}\n{together.stdout}{together.stderr}"
        self.assertEqual(alone.stdout, together.stdout, said)
        self.assertEqual(any_failed(alone.stderr), any_failed(together.stderr), said)
        self.assertEqual(alone.returncode, together.returncode, said)
        return together

    # What takes options of hlo-run alone; the rest are pipelines of several tools.
    def test_every_golden_of_several_participants_says_the_same(self):
        cases = []
        for path in sorted(glob.glob(os.path.join(SOURCE, "testdata", "*", "*.hlo"))):
            with open(path, encoding="utf-8", errors="replace") as file:
                if not SEVERAL.search(file.read()):
                    continue
            for command in commands_of(path):
                words = shlex.split(command)
                if words[0] == "hlo-run" and not {"|", "&&", ";", ">", "<"} & set(words):
                    cases.append([os.path.relpath(path, SOURCE) if word == "%s" else word
                                  for word in words[1:] if "%t" not in word])
        self.assertGreater(len(cases), 40)
        with ThreadPoolExecutor(2) as pool:
            for _ in pool.map(lambda case: self.compare(*case, cwd=SOURCE), cases):
                pass

    def test_collectives_of_a_real_program_say_the_same(self):
        path = os.path.join(SOURCE, "..", "shared", "corpus", "models",
                            "hlo_llama3_8b_cp_bf16_1x4.hlo")
        if not os.path.exists(path):
            self.skipTest("the corpus is not there")
        self.compare(path, "--only=^(all-gather|all-reduce|reduce-scatter|all-to-all|collective)",
                     "--only-size=16")

    def test_files_of_each_participant(self):
        program = self.write("sum.hlo", SUM)
        rows = np.array([[1e8, 1, 2], [1, 4, 8], [-1e8, 16, 32], [1, 64, 128]], np.float32)
        for i, row in enumerate(rows):
            np.save(self.path(f"x.{i}.npy"), row)
        for processes in (1, 2, 3, 6):
            self.compare(program, f"--input=@{self.folder}/x.{{device}}.npy", processes=processes)
        self.run_mpi(program, f"--input=@{self.folder}/x.{{device}}.npy",
                     f"--output=@{self.folder}/y.{{device}}.npz", "--trace",
                     f"--dump=x:{self.folder}/dump")
        for i in range(4):
            with np.load(self.path(f"y.{i}.npz")) as members:
                np.testing.assert_array_equal(members["0"], rows[i])
                np.testing.assert_array_equal(members["1"], [2, 85, 170])  # 1e8 - 1e8 + 1 + 1
            self.assertTrue(os.path.isdir(self.path(f"dump/{i}")))

    def test_what_is_written_of_each_participant(self):
        program = self.write("sum.hlo", SUM)
        self.compare(program, "--trace", "--fake=iota")
        self.compare(program, "--output=json", "--print-literals", "--reference_backend=simd")
        long = self.write("long.hlo", "HloModule long, replica_count=2\nENTRY main {\n"
                          "  ROOT x = f32[50,50] parameter(0)\n}\n")
        self.compare(long, "--replicas=2")
        self.compare(program, program, os.path.join(self.folder, "nothing.hlo"))

    def test_traces_and_bytes_of_all_are_shown_together(self):
        program = self.write("sum.hlo", SUM)
        out = self.run_mpi(program, "--profile", f"--trace-out={self.folder}/t.json").stdout
        self.assertRegex(out, r" +1 +12  each +sum \(all-reduce\)\n")
        with open(self.path("t.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        rows = [event["args"]["name"] for event in events if event["ph"] == "M"]
        self.assertEqual(rows, [f"replica {i}" for i in range(4)])

    def test_large_arrays_are_moved_together(self):
        program = self.write("large.hlo", large_program())
        for processes in (2, 3, 6):
            with self.subTest(processes=processes):
                self.compare(program, "--max-print=2000", processes=processes)
        subprocess.run([HLO_RUN, program, "--output=@" + self.path("one.{device}.npz")],
                       stdout=subprocess.DEVNULL, check=True)
        out = self.run_mpi(program, "--profile", "--output=@" + self.path("four.{device}.npz"),
                           "--max-print=1").stdout
        for i in range(6):
            with open(self.path(f"one.{i}.npz"), "rb") as one:
                with open(self.path(f"four.{i}.npz"), "rb") as four:
                    self.assertEqual(one.read(), four.read())
        # Each of three over all, and in both groups of each of three others, in which the first
        # process has participants. Floats and subtraction have an order: they are gathered.
        self.assertIn("moved by MPI with the first process: 9 reduced, ", out)

    def test_what_follows_a_run_that_was_stopped_is_whole(self):
        endless = self.write("endless.hlo", LOOP.replace("f32[]", "s32[40000]").replace(
            "a = s32[40000]", "a = s32[]").replace("b = s32[40000]", "b = s32[]").replace(
                "ROOT s = s32[40000] add", "ROOT s = s32[] add"))
        good = self.write("sum.hlo", SUM)
        for processes in (2, 3, 4):
            done = self.run_mpi(endless, good, endless, good, "--time-limit=0.3", "--fake=ones",
                                processes=processes)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.count("the time limit of 0.3 s was over"), 2, done.stderr)
            self.assertEqual(done.stdout.count("f32[3] {4, 4, 4}"), 2, done.stdout)

    def test_what_only_one_process_finds_missing(self):
        program = self.write("sum.hlo", SUM)
        for i in range(3):
            np.save(self.path(f"x.{i}.npy"), np.ones(3, np.float32))
        self.compare(program, f"--input=@{self.folder}/x.{{device}}.npy")
        np.save(self.path("x.3.npy"), np.ones(4, np.float32))
        self.compare(program, f"--input=@{self.folder}/x.{{device}}.npy")

    def test_values_from_stdin_are_refused(self):
        done = self.run_mpi(self.write("sum.hlo", SUM), "--input=@-", processes=1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("hlo-run: values do not come from stdin under --transport=mpi", done.stderr)

    def test_a_time_limit_ends_all(self):
        done = self.run_mpi(self.write("loop.hlo", LOOP), "--time-limit=0.5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the time limit of 0.5 s was over", done.stderr)

    # --- Processes that go

    # Starts the endless loop and returns mpirun and the processes below it.
    def start_loop(self):
        program = self.write("loop.hlo", LOOP)
        mpirun = subprocess.Popen([part for part in MPIRUN if part != "-q"] +
                                  ["-n", "4", HLO_RUN, "--transport=mpi", program],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ranks = []
        while len(ranks) < 4:
            time.sleep(0.2)
            ranks = subprocess.run(["pgrep", "-P", str(mpirun.pid), "hlo-run"],
                                   capture_output=True, text=True).stdout.split()
        time.sleep(1)
        return mpirun, [int(rank) for rank in ranks]

    def test_a_killed_process_ends_the_job(self):
        mpirun, ranks = self.start_loop()
        os.kill(ranks[2], signal.SIGKILL)
        _, err = mpirun.communicate(timeout=60)
        self.assertNotEqual(mpirun.returncode, 0)
        self.assertIn("Killed", err)

    def test_a_process_that_is_silent_ends_the_job(self):
        mpirun, ranks = self.start_loop()
        os.kill(ranks[2], signal.SIGSTOP)
        try:
            _, err = mpirun.communicate(timeout=60)
        finally:
            if mpirun.poll() is None:
                os.kill(ranks[2], signal.SIGCONT)
                mpirun.kill()
        self.assertEqual(mpirun.returncode, 2)
        self.assertIn("was not heard of for 10 s", err)


if __name__ == "__main__":
    if not os.path.exists(MODULE) or shutil.which("mpirun") is None:
        print("skipped: MPI is not there")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])

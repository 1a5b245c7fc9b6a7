#!/usr/bin/env python3
"""Judges what hlo-run --profile and --estimate say of programs whose costs are known.

usage: profile_test.py HLO_RUN
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HLO_RUN = sys.argv.pop(1)

PROGRAM = """HloModule m

FileNames
1 "model.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=8 end_line=8 column=3 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY main {
  x = f32[16,16] parameter(0)
  y = f32[16,16] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/dot_general" source_file="model.py" source_line=7}
  a = f32[16,16] add(y, x)
  b = f32[16,16] tanh(a), metadata={op_name="jit(f)/tanh" stack_frame_id=1}
  ROOT c = f32[2,1] slice(b), slice={[0:2],[0:1]}
}
"""


class ProfileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "m.hlo")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)

    def run_tool(self, *arguments):
        return subprocess.run([HLO_RUN, self.path, *arguments], capture_output=True, text=True,
                              check=True, cwd=self.folder.name).stdout

    def tables(self, *arguments):
        """{title: {name: (count, flops, bytes)}}"""
        tables, table = {}, None
        for line in self.run_tool("--profile", *arguments).splitlines():
            if header := re.match(r" +seconds +% +count +flops +bytes +limit +(.*)", line):
                table = tables[header[1]] = {}
            elif row := re.match(r" +[\d.]+ +[\d.]+ +(\d+) +(\S+) +(\S+) +\d+%  (.*)", line):
                table[row[4]] = (int(row[1]), row[2], row[3])
        return tables

    def test_reference(self):
        tables = self.tables("--backend=reference", "--repeat=2")
        self.assertEqual(tables["opcode"], {
            "dot": (2, "16.4k", "6.14k"), "add": (2, "512", "6.14k"), "tanh": (2, "7.68k", "4.10k"),
            "slice": (2, "0", "32")})
        self.assertEqual(tables["source line"], {
            "model.py:7": (2, "16.4k", "6.14k"), "model.py:8": (2, "7.68k", "4.10k"),
            "(no metadata)": (4, "512", "6.18k")})
        self.assertEqual(set(tables["instruction"]), {
            "y (dot)  jit(f)/dot_general  model.py:7", "a (add)", "b (tanh)  jit(f)/tanh  model.py:8",
            "c (slice)"})

    def test_blocks(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.replace("dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                                       "reverse(x), dimensions={0}"))
        tables = self.tables("--backend=simd")
        self.assertEqual(tables["opcode"]["block"], (1, "4.10k", "3.07k"))
        self.assertIn("b (block of 2)  jit(f)/tanh  model.py:8", tables["instruction"])

    def test_a_block_behind_a_product(self):
        tables = self.tables("--backend=simd")
        # The dot's 2 * 16^3 and the block's 16^2 * (1 + 15); four arrays of 1 KiB.
        self.assertEqual(tables["opcode"]["dot"], (1, "12.3k", "4.10k"))
        self.assertIn("b (block of 3)  jit(f)/tanh  model.py:8", tables["instruction"])

    def test_the_machine_is_measured(self):
        first = self.run_tool("--profile").splitlines()[0]
        flops, moved = re.fullmatch(r"machine: (\S+)G flops and (\S+)G bytes a second", first).groups()
        self.assertGreater(float(flops), 0.1)
        self.assertGreater(float(moved), 0.1)

    def test_estimate_of_several_programs(self):
        out = subprocess.run([HLO_RUN, self.path, self.path, "--estimate=json"], capture_output=True,
                             text=True, check=True).stdout.splitlines()
        self.assertEqual(len(out), 2)
        for line in out:
            value = json.loads(line)
            self.assertEqual(value["file"], self.path)
            self.assertEqual(value["estimate"]["flops"], 2 * 16**3 + 16 * 256)
        text = subprocess.run([HLO_RUN, self.path, self.path, "--estimate"], capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(text.count(self.path + ":\n"), 2)

    def test_an_estimate_needs_neither_values_nor_memory(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("ENTRY e {\n  c = f32[100000,1000000] constant({...})\n"
                       "  ROOT y = f32[100000,1000000] negate(c)\n}\n")
        value = json.loads(self.run_tool("--estimate=json"))
        self.assertEqual(value["flops"], 1e11)
        self.assertEqual(value["bytes"], 8e11)
        self.assertGreater(value["memory"]["total"], 8e11)

    def test_estimates_count_a_participant(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
                       " ROOT c = f32[] add(a, b)\n}\nENTRY e {\n  x = f32[100] parameter(0)\n"
                       "  ROOT y = f32[100] all-reduce(x), replica_groups={}, to_apply=add\n}\n")
        one = json.loads(self.run_tool("--estimate=json", "--replicas=2"))
        two = json.loads(self.run_tool("--estimate=json", "--replicas=4"))
        self.assertEqual((one["flops"], one["bytes"]), (100, 800))
        self.assertEqual((two["flops"], two["bytes"]), (100, 800))
        self.assertEqual(2 * one["memory"]["intermediate"], two["memory"]["intermediate"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""What users do with hlo-run that goldens cannot show: numpy's files, signals, libraries, documents.

usage: hlo_run_test.py HLO_RUN SOURCE_DIR
"""
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile

try:
    import numpy as np
except ImportError:
    sys.exit(77)

from tool_test_case import ToolTestCase

HLO_RUN, SOURCE_DIR = sys.argv[1:3]
del sys.argv[1:3]
# Sanitizers take memory of their own, many times what the program does.
counts_memory = unittest.skipIf(b"__asan_init" in pathlib.Path(HLO_RUN).read_bytes(),
                                "memory is not the program's own")

PAIR = """HloModule pair
ENTRY main {
  x = f32[2,2] parameter(0)
  y = s32[3] parameter(1)
  ROOT t = (f32[2,2], s32[3]) tuple(x, y)
}
"""


def wait_until_it_handles(process, number):
    """On a busy machine a tool takes its time until it has installed what handles a signal."""
    for _ in range(600):
        with open(f"/proc/{process.pid}/status") as status:
            caught = next(line for line in status if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.1)


class HloRunTest(ToolTestCase):
    def run_tool(self, *arguments, exit_code=0):
        done = subprocess.run([HLO_RUN, *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def identity(self, hlo_type, shape=(3,)):
        sizes = ",".join(map(str, shape))
        return self.write("id.hlo", f"HloModule id\nENTRY main {{\n"
                                    f"  ROOT x = {hlo_type}[{sizes}] parameter(0)\n}}\n")

    # --- numpy's files

    def test_every_numpy_type_comes_back_with_the_same_bits(self):
        types = {"pred": np.bool_, "s8": np.int8, "s16": np.int16, "s32": np.int32,
                 "s64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
                 "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
                 "c64": np.complex64, "c128": np.complex128}
        random = np.random.default_rng(3)
        for name, dtype in types.items():
            raw = random.integers(0, 256, 6 * np.dtype(dtype).itemsize, dtype=np.uint8)
            array = (raw % 2).view(dtype) if name == "pred" else raw.view(dtype)
            array = array.reshape(2, 3)
            for variant in (array, np.asfortranarray(array),
                            array.astype(array.dtype.newbyteorder(">"))):
                np.save(self.path("x.npy"), variant)
                self.run_tool(self.identity(name, (2, 3)), "--input=@x.npy", "--output=@out.npy")
                result = np.load(self.path("out.npy"))
                self.assertEqual(result.dtype, array.dtype)
                self.assertEqual(result.tobytes(), array.tobytes(), name)

    def test_types_without_numpy_counterpart_travel_as_raw_bytes(self):
        for name, raw in (("bf16", np.array([0x3f80, 0x7fc1, 0x8000], np.uint16)),
                          ("f8e4m3fn", np.array([0x38, 0x7f, 0x80], np.uint8))):
            np.save(self.path("x.npy"), raw.view(f"V{raw.itemsize}"))
            self.run_tool(self.identity(name), "--input=@x.npy", "--output=@out.npy")
            result = np.load(self.path("out.npy"))
            self.assertEqual(result.dtype, np.dtype(f"V{raw.itemsize}"))
            self.assertEqual(result.tobytes(), raw.tobytes())
            self.run_tool(self.identity(name), "--input=@out.npy", "--expect=@x.npy")

    def test_results_are_members_by_their_place(self):
        self.write("pair.hlo", PAIR)
        x, y = np.ones((2, 2), np.float32), np.arange(3, dtype=np.int32)
        np.savez_compressed(self.path("in.npz"), x=x, y=y)
        self.run_tool("pair.hlo", "--inputs=@in.npz", "--output=@out.npz", "--output=@folder")
        with np.load(self.path("out.npz")) as members:
            self.assertEqual(sorted(members.files), ["0", "1"])
            np.testing.assert_array_equal(members["0"], x)
        np.testing.assert_array_equal(np.load(self.path("folder/1.npy")), y)
        self.assertFalse([name for name in os.listdir(self.folder) if "tmp" in name])

    def test_inputs_that_do_not_fit_name_the_parameter_and_both_shapes(self):
        self.write("pair.hlo", PAIR)
        np.save(self.path("x.npy"), np.zeros((2, 2)))
        done = self.run_tool("pair.hlo", "--input=@x.npy", "--cast=none", exit_code=1)
        self.assertIn("parameter 0 (`x`): expected `f32[2,2]`, got `f64[2,2]`", done.stderr)
        np.save(self.path("x.npy"), np.zeros((2, 3), np.float32))
        done = self.run_tool("pair.hlo", "--input=@x.npy", exit_code=1)
        self.assertIn("expected `f32[2,2]`, got `f32[2,3]`", done.stderr)
        np.save(self.path("x.npy"), np.array(["a"]))
        done = self.run_tool("pair.hlo", "--input=@x.npy", exit_code=1)
        self.assertIn("numpy type `<U1`", done.stderr)

    def test_damaged_and_missing_files(self):
        self.write("pair.hlo", PAIR)
        np.save(self.path("x.npy"), np.zeros((2, 2), np.float32))
        np.savez(self.path("in.npz"), x=np.zeros((2, 2), np.float32))
        for name in ("x.npy", "in.npz"):
            with open(self.path(name), "rb") as file:
                whole = file.read()
            for size in (0, 5, len(whole) // 2, len(whole) - 1):
                with open(self.path("cut-" + name), "wb") as file:
                    file.write(whole[:size])
                option = "--input=@cut-x.npy" if name == "x.npy" else "--inputs=@cut-in.npz"
                done = subprocess.run([HLO_RUN, "pair.hlo", option], cwd=self.folder,
                                      capture_output=True, text=True)
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertIn("cut-", done.stderr)
        for option in ("--input=@no.npy", "--input=no.npy", "--input=x=no.npz"):
            done = self.run_tool("pair.hlo", option, exit_code=2)
            self.assertRegex(done.stderr, "no.np[yz].*No such file")

    def test_archives_have_all_parameters_and_nothing_else(self):
        self.write("pair.hlo", PAIR)
        x, y = np.zeros((2, 2), np.float32), np.arange(3, dtype=np.int32)
        np.savez(self.path("in.npz"), x=x)
        done = self.run_tool("pair.hlo", "--inputs=@in.npz", exit_code=1)
        self.assertIn("in.npz has no member `y`", done.stderr)
        self.run_tool("pair.hlo", "--inputs=@in.npz", "--fake=ones")
        self.run_tool("pair.hlo", "--inputs=@in.npz", "--input=y=zeros")
        np.savez(self.path("in.npz"), x=x, y=y, z=x)
        done = self.run_tool("pair.hlo", "--inputs=@in.npz")
        self.assertIn("no parameter takes the member `z`", done.stderr)
        np.savez(self.path("in.npz"), x, y)  # arr_0, arr_1
        self.run_tool("pair.hlo", "--inputs=@in.npz")

    def test_upcast_makes_numpy_types(self):
        self.write("narrow.hlo", """HloModule narrow
ENTRY main {
  a = bf16[3] constant({1.5, nan, -inf})
  b = f8e4m3fn[2] constant({448, 0.001953125})
  c = f16[1] constant({0.5})
  d = s4[2] constant({-8, 7})
  t = (f8e4m3fn[2], f16[1]) tuple(b, c)
  ROOT r = (bf16[3], (f8e4m3fn[2], f16[1]), s4[2]) tuple(a, t, d)
}
""")
        self.run_tool("narrow.hlo", "--output=@out.npz", "--upcast=f32")
        with np.load(self.path("out.npz")) as members:
            self.assertEqual({name: members[name].dtype.str for name in members.files},
                             {"0": "<f4", "1.0": "<f4", "1.1": "<f2", "2": "|i1"})
            np.testing.assert_array_equal(members["0"], np.array([1.5, np.nan, -np.inf], "f4"))
            np.testing.assert_array_equal(members["1.0"], np.array([448, 0.001953125], "f4"))

    def test_json_holds_the_result(self):
        self.write("pair.hlo", PAIR)
        x = np.random.default_rng(1).standard_normal((2, 2)).astype(np.float32)
        x[0, 0] = np.nan
        np.save(self.path("x.npy"), x)
        done = self.run_tool("pair.hlo", "--input=@x.npy", "--input={1,-2,3}", "--output=json")
        first, second = json.loads(done.stdout)
        read = np.array(first["values"], first["type"].replace("f32", "f4")).reshape(first["dims"])
        np.testing.assert_array_equal(read, x)
        self.assertEqual(second, {"type": "s32", "dims": [3], "values": [1, -2, 3]})

    def test_arrays_are_known_by_what_files_hold(self):
        hlo = self.identity("f32")
        np.save(self.path("x.npy"), np.arange(3, dtype=np.float32))
        shutil.copy(self.path("x.npy"), self.path("array"))
        shutil.copy(self.path("x.npy"), self.path("array.npz"))
        for name in ("array", "array.npz"):
            self.run_tool(hlo, f"--input=@{name}", f"--expect=@{name}")
        np.savez(self.path("archive.npz"), x=np.arange(3, dtype=np.float32))
        os.rename(self.path("archive.npz"), self.path("archive"))
        self.run_tool(hlo, "--input=@archive", "--inputs=@archive", "--expect=@x.npy")
        with open(self.path("x.npy"), "rb") as file:
            done = subprocess.run([HLO_RUN, hlo, "--input=@-", "--expect=@x.npy"], stdin=file,
                                  capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.save(self.path("x.npy"), np.array([None, 1], object))
        done = self.run_tool(hlo, "--input=@x.npy", exit_code=1)
        self.assertIn("a pickled object array (numpy type `|O`) is not read", done.stderr)

    def test_unwritable_outputs(self):
        self.write("pair.hlo", PAIR)
        done = self.run_tool("pair.hlo", "--dump=.*:/no/such/folder", exit_code=2)
        self.assertIn("the directory `/no/such/folder`", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.run_tool("pair.hlo", "--dump=.*:pair.hlo", exit_code=2)
        self.assertIn("the directory `pair.hlo`: Not a directory", done.stderr)
        done = self.run_tool("pair.hlo", "--output=@/no/such/folder/out.npz", exit_code=2)
        self.assertIn("cannot write `/no/such/folder/out.npz`", done.stderr)
        done = self.run_tool("pair.hlo", "--output=@out.npy", exit_code=2)
        self.assertIn("can hold one array", done.stderr)

    def test_expectations(self):
        hlo = self.identity("f32", (4,))
        x = np.array([1, 2, np.nan, np.inf], np.float32)
        np.save(self.path("x.npy"), x)
        done = self.run_tool(hlo, "--input=@x.npy", "--expect=@x.npy")
        self.assertIn("matches x.npy", done.stderr)
        np.save(self.path("other.npy"), np.array([1, 2.5, np.nan, np.inf], np.float32))
        done = self.run_tool(hlo, "--input=@x.npy", "--expect=@other.npy", exit_code=1)
        self.assertIn("1 of 4 elements differ", done.stdout)
        self.assertIn("worst at [1]: 2, expected 2.5 (2097152 ulp, error 0.5)", done.stdout)
        self.run_tool(hlo, "--input=@x.npy", "--expect=@other.npy", "--atol=0.5")
        self.run_tool(hlo, "--input=@x.npy", "--expect=@other.npy", "--ulp=2097152")
        np.save(self.path("other.npy"), x[:3])
        done = self.run_tool(hlo, "--input=@x.npy", "--expect=@other.npy", exit_code=1)
        self.assertIn("the result is `f32[4]`, expected is `f32[3]`", done.stdout)

    def test_dynamic_values_come_back_with_their_sizes(self):
        hlo = self.write("dyn.hlo", """HloModule dyn
ENTRY main {
  x = f32[2,<=4] parameter(0)
  y = s32[<=3] parameter(1)
  ROOT t = (f32[2,<=4], s32[<=3]) tuple(x, y)
}
""")
        given = self.run_tool(hlo, "--input={{1,2,3},{4,5,6}}", "--input={}", "--output=@dyn.npz")
        arrays = np.load(self.path("dyn.npz"))
        self.assertEqual((arrays["0"].shape, arrays["1"].shape), ((2, 3), (0,)))
        read = self.run_tool(hlo, "--inputs=@dyn.npz", "--expect=@dyn.npz")
        self.assertEqual(read.stdout, given.stdout)
        np.save(self.path("x.npy"), np.zeros((2, 1), np.float32))
        self.run_tool(hlo, "--input=@x.npy", "--input=y=@dyn.npz")
        self.write("literals.txt", "f32[2,<=4]{1,0} {{1,2,3},\n {4,5,6}}\ns32[<=3] {}\n")
        read = self.run_tool(hlo, "--input_literals_file=literals.txt")
        self.assertEqual(read.stdout, given.stdout)
        pair = self.write("pair.hlo", """HloModule pair
ENTRY main {
  ROOT p = (f32[2,<=4], s32[<=3]) parameter(0)
}
""")
        for text in (given.stdout, "(f32[2,<=4] {{1,2,3},{4,5,6}}, s32[<=3] {})",
                     "(f32[2,<=4], s32[<=3]) ({{1,2,3},{4,5,6}}, {})"):
            self.write("literals.txt", text)
            read = self.run_tool(pair, "--input_literals_file=literals.txt")
            self.assertEqual(read.stdout, given.stdout)
        for bad in ("f32[<=4] {1", "(((f32[<=1] {})", "(f32[<=", "f32[<=2]{0", "<=", "f32]<=[{{",
                    "f32[<=4](3) {1}", "f32[<=4](5) {1,2,3,4,5}", "f32[<=4](,", "f32[<=4](-1) {}"):
            self.write("literals.txt", bad)
            self.run_tool(pair, "--input_literals_file=literals.txt", exit_code=1)

    def test_generated_floats_are_finite(self):
        for name in ("bf16", "f16", "f8e5m2", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e3m4",
                     "f8e5m2fnuz", "f8e4m3fnuz", "f8e8m0fnu", "f4e2m1fn"):
            for kind in ("random", "normal", "zeros", "ones", "iota"):
                done = self.run_tool(self.identity(name, (1000,)), f"--fake={kind}")
                self.assertNotRegex(done.stdout, "nan|inf", f"{name} {kind}")

    def test_stdin_is_read_once(self):
        hlo = self.identity("f32")
        for options in (["--input=@-"], [hlo, "--input=@-", "--expect=@-"],
                        [hlo, "-", "--inputs=@-"]):
            done = self.run_tool(*options, exit_code=2)
            self.assertIn("only one of the program and the values", done.stderr)

    def test_expectations_of_other_arrays(self):
        hlo = self.identity("f32")
        x = np.zeros(3, np.float32)
        np.savez(self.path("two.npz"), x, x)
        done = self.run_tool(hlo, "--fake=zeros", "--expect=@two.npz", exit_code=1)
        self.assertIn("two.npz: there is nothing called `arr_1` in `f32[3]`", done.stdout)
        empty = self.write("empty.hlo", "HloModule empty\nENTRY main {\n  ROOT r = () tuple()\n}\n")
        done = self.run_tool(empty, "--expect=@two.npz", exit_code=1)
        self.assertIn("there is nothing called `arr_0`, `arr_1` in `()`", done.stdout)
        self.write("pair.hlo", PAIR)
        np.savez(self.path("one.npz"), np.zeros((2, 2), np.float32))
        done = self.run_tool("pair.hlo", "--fake=zeros", "--expect=@one.npz", exit_code=1)
        self.assertIn("one.npz: there is no member `1`", done.stdout)

    def test_literals_are_there_for_all_parameters(self):
        self.write("pair.hlo", PAIR)
        self.write("one.txt", "f32[2,2] {{1, 2}, {3, 4}}\n")
        done = self.run_tool("pair.hlo", "--input_literals_file=one.txt", exit_code=1)
        self.assertIn("parameter 1 (`y`): one.txt has no literal for it", done.stderr)
        self.run_tool("pair.hlo", "--input_literals_file=one.txt", "--input=y=ones")
        self.run_tool("pair.hlo", "--input_literals_file=one.txt", "--fake=ones")
        self.write("three.txt", "f32[2,2] {{1, 2}, {3, 4}}\ns32[3] {1, 2, 3}\ns32[] 1\n")
        done = self.run_tool("pair.hlo", "--input_literals_file=three.txt", exit_code=1)
        self.assertIn("three.txt holds more literals than the program's 2 parameters", done.stderr)

    # --- numpy's habits

    def test_wider_arrays_are_taken_where_no_value_changes(self):
        program = self.identity("f32")
        np.save(self.path("x.npy"), np.array([1, 0.5, -3]))
        done = self.run_tool(program, "--input=x.npy")  # no @: it is a file
        self.assertEqual(done.stdout, "f32[3] {1, 0.5, -3}\n")
        self.assertEqual(done.stderr, "hlo-run: input `x`: f64 taken as f32\n")
        np.save(self.path("x.npy"), np.array([1, 0.1, -3]))
        done = self.run_tool(program, "--input=@x.npy", exit_code=1)
        self.assertIn("0.1 would become 0.10000000149011612; convert it with "
                      "`.astype(np.float32)`, or --cast=any", done.stderr)
        done = self.run_tool(program, "--input=@x.npy", "--cast=any")
        self.assertEqual(done.stdout, "f32[3] {1, 0.1, -3}\n")
        np.save(self.path("x.npy"), np.array([1, 2, 3]))  # int64
        self.assertEqual(self.run_tool(self.identity("s32"), "--input=@x.npy").stdout,
                         "s32[3] {1, 2, 3}\n")
        np.save(self.path("x.npy"), np.array([1, 2.5, 3], np.float32))
        self.assertEqual(self.run_tool(self.identity("bf16"), "--input=@x.npy").stdout,
                         "bf16[3] {1, 2.5, 3}\n")

    def test_conversions_are_exact_at_the_ends_of_types(self):
        for value, dtype, hlo_type, is_exact in [
                (2**63 - 1, np.int64, "f32", False), (-2**63, np.int64, "f32", True),
                (2**64 - 1, np.uint64, "f64", False), (2**53, np.int64, "f64", True),
                (2**53 + 1, np.int64, "f64", False), (2.0**63, np.float64, "s64", False),
                (-0.5, np.float64, "s8", False), (255, np.uint8, "s8", False),
                (np.nan, np.float64, "f32", True), (np.nan, np.float64, "s32", False),
                (np.inf, np.float64, "bf16", True), (1e300, np.float64, "f32", False),
                (1 + 0j, np.complex128, "f32", True), (1j, np.complex128, "f32", False),
                (2, np.int64, "pred", False), (1, np.int64, "pred", True)]:
            np.save(self.path("x.npy"), np.array([value], dtype))
            with self.subTest(value=value, to=hlo_type):
                self.run_tool(self.identity(hlo_type, (1,)), "--input=@x.npy",
                              exit_code=0 if is_exact else 1)

    def test_expected_values_may_be_wider(self):
        np.savez(self.path("x.npz"), x=np.array([1, 2, 0.5]))
        program = self.identity("f32")
        done = self.run_tool(program, "--inputs=x.npz", "--expect=@x.npz")
        self.assertIn("matches x.npz", done.stderr)

    def test_what_was_written_is_read(self):
        program = self.write("pair.hlo", PAIR)
        first = self.run_tool(program, "--output=@out/", "--output=@out.npz").stdout
        for place in ("out", "out.npz"):
            done = self.run_tool(program, f"--inputs=@{place}", f"--expect=@{place}")
            self.assertEqual(done.stdout, first)
        bf16 = self.identity("bf16")
        first = self.run_tool(bf16, "--output=@up.NPY", "--upcast=f32").stdout
        done = self.run_tool(bf16, "--input=@up.NPY", "--expect=@up.NPY")
        self.assertEqual(done.stdout, first)

    def test_results_as_json_and_csv(self):
        program = self.identity("f32", (2, 3))
        value = "--input={{1,2,0.1},{nan,-inf,6}}"
        self.run_tool(program, value, "--output=@out.csv", "--output=@out.JSON")
        np.testing.assert_array_equal(
            np.loadtxt(self.path("out.csv"), delimiter=",").astype(np.float32),
            np.array([[1, 2, 0.1], [np.nan, -np.inf, 6]], np.float32))
        with open(self.path("out.JSON"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["dims"], [2, 3])

    def test_a_folder_without_arrays_is_no_input(self):
        os.mkdir(self.path("empty"))
        done = self.run_tool(self.identity("f32"), "--inputs=@empty", exit_code=2)
        self.assertIn("empty: there are no .npy files in it", done.stderr)

    # --- looking inside

    def test_repro_of_the_first_nan_runs_again(self):
        for size, has_archive in ((4, False), (5000, True)):
            hlo = self.write("nan.hlo", f"""HloModule roots
ENTRY main {{
  x = f32[{size}] parameter(0)
  y = f32[{size}] negate(x)
  z = f32[{size}] sqrt(y)
  ROOT r = f32[{size}] add(z, z)
}}
""")
            np.save(self.path("x.npy"), np.linspace(0, 1, size, dtype=np.float32))
            done = self.run_tool(hlo, "--input=@x.npy", "--first-nan", "--repro-out=case.hlo",
                                 exit_code=1)
            self.assertIn(f"`z` makes NaN at [1] ({size - 1} of {size} elements)", done.stderr)
            self.assertEqual(os.path.exists(self.path("case.hlo.npz")), has_archive)
            options = ["--inputs=@case.hlo.npz"] if has_archive else []
            done = self.run_tool("case.hlo", *options, "--first-nan", exit_code=1)
            self.assertIn(f"makes NaN at [1] ({size - 1} of {size} elements)", done.stderr)

    def test_repros_bring_sizes_tokens_and_items(self):
        bounded = """HloModule bounded
ENTRY main {{
  x = f32[{0}] parameter(0)
  n = s32[] parameter(1)
  d = f32[<={0}] set-dimension-size(x, n), dimensions={{0}}
  ROOT r = f32[<={0}] log(d)
}}
"""
        large = bounded.format(5000)
        small = bounded.format(4)
        matrix = """HloModule matrix
ENTRY main {
  x = f32[2,2] constant({{1, 2}, {-1, 4}})
  n = s32[] parameter(0)
  d = f32[2,<=2] set-dimension-size(x, n), dimensions={1}
  ROOT r = f32[2,<=2] log(d)
}
"""
        infeed = """HloModule infeed
ENTRY main {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  ROOT d = f32[2] get-tuple-element(i), index=0
}
"""
        pair = infeed.replace("(f32[2], token[])", "((f32[2], s32[]), token[])").replace(
            "d = f32[2]", "d = (f32[2], s32[])")
        np.savez(self.path("pair.npz"), np.array([np.nan, 2], np.float32), np.int32(3))
        for text, inputs, archive_option, shown in (
                (small, ["--input={-1,-1,1,-1}", "--input=3"], None, "at [0] (2 of 3 elements)"),
                (large, ["--input=5000xf32=-1", "--input=4900"], "--inputs",
                 "at [0] (4900 of 4900 elements)"),
                (matrix, ["--input=1"], None, "at [1,0] (1 of 2 elements)"),
                (infeed, ["--infeed={nan,2}"], "--infeed", "at [0] (1 of 2 elements)"),
                (pair, ["--infeed=@pair.npz"], "--infeed", "at [0] (1 of 2 elements)")):
            hlo = self.write("program.hlo", text)
            done = self.run_tool(hlo, *inputs, "--first-nan", "--repro-out=case.hlo", exit_code=1)
            self.assertIn(f"makes NaN {shown}", done.stderr)
            options = [f"{archive_option}=@case.hlo.npz"] if archive_option else []
            with open(self.path("case.hlo"), encoding="utf-8") as file:
                first_line = file.readline()
            self.assertEqual(first_line, f"// Run with {options[0]}\n" if options
                             else "HloModule repro\n")
            done = self.run_tool("case.hlo", *options, "--first-nan", exit_code=1)
            self.assertIn(f"makes NaN {shown}", done.stderr)

    def test_repro_of_what_needs_a_partner_is_its_value(self):
        hlo = self.write("recv.hlo", """HloModule recv
ENTRY main {
  t = token[] after-all()
  r = (f32[2], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true
  d = (f32[2], token[]) recv-done(r), channel_id=1, is_host_transfer=true
  ROOT x = f32[2] get-tuple-element(d), index=0
}
""")
        done = self.run_tool(hlo, "--from-host=1={nan,2}", "--first-nan", "--repro-out=case.hlo",
                             exit_code=1)
        self.assertIn("`d` makes NaN at [0] (1 of 2 elements)", done.stderr)
        done = self.run_tool("case.hlo", "--first-nan", exit_code=1)
        self.assertIn("the result has NaN at [0] (1 of 2 elements)", done.stderr)

    def test_repros_of_a_nan_from_outside(self):
        hlo = self.write("input.hlo", """HloModule input
ENTRY main {
  x = f32[2] parameter(0)
  y = f32[2] reverse(x), dimensions={0}
  ROOT r = f32[2] negate(y)
}
""")
        done = self.run_tool(hlo, "--input={nan,2}", "--first-nan", "--repro-out=case.hlo",
                             exit_code=1)
        self.assertIn("`r` takes NaN at [1] (1 of 2 elements) from parameter `x`", done.stderr)
        done = self.run_tool("case.hlo", "--first-nan", exit_code=1)
        self.assertIn("`r` takes NaN at [1] (1 of 2 elements) from constant `y`", done.stderr)
        done = self.run_tool(hlo, "--input={1,2}", "--first-nan", "--repro-out=none.hlo")
        self.assertIn("no instruction made or took a NaN", done.stderr)
        self.assertFalse(os.path.exists(self.path("none.hlo")))

    def test_dumps_have_files_of_their_own(self):
        hlo = self.write("loops.hlo", """HloModule loops
inner_condition {
  s = (s32[], s32[]) parameter(0)
  j = s32[] get-tuple-element(s), index=1
  n = s32[] constant(2)
  ROOT r = pred[] compare(j, n), direction=LT
}
inner_body {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  j = s32[] get-tuple-element(s), index=1
  o = s32[] constant(1)
  add.2 = s32[] add(j, o)
  sum = s32[] multiply(i, add.2)
  ROOT r = (s32[], s32[]) tuple(i, add.2)
}
condition {
  i = s32[] parameter(0)
  n = s32[] constant(2)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  i = s32[] parameter(0)
  z = s32[] constant(0)
  t = (s32[], s32[]) tuple(i, z)
  w = (s32[], s32[]) while(t), condition=inner_condition, body=inner_body
  j = s32[] get-tuple-element(w), index=1
  o = s32[] constant(1)
  ADD = s32[] subtract(j, o)
  ROOT add = s32[] add(i, ADD)
}
twice {
  x = s32[] parameter(0)
  ROOT double = s32[] add(x, x)
}
ENTRY main {
  z = s32[] constant(0)
  w = s32[] while(z), condition=condition, body=body
  a = s32[] call(w), to_apply=twice
  ROOT b = s32[] call(a), to_apply=twice
}
""")
        self.run_tool(hlo, "--dump=(?i)add|double:values")
        values = {name: int(np.load(os.path.join(self.path("values"), name)))
                  for name in os.listdir(self.path("values"))}
        self.assertEqual(values, {
            "add.2+0+0.npy": 1, "add.2+0+1.npy": 2, "add.2+1+0.npy": 1, "add.2+1+1.npy": 2,
            "%41%44%44@body+0.npy": 1, "%41%44%44@body+1.npy": 1,
            "add@body+0.npy": 1, "add@body+1.npy": 2,
            "double.npy": 4, "double~2.npy": 8})

    def test_dumps_and_profiles(self):
        hlo = os.path.join(SOURCE_DIR, "testdata/run/while_sums_to_ten.hlo")
        self.run_tool(hlo, "--dump=.*:values", "--profile-out=trace.json")
        dumped = os.listdir(self.path("values"))
        self.assertTrue(dumped)
        for name in dumped:
            np.load(os.path.join(self.path("values"), name))
        with open(self.path("trace.json"), encoding="utf-8") as file:
            trace = json.load(file)
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        self.assertTrue(any(event.get("ph") == "X" for event in events))
        self.assertIn("opcode", self.run_tool(hlo, "--profile").stdout)

    def test_participants_have_rows_in_one_trace_and_collectives_their_bytes(self):
        hlo = os.path.join(SOURCE_DIR, "testdata/run/all_to_all_operands.hlo")
        out = self.run_tool(hlo, "--trace-out=trace.json", "--profile").stdout
        with open(self.path("trace.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        rows = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        self.assertEqual(rows, {1: "partition 0", 2: "partition 1"})
        steps = [[event["name"] for event in events if event["ph"] == "X" and event["tid"] == row]
                 for row in rows]
        self.assertIn("z", steps[0])
        self.assertEqual(steps[0], steps[1])
        # Two numbers of four bytes from each.
        self.assertRegex(out, r"count +bytes given +by +collective\n"
                              r" +1 +8  each +z \(all-to-all\)\n")
        self.run_tool(hlo, "--trace-out=trace.{device}.json")
        for device in range(2):
            with open(self.path(f"trace.{device}.json"), encoding="utf-8") as file:
                self.assertEqual({event["tid"] for event in json.load(file)["traceEvents"]
                                  if event["ph"] == "X"}, {1})

    # --- limits

    # Programs whose kernels need much besides their arrays.
    SCRATCH = {
        "dot": ("s8[1,8000000] parameter(0)\n y = s8[8000000,1] parameter(1)",
                "s32[1,1] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
        "turned dot": ("bf16[12000000,2] parameter(0)\n y = bf16[12000000,2] parameter(1)",
                       "bf16[2,2] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
        "convolution": ("s8[1,5000000,1] parameter(0)\n y = s8[1,1,1] parameter(1)",
                        "s32[1,5000000,1] convolution(x, y), window={size=1}, "
                        "dim_labels=b0f_0io->b0f"),
        "fft of a power of two": ("c64[1048576] parameter(0)",
                                  "c64[1048576] fft(x), fft_type=FFT, fft_length={1048576}"),
        "fft of a prime": ("c64[300007] parameter(0)",
                           "c64[300007] fft(x), fft_type=FFT, fft_length={300007}"),
        "sort": ("f32[1500000] parameter(0)", "f32[1500000] sort(x), dimensions={0}, to_apply=lt"),
        "topk": ("f32[16000000] parameter(0)", "(f32[4], s32[4]) topk(x), k=4, largest=true"),
        "cholesky": ("f32[2000,2000] parameter(0)", "f32[2000,2000] cholesky(x), lower=true"),
        "reduce": ("bf16[10000000] parameter(0)\n y = bf16[] parameter(1)",
                   "bf16[] reduce(x, y), dimensions={0}, to_apply=add"),
        "scatter": ("bf16[5000000] parameter(0)\n i = s32[1000000,1] parameter(1)\n"
                    " u = bf16[1000000] parameter(2)",
                    "bf16[5000000] scatter(x, i, u), update_window_dims={}, "
                    "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                    "index_vector_dim=1, to_apply=add"),
        "negate": ("f32[10000000] parameter(0)", "f32[10000000] negate(x)"),
    }

    def scratch_program(self, name):
        parameters, root = self.SCRATCH[name]
        return self.write("scratch.hlo", f"""HloModule scratch
lt {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}}
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY main {{
 x = {parameters}
 ROOT r = {root}
}}
""")

    def peak_byte_size(self, hlo):
        # Zeros that nobody writes to take no memory.
        pid = os.posix_spawn(HLO_RUN, [HLO_RUN, hlo, "--fake=ones", "--max-print=1"], os.environ,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        self.assertEqual(status, 0)
        return usage.ru_maxrss * 1024

    @counts_memory
    def test_memory_is_known_before_the_run(self):
        units = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
        for name in self.SCRATCH:
            hlo = self.scratch_program(name)
            done = self.run_tool(hlo, "--max-memory=1", exit_code=1)
            number, unit = re.search(r"the run takes ([\d.]+) (\w+)", done.stderr).groups()
            predicted = float(number) * units[unit]
            # The process itself takes some 10 MB. What it reports is at least the size of this one.
            taken = self.peak_byte_size(hlo) - (10 << 20)
            self.assertLess(taken, 1.1 * predicted + (8 << 20), name)
            self.assertLess(predicted, 1.2 * taken + (8 << 20), name)

    @counts_memory
    def test_files_are_read_as_far_as_they_are_needed(self):
        def run(*arguments, exit_code=1):
            limit = 1 << 29
            return subprocess.run(
                [HLO_RUN, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=20,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

        with zipfile.ZipFile(self.path("long.npz"), "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("x.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array_header_1_0(
                    member, {"descr": "<f4", "fortran_order": False, "shape": (1 << 28,)})
                for _ in range(1 << 6):
                    member.write(bytes(1 << 24))
        program = self.identity("f32")
        for option in ("--input=@long.npz", "--inputs=@long.npz"):
            done = run(program, option)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("expected `f32[3]`, got `f32[268435456]`", done.stderr)
        for option in ("--input=@/dev/zero", "--inputs=@/dev/zero", "--expect=@/dev/zero"):
            done = run(program, option)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("/dev/zero: not a zip archive", done.stderr)
        done = run(program, "--input_literals_file=/dev/zero")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/dev/zero: longer than", done.stderr)
        with gzip.open(self.path("long.hlo.gz"), "wb") as file:
            for _ in range(64):
                file.write(b" " * (1 << 22))
        done = run("long.hlo.gz", "--max-memory=100MB")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("larger than the limit of 104857600 bytes", done.stderr)

    def test_a_member_that_nobody_takes_may_be_long(self):
        np.savez_compressed(self.path("x.npz"), x=np.ones(3, np.float32),
                            other=np.zeros(1 << 20, np.float32))
        done = self.run_tool(self.identity("f32"), "--inputs=@x.npz")
        self.assertEqual(done.stdout, "f32[3] {1, 1, 1}\n")
        self.assertIn("no parameter takes the member `other`", done.stderr)

    @counts_memory
    def test_lack_of_memory_is_an_error(self):
        hlo = self.scratch_program("dot")
        def limit_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 26, 1 << 26))
        for option, message in (("--max-memory=1TB", "`r`: no memory for what it needs"),
                                ("--quiet", "the run takes 76.3 MiB")):
            done = subprocess.run([HLO_RUN, hlo, option], capture_output=True, text=True,
                                  preexec_fn=limit_memory)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertIn("[run.memory]", done.stderr)

    def test_interrupt_says_where_it_was(self):
        for body, place in (("y = s32[] add(x, x)", r"interrupted before `(y|r)`"),
                            ("y = s32[] copy(x)", r"interrupted before `r`")):
            hlo = self.write("endless.hlo", f"""HloModule endless
condition {{
  x = s32[] parameter(0)
  ROOT always = pred[] constant(true)
}}
body {{
  x = s32[] parameter(0)
  ROOT {body}
}}
ENTRY main {{
  one = s32[] constant(1)
  ROOT r = s32[] while(one), condition=condition, body=body
}}
""")
            with subprocess.Popen([HLO_RUN, hlo], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                wait_until_it_handles(process, signal.SIGINT)
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1, error)
            self.assertRegex(error, place)

    # --- custom calls

    def test_library_of_custom_calls(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.skipTest("no C compiler")
        source = self.write("calls.c", """
void scale_by_two(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = 2 * ((const float*)in[0])[i];
}
void min_and_max(void* out, const void** in) {
  const float* x = in[0];
  float* least = ((void**)out)[0];
  float* most = ((void**)out)[1];
  *least = *most = x[0];
  for (int i = 1; i < 4; ++i) {
    if (x[i] < *least) *least = x[i];
    if (x[i] > *most) *most = x[i];
  }
}
""")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self.path("calls.so"), source],
                       check=True)
        hlo = self.write("calls.hlo", """HloModule calls
ENTRY main {
  x = f32[4] constant({3, -1, 4, 1})
  y = f32[4] custom-call(x), custom_call_target="scale_by_two"
  ROOT r = (f32[], f32[]) custom-call(y), custom_call_target="min_and_max"
}
""")
        for name in ("./calls.so", "calls.so"):
            done = self.run_tool(hlo, f"--custom-call-lib={name}")
            self.assertEqual(done.stdout, "(\nf32[] -2,\nf32[] 8\n)\n")
        done = self.run_tool(hlo, exit_code=1)
        self.assertIn("`scale_by_two`", done.stderr)
        self.assertIn("--custom-call-lib", done.stderr)
        done = self.run_tool(hlo, "--custom-call-lib=./no.so", exit_code=2)
        self.assertIn("No such file", done.stderr)
        done = self.run_tool(hlo, "--custom-call-lib=calls.hlo", exit_code=2)
        self.assertIn("cannot load `calls.hlo`: ", done.stderr)
        self.assertNotIn("No such file", done.stderr)

    # --- documents

    # --- several participants

    SUM = """HloModule sum, replica_count=2
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[2] parameter(0)
  w = f32[2] parameter(1)
  y = f32[2] multiply(x, w)
  ROOT s = f32[2] all-reduce(y), replica_groups={}, to_apply=add
}
"""

    def test_participants_have_files_of_their_own(self):
        self.write("sum.hlo", self.SUM)
        self.write("own.hlo", self.SUM.replace("ROOT s = f32[2] all", "s = f32[2] all").replace(
            "to_apply=add\n}", "to_apply=add\n  ROOT t = f32[2] add(s, x)\n}"))
        for device, values in enumerate(([1, 2], [3, 4])):
            np.save(self.path(f"x.{device}.npy"), np.array(values, np.float32))
        inputs = ["--input=@x.{device}.npy", "--input=w={2, 10}"]
        done = self.run_tool("sum.hlo", *inputs, "--output=@sum.npy", "--output=@sum.{device}.npz")
        self.assertEqual(done.stdout, "f32[2] {8, 60}\n")
        np.testing.assert_array_equal(np.load(self.path("sum.npy")), [8, 60])
        self.assertEqual(np.load(self.path("sum.1.npz")).files, ["0"])
        self.run_tool("own.hlo", *inputs, "--output=@own.{device}.npy")
        np.testing.assert_array_equal(np.load(self.path("own.0.npy")), [9, 62])
        np.testing.assert_array_equal(np.load(self.path("own.1.npy")), [11, 64])
        self.run_tool("own.hlo", *inputs, "--expect=@own.{device}.npy")
        done = self.run_tool("own.hlo", *inputs, "--expect=@own.0.npy", exit_code=1)
        self.assertIn("replica 1: result: 2 of 2 elements differ", done.stdout)
        done = self.run_tool("own.hlo", *inputs, "--output=@own.npy", exit_code=2)
        self.assertIn("{device} is not in its name", done.stderr)

    def test_participants_have_queues_and_dumps_of_their_own(self):
        self.write("feed.hlo", """HloModule feed, num_partitions=2
ENTRY main {
  t = token[] after-all()
  f = ((u32[]), token[]) infeed(t)
  p = (u32[]) get-tuple-element(f), index=0
  x = u32[] get-tuple-element(p), index=0
  id = u32[] partition-id()
  y = u32[] add(x, id)
  tail = token[] get-tuple-element(f), index=1
  o = token[] outfeed(y, tail)
  ROOT r = u32[] add(y, y)
}
""")
        for device in range(2):
            np.savez(self.path(f"in.{device}.npz"), **{"0": np.uint32(10 * device)})
        done = self.run_tool("feed.hlo", "--infeed=@in.{device}.npz", "--outfeed=@out.{device}.npz",
                             "--dump=^y$:values", "--trace=^y$")
        for device in range(2):
            with np.load(self.path(f"out.{device}.npz")) as members:
                self.assertEqual(members["0"], 11 * device)
            self.assertEqual(np.load(self.path(f"values/{device}/y.npy")), 11 * device)
            self.assertIn(f"partition {device}: u32[] {22 * device}", done.stdout)
            self.assertIn(f"partition {device}: y", done.stdout)

    def test_interrupts_reach_participants_that_wait(self):
        path = self.write("wait.hlo", """HloModule wait, replica_count=2
add {
  a = u32[] parameter(0)
  b = u32[] parameter(1)
  ROOT s = u32[] add(a, b)
}
body {
  ROOT s = u32[] parameter(0)
}
condition {
  s = u32[] parameter(0)
  zero = u32[] constant(0)
  ROOT c = pred[] compare(s, zero), direction=EQ
}
ENTRY main {
  r = u32[] replica-id()
  w = u32[] while(r), condition=condition, body=body
  ROOT sum = u32[] all-reduce(w), replica_groups={}, to_apply=add
}
""")
        done = self.run_tool(path, "--time-limit=0.3", exit_code=1)
        self.assertIn("the time limit of 0.3 s was over", done.stderr)

    def test_every_option_is_documented_with_an_example(self):
        with open(os.path.join(SOURCE_DIR, "docs/run.md"), encoding="utf-8") as file:
            text = file.read()
        examples = "\n".join(re.findall(r"```\n(.*?)```", text, re.S))
        help_text = self.run_tool("--help").stdout
        options = set(re.findall(r"(?<![\w-])(--[\w-]+)", help_text[:help_text.index("Examples:")]))
        for option in sorted(options):
            names = {option, option.replace("-", "_").replace("__", "--", 1)}
            self.assertTrue(any(re.search(re.escape(name) + r"(?![\w-])", text) for name in names),
                            f"docs/run.md does not name {option}")
        for line in re.findall(r"^ +(?:-\w,)?(--.*)$", help_text, re.M):
            names = re.findall(r"--[\w-]+", line.split("  ")[0])
            self.assertTrue(any(re.search(re.escape(name) + r"(?![\w-])", examples)
                                for name in names),
                            f"docs/run.md has no example of {names}")


if __name__ == "__main__":
    unittest.main()

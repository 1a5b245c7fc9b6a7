"""The Python package as its users see it.

usage: hlokit_test.py SOURCE_DIR BUILD_DIR
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

SOURCE_DIR, BUILD_DIR = sys.argv[1:3]
del sys.argv[1:3]
sys.path[0] = os.path.join(BUILD_DIR, "python")  # not the sources, which have no extension

import hlokit  # noqa: E402

SCALE = """HloModule scale
ENTRY main {
  x = f32[3] parameter(0)
  s = f32[] parameter(1)
  b = f32[3] broadcast(s), dimensions={}
  ROOT y = f32[3] multiply(x, b)
}
"""
ENDLESS = """HloModule endless
yes {
  c = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
next {
  n = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT m = s32[] add(n, one)
}
ENTRY main {
  zero = s32[] constant(0)
  ROOT w = s32[] while(zero), condition=yes, body=next
}
"""


def identity(hlo_type):
    return hlokit.parse(f"HloModule id\nENTRY main {{\n  ROOT x = {hlo_type} parameter(0)\n}}\n")


class ParseTest(unittest.TestCase):
    def test_a_module_says_what_it_takes_and_gives(self):
        module = hlokit.parse(SCALE)
        self.assertEqual(module.name, "scale")
        self.assertEqual(module.parameters, [("x", "f32[3]"), ("s", "f32[]")])
        self.assertEqual(module.result_shape, "f32[3]")
        self.assertEqual(repr(module), "<hlokit.Module scale>")
        self.assertEqual(hlokit.parse(SCALE.encode()).name, "scale")

    def test_mistakes_have_places(self):
        with self.assertRaises(hlokit.ParseError) as caught:
            hlokit.parse("HloModule m\nENTRY main {\n  ROOT x = f32[] frobnicate()\n}\n", "m.hlo")
        finding = caught.exception.findings[0]
        self.assertEqual((finding.severity, finding.rule, finding.file, finding.line,
                          finding.column), ("error", "inst.opcode-known", "m.hlo", 3, 18))
        self.assertIn("m.hlo:3:18: error: unknown opcode `frobnicate`", str(caught.exception))
        with self.assertRaisesRegex(TypeError, "text is int, expected str or bytes"):
            hlokit.parse(3)

    def test_verify_lists_all_findings(self):
        module = hlokit.parse(SCALE.replace("f32[3] multiply", "f32[4] multiply"))
        findings = module.verify()
        self.assertEqual([finding.rule for finding in findings], ["multiply.result-shape"])
        self.assertEqual(hlokit.parse(SCALE).verify(), [])

    def test_format(self):
        module = hlokit.parse(SCALE)
        text = module.format()
        self.assertEqual(hlokit.parse(text).format(), text)
        self.assertIn("%x = f32[3]{0} parameter(0)", module.format("xla"))
        with self.assertRaisesRegex(ValueError, "style is 'loud', expected one of"):
            module.format("loud")


class RunTest(unittest.TestCase):
    def test_arrays_in_arrays_out(self):
        y = hlokit.parse(SCALE).run(np.array([1, 2, 3], np.float32), 0.1)
        self.assertEqual(y.dtype, np.float32)
        np.testing.assert_array_equal(y, np.array([1, 2, 3], np.float32) * np.float32(0.1))
        y[0] = 7  # the caller's own memory

    def test_every_numpy_type_and_order(self):
        for name, dtype in [("pred", bool), ("s8", np.int8), ("u64", np.uint64),
                            ("f16", np.float16), ("f64", np.float64), ("c64", np.complex64)]:
            array = np.arange(6).reshape(2, 3).astype(dtype)
            for variant in (array, np.asfortranarray(array),
                            array.astype(array.dtype.newbyteorder(">")), array[::1, ::1]):
                result = identity(f"{name}[2,3]").run(variant)
                self.assertEqual(result.dtype, array.dtype)
                np.testing.assert_array_equal(result, array)
        self.assertEqual(identity("f32[]").run(np.float32(3)).shape, ())
        self.assertEqual(identity("f32[0,3]").run(np.zeros((0, 3), np.float32)).shape, (0, 3))

    def test_wider_arrays_where_no_value_changes(self):
        module = identity("f32[2]")
        np.testing.assert_array_equal(module.run(np.array([1.0, 0.5])), [1, 0.5])
        with self.assertRaisesRegex(hlokit.RunError, r"0.1 would become .*astype\(np.float32\)"):
            module.run(np.array([1.0, 0.1]))
        self.assertEqual(module.run(np.array([1.0, 0.1]), cast="any")[1], np.float32(0.1))
        self.assertEqual(module.run([1.0, 0.1])[1], np.float32(0.1))  # a list has no type

    def test_narrow_floats(self):
        raw = np.array([0x3f80, 0x4000], np.uint16).view("V2")
        result = identity("bf16[2]").run(raw)
        self.assertEqual(result.tobytes(), raw.tobytes())
        np.testing.assert_array_equal(
            identity("bf16[2]").run(np.array([1, 2], np.float32)).tobytes(), raw.tobytes())

    def test_tuples(self):
        module = identity("(f32[2], (s32[], f32[1]))")
        a, (b, c) = module.run(([1, 2], (3, [4])))
        self.assertEqual((a.tolist(), int(b), c.tolist()), ([1, 2], 3, [4]))

    def test_what_does_not_fit(self):
        module = hlokit.parse(SCALE)
        for arguments, message in [
                (([1, 2], 1), r"expected `f32\[3\]`, got `f32\[2\]`"),
                (([1, 2, 3],), "the program has 2 parameters, 1 arguments are given"),
                ((["a", "b", "c"], 1), "numpy type `<U1` has no element type here"),
                (((1, 2), 1), "input for parameter 0")]:
            with self.assertRaisesRegex(hlokit.RunError, message):
                module.run(*arguments)
        with self.assertRaisesRegex(ValueError, "backend is 'gpu'"):
            module.run([1, 2, 3], 1, backend="gpu")
        with self.assertRaisesRegex(ValueError, "threads is 0"):
            module.run([1, 2, 3], 1, threads=0)
        with self.assertRaisesRegex(hlokit.RunError, "run.memory"):
            module.run([1, 2, 3], 1, memory_limit=8)
        self.assertEqual(module.run(fake="ones").tolist(), [1, 1, 1])

    def test_seeds(self):
        module = identity("f32[4]")
        same = [module.run(fake="random", seed=seed).tolist() for seed in (1, 1, 2)]
        self.assertEqual(same[0], same[1])
        self.assertNotEqual(same[0], same[2])

    def test_every_backend_gives_the_same(self):
        for backend in hlokit.backends:
            for threads in (None, 1, 3):
                result = hlokit.parse(SCALE).run([1, 2, 3], 2, backend=backend, threads=threads)
                self.assertEqual(result.tolist(), [2, 4, 6])

    def test_constants_that_a_dump_elided_get_values_with_a_warning(self):
        module = hlokit.parse("HloModule m\nENTRY main {\n"
                              "  ROOT c = f32[2,3] constant({...})\n}\n")
        with self.assertWarnsRegex(UserWarning, "1 constant is written `{...}`"):
            self.assertEqual(module.run().shape, (2, 3))

    def test_trace_sees_every_result(self):
        for backend in hlokit.backends:
            seen = {}
            hlokit.parse(SCALE).run([1, 2, 3], 2, backend=backend,
                                    trace=lambda name, array: seen.update({name: array}))
            self.assertEqual({name: array.tolist() for name, array in seen.items()},
                             {"b": [2, 2, 2], "y": [2, 4, 6]})

        def fail(name, array):
            raise KeyError(name)
        with self.assertRaisesRegex(KeyError, "b"):
            hlokit.parse(SCALE).run([1, 2, 3], 2, trace=fail)

    def test_first_nan(self):
        module = hlokit.parse("HloModule m\nENTRY main {\n  x = f32[1] parameter(0)\n"
                              "  l = f32[1] log(x)\n  ROOT n = f32[1] negate(l)\n}\n")
        with self.assertRaises(hlokit.RunError) as caught:
            module.run([-1], first_nan=True)
        finding = caught.exception.findings[0]
        self.assertEqual((finding.rule, finding.line), ("run.first-nan", 4))

    def test_ctrl_c_ends_a_run_and_other_threads_go_on(self):
        counts = []
        main = threading.main_thread().ident

        def interrupt():
            for _ in range(5):
                time.sleep(0.05)
                counts.append(1)
            signal.pthread_kill(main, signal.SIGINT)
        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            hlokit.parse(ENDLESS).run()
        thread.join()
        self.assertEqual(len(counts), 5)


class WheelTest(unittest.TestCase):
    def test_pip_installs_without_a_network(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        python = os.path.join(folder, "bin", "python3")
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], check=True)
        environment = {**os.environ, "HLOKIT_PYTHON_BUILD_DIR": BUILD_DIR}
        done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", SOURCE_DIR],
                              env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        program = pathlib.Path(folder, "scale.hlo")
        program.write_text(SCALE, encoding="utf-8")
        done = subprocess.run(
            [python, "-c", "import hlokit, sys; print(hlokit.__file__); "
             "print(hlokit.parse(open(sys.argv[1]).read()).run([1, 2, 3], 2).tolist())", program],
            capture_output=True, text=True, cwd=folder, check=True)
        self.assertIn(folder, done.stdout)
        self.assertIn("[2.0, 4.0, 6.0]", done.stdout)


if __name__ == "__main__":
    unittest.main()

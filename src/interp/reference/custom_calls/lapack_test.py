#!/usr/bin/env python3
"""Runs the LAPACK custom calls of hlo-run, in both spellings, and judges the results with numpy.

Factors that are unique only up to signs or phases are judged by what they are factors of.

usage: lapack_test.py HLO_RUN
"""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

HLO_RUN = sys.argv.pop(1)
TYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
HLO_NAMES = {np.dtype(t): n for n, t in
             {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
              "s32": np.int32, "u8": np.uint8, "u32": np.uint32}.items()}
BATCH = 3


def real_type(dtype):
    return np.dtype(dtype).type(0).real.dtype


def complex_type(dtype):
    return np.result_type(dtype, np.complex64)


def tolerance(dtype):
    return 2e-4 if real_type(dtype) == np.float32 else 1e-10


def shape_text(dtype, shape):
    return f"{HLO_NAMES[np.dtype(dtype)]}[{','.join(map(str, shape))}]"


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def call(target, operands, results, config="", raw=""):
    """The results of the custom call `target`: a list of arrays. `results`: (dtype, shape) each."""
    lines = [f"  p{i} = {shape_text(a.dtype, a.shape)} parameter({i})" for i, a in enumerate(operands)]
    result = "(" + ", ".join(shape_text(*r) for r in results) + ")"
    names = ", ".join(f"p{i}" for i in range(len(operands)))
    extra = f', api_version=API_VERSION_TYPED_FFI, backend_config="{{{config}}}"' if config else ""
    if raw:
        extra = f', backend_config="{raw}"'
    text = ("HloModule m\n\nENTRY e {\n" + "\n".join(lines) +
            f'\n  ROOT r = {result} custom-call({names}), custom_call_target="{target}"{extra}\n}}\n')
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("m.hlo", "in.npz", "out.npz")]
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write(text)
        np.savez(paths[1], **{f"p{i}": a for i, a in enumerate(operands)})
        done = subprocess.run([HLO_RUN, paths[0], f"--inputs=@{paths[1]}", f"--output=@{paths[2]}"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{target}: {done.stderr}\n{text}")
        out = np.load(paths[2])
        return [out[str(i)] for i in range(len(results))]


def scalars(*values):
    return [np.int32(v) for v in values]


class LapackTest(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(7)

    def matrix(self, dtype, *shape):
        a = self.random.standard_normal(shape)
        if np.issubdtype(dtype, np.complexfloating):
            a = a + 1j * self.random.standard_normal(shape)
        return a.astype(dtype)

    def hermitian(self, dtype, n, positive=False):
        a = self.matrix(dtype, BATCH, n, n)
        if positive:
            return (a @ adjoint(a) + n * np.eye(n)).astype(dtype)
        return ((a + adjoint(a)) / 2).astype(dtype)

    def near(self, actual, expected, dtype, what=""):
        scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance(dtype) * scale,
                                   err_msg=what)

    def each(self):
        for letter, dtype in TYPES.items():
            for n in (1, 2, 5):
                with self.subTest(type=letter, n=n):
                    yield letter, np.dtype(dtype), n

    def test_potrf(self):
        for letter, dtype, n in self.each():
            a = self.hermitian(dtype, n, positive=True)
            results = [(dtype, a.shape), (np.int32, (BATCH,))]
            for lower in (True, False):
                uplo = ord("L" if lower else "U")
                for factor, info in (
                        call(f"lapack_{letter}potrf_ffi", [a], results, f"uplo = {uplo} : ui8"),
                        call(f"lapack_{letter}potrf", [*scalars(lower, BATCH, n), a], results)):
                    part = np.tril(factor) if lower else adjoint(np.triu(factor))
                    self.near(part @ adjoint(part), a, dtype)
                    self.assertFalse(info.any())

    def test_getrf(self):
        for letter, dtype, n in self.each():
            m = n + 1
            a = self.matrix(dtype, BATCH, m, n)
            results = [(dtype, a.shape), (np.int32, (BATCH, n)), (np.int32, (BATCH,))]
            for factors, pivots, info in (
                    call(f"lapack_{letter}getrf_ffi", [a], results, "unused = 0 : i32"),
                    call(f"lapack_{letter}getrf", [*scalars(BATCH, m, n), a], results)):
                self.assertFalse(info.any())
                for b in range(BATCH):
                    lower = np.tril(factors[b], -1) + np.eye(m, n)
                    product = lower @ np.triu(factors[b][:n])
                    for i in reversed(range(n)):
                        product[[i, pivots[b, i] - 1]] = product[[pivots[b, i] - 1, i]]
                    self.near(product, a[b], dtype)

    def test_qr(self):
        for letter, dtype, n in self.each():
            m = n + 2
            a = self.matrix(dtype, BATCH, m, n)
            orgqr = "ungqr" if letter in "cz" else "orgqr"
            taus = (dtype, (BATCH, n))
            info = (np.int32, (BATCH,))
            work = (dtype, (4,))
            packed, tau = call(f"lapack_{letter}geqrf_ffi", [a], [(dtype, a.shape), taus],
                               "unused = 0 : i32")
            older = call(f"lapack_{letter}geqrf", [*scalars(BATCH, m, n, 4), a],
                         [(dtype, a.shape), taus, info, work])
            self.near(older[0], packed, dtype)
            (q,) = call(f"lapack_{letter}{orgqr}_ffi", [packed, tau], [(dtype, a.shape)],
                        "unused = 0 : i32")
            older = call(f"lapack_{letter}{orgqr}", [*scalars(BATCH, m, n, n, 4), packed, tau],
                         [(dtype, a.shape), info, work])
            self.near(older[0], q, dtype)
            self.near(adjoint(q) @ q, np.broadcast_to(np.eye(n), (BATCH, n, n)), dtype)
            self.near(q @ np.triu(packed[:, :n]), a, dtype)

    def test_eigh(self):
        for letter, dtype, n in self.each():
            a = self.hermitian(dtype, n)
            name = "heevd" if letter in "cz" else "syevd"
            results = [(dtype, a.shape), (real_type(dtype), (BATCH, n)), (np.int32, (BATCH,))]
            for lower in (True, False):
                triangle = np.tril(a) if lower else np.triu(a)
                uplo = ord("L" if lower else "U")
                for v, w, info in (
                        call(f"lapack_{letter}{name}_ffi", [triangle], results,
                             f"mode = 86 : ui8, uplo = {uplo} : ui8"),
                        call(f"lapack_{letter}{name}", [*scalars(lower, BATCH, n), triangle],
                             results)):
                    self.near(w, np.linalg.eigvalsh(a), dtype)
                    self.near(a @ v, v * w[:, None, :], dtype)
                    self.near(adjoint(v) @ v, np.broadcast_to(np.eye(n), a.shape), dtype)
                    self.assertFalse(info.any())

    def test_svd(self):
        for letter, dtype, n in self.each():
            for shape in ((n, n + 2), (n + 2, n)):
                a = self.matrix(dtype, BATCH, *shape)
                m, k = shape
                for full in (False, True):
                    columns = m if full else min(shape)
                    rows = k if full else min(shape)
                    results = [(dtype, a.shape), (real_type(dtype), (BATCH, min(shape))),
                               (dtype, (BATCH, m, columns)), (dtype, (BATCH, rows, k)),
                               (np.int32, (BATCH,))]
                    mode = ord("A" if full else "S")
                    for _, s, u, vt, info in (
                            call(f"lapack_{letter}gesdd_ffi", [a], results, f"mode = {mode} : ui8"),
                            call(f"lapack_{letter}gesvd_ffi", [a], results, f"mode = {mode} : ui8"),
                            call(f"lapack_{letter}gesdd",
                                 [*scalars(full, 1, BATCH, m, k, 4), a], results)):
                        self.near(s, np.linalg.svd(a, compute_uv=False), dtype)
                        small = min(shape)
                        self.near((u[:, :, :small] * s[:, None, :]) @ vt[:, :small], a, dtype)
                        self.near(adjoint(u) @ u, np.broadcast_to(np.eye(columns), (BATCH, columns, columns)), dtype)
                        self.near(vt @ adjoint(vt), np.broadcast_to(np.eye(rows), (BATCH, rows, rows)), dtype)
                        self.assertFalse(info.any())

    def test_trsm(self):
        for letter, dtype, n in self.each():
            full = self.matrix(dtype, BATCH, n, n) + (n * np.eye(n)).astype(dtype)
            for flags in range(16):
                left, lower, unit, transposed = (bool(flags & 1 << k) for k in range(4))
                b = self.matrix(dtype, BATCH, *((n, 2) if left else (2, n)))
                for letter_op, code in (("N", 0),) if not transposed else (("T", 1), ("C", 2)):
                    triangle = np.tril(full) if lower else np.triu(full)
                    if unit:
                        triangle = triangle - triangle * np.eye(n, dtype=dtype) + np.eye(n, dtype=dtype)
                    op = {"N": triangle, "T": np.swapaxes(triangle, 1, 2),
                          "C": adjoint(triangle)}[letter_op]
                    config = (f"diag = {ord('U' if unit else 'N')} : ui8, "
                              f"side = {ord('L' if left else 'R')} : ui8, "
                              f"trans_x = {ord(letter_op)} : ui8, "
                              f"uplo = {ord('L' if lower else 'U')} : ui8")
                    results = [(dtype, b.shape)]
                    older = [*scalars(left, lower, code, unit, *b.shape[1:], BATCH), dtype.type(1)]
                    for (x,) in (call(f"lapack_{letter}trsm_ffi", [full, b], results, config),
                                 call(f"blas_{letter}trsm", [*older, full, b], results)):
                        self.near(op @ x if left else x @ op, b, dtype, f"{config}")

    def test_geev(self):
        for letter, dtype, n in self.each():
            a = self.matrix(dtype, BATCH, n, n)
            vector = (complex_type(dtype), a.shape)
            value_count = 1 if letter in "cz" else 2
            values = [(dtype, (BATCH, n))] * value_count
            results = [*values, vector, vector, (np.int32, (BATCH,))]
            workspaces = [(dtype, (n, n)), (real_type(dtype), (2 * n,))]
            older_flags = [np.int32(BATCH), np.int32(n), np.uint8(ord("V")), np.uint8(ord("V"))]
            for found in (
                    call(f"lapack_{letter}geev_ffi", [a], results,
                         "compute_left = 86 : ui8, compute_right = 86 : ui8"),
                    call(f"lapack_{letter}geev", [*older_flags, a], workspaces + results)[2:]):
                *w, left, right, info = found
                w = w[0] if value_count == 1 else w[0] + 1j * w[1]
                self.assertFalse(info.any())
                self.near(a @ right, right * w[:, None, :], dtype)
                self.near(adjoint(left) @ a, w[:, :, None] * adjoint(left), dtype)
                self.near(np.linalg.norm(right, axis=1), 1, dtype)
                self.near(np.linalg.norm(left, axis=1), 1, dtype)
                for b in range(BATCH):
                    expected = list(np.linalg.eigvals(a[b].astype(np.complex128)))
                    for value in w[b]:
                        nearest = min(expected, key=lambda x: abs(x - value))
                        self.near(value, nearest, dtype)
                        expected.remove(nearest)

    def test_gees(self):
        for letter, dtype, n in self.each():
            a = self.matrix(dtype, BATCH, n, n)
            is_complex = letter in "cz"
            square, line, info = (dtype, a.shape), (dtype, (BATCH, n)), (np.int32, (BATCH,))
            values = [line] if is_complex else [line, line]
            ffi = call(f"lapack_{letter}gees_ffi", [a], [square, square, *values, info, info],
                       "mode = 86 : ui8, sort = 78 : ui8")
            flags = [np.int32(BATCH), np.int32(n), np.uint8(ord("V")), np.uint8(ord("N"))]
            # (T, real parts or workspace, imaginary parts or eigenvalues, vectors, ...)
            first = (real_type(dtype), (n,)) if is_complex else line
            older = call(f"lapack_{letter}gees", [*flags, a], [square, first, line, square, info, info])
            ffi_values = ffi[2] if is_complex else ffi[2] + 1j * ffi[3]
            older_values = older[2] if is_complex else older[1] + 1j * older[2]
            for t, u, w in ((ffi[0], ffi[1], ffi_values), (older[0], older[3], older_values)):
                self.near(u @ t @ adjoint(u), a, dtype)
                self.near(adjoint(u) @ u, np.broadcast_to(np.eye(n), a.shape), dtype)
                self.near(np.tril(t, -1 if is_complex else -2), np.zeros(a.shape), dtype)
                self.near(np.sum(w, axis=1), np.trace(a, axis1=1, axis2=2), dtype)

    def reflector_product(self, packed, taus, first):
        """H_0 H_1 ... with v_j in column j of `packed` from row j + first on."""
        n = packed.shape[0]
        q = np.eye(n, dtype=packed.dtype)
        for j, tau in enumerate(taus):
            v = np.zeros(n, packed.dtype)
            v[j + first] = 1
            v[j + first + 1:] = packed[j + first + 1:, j]
            q = q @ (np.eye(n) - tau * np.outer(v, v.conj()))
        return q

    def test_gehrd(self):
        for letter, dtype, n in self.each():
            a = self.matrix(dtype, BATCH, n, n)
            results = [(dtype, a.shape), (dtype, (BATCH, n - 1)), (np.int32, (BATCH,))]
            for packed, taus, info in (
                    call(f"lapack_{letter}gehrd_ffi", [a], results,
                         f"high = {n} : i32, low = 1 : i32"),
                    call(f"lapack_{letter}gehrd", [*scalars(n, 1, n, n, BATCH, 4), a],
                         [*results, (dtype, (4,))])[:3]):
                self.assertFalse(info.any())
                for b in range(BATCH):
                    q = self.reflector_product(packed[b], taus[b], 1)
                    self.near(q @ np.triu(packed[b], -1) @ adjoint(q), a[b], dtype)

    def test_sytrd(self):
        for letter, dtype, n in self.each():
            a = self.hermitian(dtype, n)
            name = "hetrd" if letter in "cz" else "sytrd"
            results = [(dtype, a.shape), (real_type(dtype), (BATCH, n)),
                       (real_type(dtype), (BATCH, n - 1)), (dtype, (BATCH, n - 1)),
                       (np.int32, (BATCH,))]
            for lower in (True, False):
                triangle = np.tril(a) if lower else np.triu(a)
                uplo = ord("L" if lower else "U")
                for packed, d, e, taus, info in (
                        call(f"lapack_{letter}{name}_ffi", [triangle], results,
                             f"uplo = {uplo} : ui8"),
                        call(f"lapack_{letter}{name}", [*scalars(n, lower, n, BATCH, 4), triangle],
                             [*results, (dtype, (4,))])[:5]):
                    self.assertFalse(info.any())
                    for b in range(BATCH):
                        t = np.diag(d[b]) + np.diag(e[b], 1) + np.diag(e[b], -1)
                        if lower:
                            q = self.reflector_product(packed[b], taus[b], 1)
                        else:  # H(n-1) ... H(1), each stored above the diagonal
                            q = np.eye(n, dtype=dtype)
                            for i in range(n - 1):
                                v = np.zeros(n, dtype)
                                v[i] = 1
                                v[:i] = packed[b][:i, i + 1]
                                q = (np.eye(n) - taus[b][i] * np.outer(v, v.conj())) @ q
                        self.near(q @ t @ adjoint(q), a[b], dtype)

    def test_gtsv(self):
        for letter, dtype, n in self.each():
            a = self.matrix(dtype, BATCH, n, n)
            if n > 2:  # rows that are exchanged and rows that are not
                a[:, 1, 1] *= 1e-3
                a[:, 2, 2] += 4
            a = np.triu(np.tril(a, 1), -1).astype(dtype)
            diagonals = [np.zeros((BATCH, n), dtype) for _ in range(3)]
            for b in range(BATCH):
                diagonals[0][b, 1:] = np.diag(a[b], -1)
                diagonals[1][b] = np.diag(a[b])
                diagonals[2][b, :-1] = np.diag(a[b], 1)
            rhs = self.matrix(dtype, BATCH, n, 2)
            lines = [(dtype, (BATCH, n))] * 3
            *_, x, info = call(f"lapack_{letter}gtsv_ffi", [*diagonals, rhs],
                               [*lines, (dtype, rhs.shape), (np.int32, (BATCH,))])
            self.assertFalse(info.any())
            self.near(x, np.linalg.solve(a, rhs), dtype)
            (again,) = call("cusparse_gtsv2_ffi", [*diagonals, rhs], [(dtype, rhs.shape)])
            self.near(again, x, dtype)

    def test_gtsv_factors(self):
        """The triangle of rows exchanged: [[1, 2, 0], [4, 1, 1], [0, 1, 1]]."""
        lower, middle, upper = (np.array(v, np.float64) for v in ([0, 4, 1], [1, 1, 1], [2, 1, 0]))
        line = (np.float64, (3,))
        second, first, above, x, info = call(
            "lapack_dgtsv_ffi", [lower, middle, upper, np.array([[3.0], [6], [2]])],
            [line, line, line, (np.float64, (3, 1)), (np.int32, ())])
        self.assertEqual(info, 0)
        self.near(x, np.ones((3, 1)), np.float64)
        self.near(first, [4, 1.75, 1 + 0.25 / 1.75], np.float64)
        self.near(above[:2], [1, -0.25], np.float64)
        self.near(second[1], 1, np.float64)

    def test_gtsv_singular(self):
        line = (np.float64, (2,))
        *_, info = call("lapack_dgtsv_ffi",
                        [np.zeros(2), np.array([0.0, 1]), np.ones(2), np.ones((2, 1))],
                        [line, line, line, (np.float64, (2, 1)), (np.int32, ())])
        self.assertEqual(info, 1)

    def test_geqp3(self):
        for letter, dtype, n in self.each():
            for m in (n, n + 2, max(1, n - 2)):
                a = self.matrix(dtype, BATCH, m, n)
                count = min(m, n)
                fixed = np.zeros((BATCH, n), np.int32)
                fixed[1, n - 1] = 1  # of this matrix the last column comes first
                results = [(dtype, a.shape), (np.int32, (BATCH, n)), (dtype, (BATCH, count))]
                for target, more in ((f"lapack_{letter}geqp3_ffi", []),
                                     ("cuhybrid_geqp3", [(np.int32, (BATCH,))])):
                    packed, order, taus = call(target, [a, fixed], results + more)[:3]
                    self.assertEqual(order[1, 0], n)
                    for b in range(BATCH):
                        self.assertEqual(sorted(order[b]), list(range(1, n + 1)))
                        r = np.triu(packed[b])
                        q = np.eye(m, dtype=dtype)
                        for j in range(count):
                            v = np.zeros(m, dtype)
                            v[j] = 1
                            v[j + 1:] = packed[b][j + 1:, j]
                            q = q @ (np.eye(m) - taus[b][j] * np.outer(v, v.conj()))
                        self.near(q @ r, a[b][:, order[b] - 1], dtype)
                        sizes = np.abs(np.diag(r))[1 if b == 1 else 0:]
                        self.assertTrue((sizes[1:] <= sizes[:-1] * (1 + 1e-5)).all(), sizes)

    def test_gpu_factors(self):
        for letter, dtype, n in self.each():
            a = self.matrix(dtype, BATCH, n, n)
            info = (np.int32, (BATCH,))
            expected = call(f"lapack_{letter}getrf_ffi", [a], [(dtype, a.shape), (np.int32, (BATCH, n)), info])
            found = call("cusolver_getrf_ffi", [a], [(dtype, a.shape), (np.int32, (BATCH, n)), info])
            for mine, other in zip(found, expected):
                np.testing.assert_array_equal(mine, other)
            (rows,) = call("cu_lu_pivots_to_permutation", [found[1] - 1], [(np.int32, (BATCH, n))])
            factors, pivots, order = call(
                "LuDecomposition", [a], [(dtype, a.shape), (np.int32, (BATCH, n)), (np.int32, (BATCH, n))])
            np.testing.assert_array_equal(pivots, found[1] - 1)
            np.testing.assert_array_equal(order, rows)
            for b in range(BATCH):
                product = (np.tril(factors[b], -1) + np.eye(n)) @ np.triu(factors[b])
                self.near(product, a[b][order[b]], dtype)

            results = [(dtype, a.shape), (dtype, (BATCH, n))]
            packed, taus = call("Qr", [a], results)
            (q,) = call("ProductOfElementaryHouseholderReflectors", [packed, taus], results[:1])
            self.near(q @ np.triu(packed), a, dtype)
            packed, taus = call("hipsolver_geqrf_ffi", [a], results)
            (q,) = call("hipsolver_orgqr_ffi", [packed, taus], results[:1])
            self.near(q @ np.triu(packed), a, dtype)
            self.near(adjoint(q) @ q, np.broadcast_to(np.eye(n), a.shape), dtype)

    def test_gpu_eigh(self):
        for letter, dtype, n in self.each():
            a = self.hermitian(dtype, n)
            results = [(dtype, a.shape), (real_type(dtype), (BATCH, n))]
            for lower in (True, False):
                triangle = np.tril(a) if lower else np.triu(a)
                word = "true" if lower else "false"
                for v, w, *_ in (
                        call("cusolver_syevd_ffi", [triangle], [*results, (np.int32, (BATCH,))],
                             f"algorithm = 0 : ui8, lower = {word}"),
                        call("Eigh", [triangle], results, raw=f"{int(lower)},1,100,1e-06")):
                    self.near(w, np.linalg.eigvalsh(a), dtype)
                    self.near(a @ v, v * w[:, None, :], dtype)

    def test_gpu_cholesky(self):
        a = self.hermitian(np.float64, 4, positive=True)
        for lower in (True, False):
            factor, info = call("cusolver_potrf_ffi", [a], [(np.float64, a.shape), (np.int32, (BATCH,))],
                                f"lower = {'true' if lower else 'false'}")
            part = np.tril(factor) if lower else adjoint(np.triu(factor))
            self.near(part @ adjoint(part), a, np.float64)
            self.assertFalse(info.any())

    def test_gpu_svd(self):
        for letter, dtype, n in self.each():
            for m, k in ((n, n + 2), (n + 2, n)):
                a = self.matrix(dtype, BATCH, m, k)
                small = min(m, k)
                info = (np.int32, (BATCH,))
                values = (real_type(dtype), (BATCH, small))
                for full in (False, True):
                    u_shape = (dtype, (BATCH, m, m if full else small))
                    vt_shape = (dtype, (BATCH, k if full else small, k))
                    v_shape = (dtype, (BATCH, k, k if full else small))
                    word = "true" if full else "false"
                    config = f"compute_uv = true, full_matrices = {word}"
                    _, s, u, v, _ = call("cusolver_gesvdj_ffi", [a],
                                         [(dtype, a.shape), values, u_shape, v_shape, info], config)
                    self.near(s, np.linalg.svd(a, compute_uv=False), dtype)
                    self.near((u[:, :, :small] * s[:, None, :]) @ adjoint(v)[:, :small], a, dtype)
                    orders = [(u_shape, vt_shape)] + [(vt_shape, u_shape)] * (m < k)
                    for first, second in orders:
                        _, s, one, two, _ = call(
                            "cusolver_gesvd_ffi", [a], [(dtype, a.shape), values, first, second, info],
                            f"{config}, transposed = {'true' if m < k else 'false'}")
                        u, vt = (one, two) if first == u_shape else (two, one)
                        self.near((u[:, :, :small] * s[:, None, :]) @ vt[:, :small], a, dtype)

    def test_gpu_eig(self):
        for letter, dtype, n in self.each():
            a = self.matrix(dtype, BATCH, n, n)
            kind = "comp" if letter in "cz" else "real"
            vector = (complex_type(dtype), a.shape)
            values = [(dtype, (BATCH, n))] * (1 if letter in "cz" else 2)
            *w, _, right, info = call(f"cuhybrid_eig_{kind}", [a],
                                      [*values, vector, vector, (np.int32, (BATCH,))],
                                      "left = false, right = true")
            w = w[0] if len(w) == 1 else w[0] + 1j * w[1]
            self.assertFalse(info.any())
            self.near(a @ right, right * w[:, None, :], dtype)

    def test_threefry(self):
        """Random123's known answers."""
        key0, key1, x0, x1 = (np.array(v, np.uint32) for v in (
            [0, 0xffffffff, 0x13198a2e], [0, 0xffffffff, 0x03707344],
            [0, 0xffffffff, 0x243f6a88], [0, 0xffffffff, 0x85a308d3]))
        result = (np.uint32, (3,))
        for target in ("cu_threefry2x32_ffi", "cu_threefry2x32", "hip_threefry2x32_ffi"):
            one, two = call(target, [key0, key1, x0, x1], [result, result])
            np.testing.assert_array_equal(one, [0x6b200159, 0x1cb996fc, 0xc4923a9c])
            np.testing.assert_array_equal(two, [0x99ba4efe, 0xbb002be7, 0x483df7a0])

    def test_not_finite(self):
        a = np.array([[1.0, np.nan], [2.0, 3.0]])
        square = (np.float64, (2, 2))
        info = call("lapack_dgees_ffi", [a], [square, square, (np.float64, (2,)),
                                              (np.float64, (2,)), (np.int32, ()), (np.int32, ())],
                    "mode = 86 : ui8")[-1]
        self.assertNotEqual(info, 0)

    def test_not_positive_definite(self):
        a = np.array([[1.0, 2.0], [2.0, 1.0]])
        _, info = call("lapack_dpotrf_ffi", [a], [(np.float64, (2, 2)), (np.int32, ())],
                       "uplo = 76 : ui8")
        self.assertEqual(info, 2)

    def test_singular(self):
        a = np.array([[1.0, 2.0], [2.0, 4.0]])
        _, _, info = call("lapack_dgetrf_ffi", [a],
                          [(np.float64, (2, 2)), (np.int32, (2,)), (np.int32, ())],
                          "unused = 0 : i32")
        self.assertEqual(info, 2)


if __name__ == "__main__":
    unittest.main()

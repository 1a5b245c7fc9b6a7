#!/usr/bin/env python3
"""numpy as a peer: matrix products (OpenBLAS's, where numpy has it) and sorts.

usage: numpy_peer.py WORK [ARGUMENTS]    the functions below
"""
import sys

from timed_loop import missing, serve

try:
    import numpy as np
except ImportError:
    missing("numpy (python3-numpy)")

RANDOM = np.random.default_rng(1)
TYPES = {"f32": np.float32, "f64": np.float64}


def dot(dtype, m, k, n, transposed=""):
    x = RANDOM.random((int(m), int(k))).astype(TYPES[dtype])
    sizes = (int(n), int(k)) if transposed else (int(k), int(n))
    y = RANDOM.random(sizes).astype(TYPES[dtype])
    return lambda: x @ (y.T if transposed else y)


def sort(count):
    keys = RANDOM.random(int(count), dtype=np.float32)
    return lambda: np.sort(keys)


def argsort(count):
    keys = RANDOM.random(int(count), dtype=np.float32)
    return lambda: np.argsort(keys)


def sort_pairs(count):
    keys = RANDOM.random(int(count), dtype=np.float32)
    values = np.arange(int(count), dtype=np.int32)

    def run():
        order = np.argsort(keys)
        return keys[order], values[order]
    return run


if __name__ == "__main__":
    serve(globals()[sys.argv[1]](*sys.argv[2:]))

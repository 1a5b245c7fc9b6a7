"""How ours and each peer are started: a function for each peer, which makes what it needs first.

Everything that is made lies in the build tree, in `peers`: the programs, which hlo-run runs as well
(`build/peers/programs/NAME.hlo`), the compiled peers and the models for ONNX Runtime.
"""
import functools
import os
import re
import shutil
import subprocess
import sys

from timers import Command, Constant, Missing, Server, fastest
from work import ROOT

HERE = os.path.dirname(os.path.abspath(__file__))
# Debian's packages are those of its own Python.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def folder(options):
    path = os.path.join(options.build, "peers")
    os.makedirs(path, exist_ok=True)
    return path


def program_file(row, options):
    if row.file:
        if not os.path.exists(row.file):
            raise Missing(f"no {os.path.basename(row.file)} in ../shared/corpus/models")
        return row.file
    programs = os.path.join(folder(options), "programs")
    os.makedirs(programs, exist_ok=True)
    path = os.path.join(programs, re.sub(r"[^\w.]+", "_", row.name) + ".hlo")
    with open(path, "w") as file:
        file.write(row.text)
    return path


def start_ours(row, options):
    path = program_file(row, options)
    if row.is_process:
        tool = os.path.join(options.build, "bin/hlo-run")
        expect(tool, "./dev build")
        return Command([tool, "-q", "--max-print=8", f"--threads={options.threads}", path])
    tool = os.path.join(options.build, "bench/time_program")
    expect(tool, "./dev build")
    return Server([tool, path, f"--threads={options.threads}"] + ["--fresh"] * (not row.is_frozen))


def expect(path, maker):
    if not os.path.exists(path):
        raise Missing(f"no {os.path.relpath(path, ROOT)} ({maker} makes it)")


@functools.lru_cache(maxsize=None)
def compiled(name, build, libraries=()):
    """A peer in C++, compiled if it is older than its sources."""
    source = os.path.join(HERE, name + ".cc")
    target = os.path.join(build, "peers", name)
    newest = max(os.path.getmtime(path) for path in (source, os.path.join(HERE, "timed_loop.h")))
    if os.path.exists(target) and os.path.getmtime(target) >= newest:
        return target
    compiler = shutil.which("g++")
    if compiler is None:
        raise Missing("no g++")
    result = subprocess.run(
        [compiler, "-std=c++20", "-O2", "-march=native", "-fopenmp", f"-I{ROOT}", source,
         *libraries, "-o", target], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Missing(f"{name}.cc does not compile: {result.stderr.strip().splitlines()[0]}")
    return target


def onednn(peer, options):
    if not os.path.exists("/usr/include/oneapi/dnnl/dnnl.hpp"):
        raise Missing("oneDNN (libdnnl-dev)")
    folder(options)
    command = [compiled("onednn_peer", options.build, ("-ldnnl",)), str(options.threads), *peer.spec]
    # Waiting threads that spin a little make small work faster and, where the machine has other
    # work, all work slower.
    return fastest([lambda: Server(command, {"GOMP_SPINCOUNT": "30000"}),
                    lambda: Server(command, {"OMP_WAIT_POLICY": "passive"})])


def memory(peer, options):
    folder(options)
    program = compiled("memory_peer", options.build)
    return Server([program, *peer.spec, str(options.threads)], {"GOMP_SPINCOUNT": "30000"})


def open_blas_core():
    """OpenBLAS takes Intel's processors that are younger than itself for such without AVX."""
    if "OPENBLAS_CORETYPE" in os.environ or not os.path.exists("/proc/cpuinfo"):
        return {}
    with open("/proc/cpuinfo") as file:
        words = set(file.read().split())
    if "GenuineIntel" not in words:
        return {}
    core = "SkylakeX" if "avx512vl" in words else "Haswell" if "avx2" in words else None
    return {"OPENBLAS_CORETYPE": core} if core else {}


def numpy(peer, options):
    # Its waiting threads may spin for longer than a pause, and are in the way of ours then; 2^18
    # cycles are as long as those of the others do.
    return Server([PYTHON, os.path.join(HERE, "numpy_peer.py"), *peer.spec],
                  {"OPENBLAS_NUM_THREADS": str(options.threads), "OPENBLAS_THREAD_TIMEOUT": "18",
                   **open_blas_core()})


def torch(peer, options):
    return Server([PYTHON, os.path.join(HERE, "torch_peer.py"), str(options.threads), *peer.spec],
                  {"GOMP_SPINCOUNT": "30000"})


@functools.lru_cache(maxsize=None)
def write_models(path):
    result = subprocess.run([PYTHON, os.path.join(HERE, "onnx_models.py"), path],
                            capture_output=True, text=True, check=False)
    said = (result.stdout.strip() or result.stderr.strip()).splitlines()
    return said[-1].removeprefix("missing ") if said else ""


def onnxruntime(peer, options):
    node = shutil.which("node")
    package = os.path.join(folder(options), "node_modules/onnxruntime-node")
    if node is None or not os.path.exists(package):
        raise Missing("ONNX Runtime (npm's onnxruntime-node)")
    name, mode = peer.spec
    models = os.path.join(folder(options), "models")
    reason = write_models(models)
    model = os.path.join(models, name + ".onnx")
    if not os.path.exists(model):
        raise Missing(reason or f"no model {name}")
    return Server([node, os.path.join(HERE, "onnxruntime_peer.mjs"), folder(options), model,
                   str(options.threads), mode])


def rate(peer, options):
    byte_size, rate_of_core = map(float, peer.spec)
    return Constant(byte_size / (rate_of_core * options.threads) * 1e3)


def known_time(peer, _options):
    return Constant(float(peer.spec[0]))


PEERS = {"onnxruntime": onnxruntime, "numpy": numpy, "torch": torch, "onednn": onednn,
         "memory": memory, "rate": rate, "time": known_time}


def start_peer(peer, options):
    return PEERS[peer.name](peer, options)

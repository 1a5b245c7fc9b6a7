#!/usr/bin/env python3
"""Times whole processes, start-up included: the best and the median of many runs.

usage: process_times.py BIN_DIR [CORPUS_MODELS_DIR]
"""
import glob
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def measure(label, command, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1e3)
        if result.returncode != 0:
            print(f"{label}: exit {result.returncode}")
            return
    times.sort()
    print(f"{label}: best {times[0]:.1f} ms, median {times[len(times) // 2]:.1f} ms")


def main():
    tools = sys.argv[1]
    small = os.path.join(ROOT, "testdata/models/conv_net.hlo")
    hundred = sorted(glob.glob(os.path.join(ROOT, "testdata/verify/*_ok.hlo")))[:100]
    measure("hlo-fmt --check, small file", [f"{tools}/hlo-fmt", "--check", small], 100)
    measure("hlo-verify, small file", [f"{tools}/hlo-verify", small], 100)
    measure("hlo-verify, 100 small files", [f"{tools}/hlo-verify", "-q", *hundred], 20)
    measure("hlo-run, small file", [f"{tools}/hlo-run", small], 100)
    if len(sys.argv) > 2:
        for name in ["hlo_torax_iterhybrid_predictor_corrector_f64", "hlo_mixtral_8x7b_bf16_1x8"]:
            path = os.path.join(sys.argv[2], name + ".hlo")
            measure(f"hlo-verify, {name}", [f"{tools}/hlo-verify", "-q", path], 20)
        for name in ["resnet50_keras_jax_f32", "jax.b380442861", "dlrm_keras_jax_f32_train_step"]:
            path = os.path.join(sys.argv[2], name + ".hlo")
            measure(f"hlo-run, {name}", [f"{tools}/hlo-run", "-q", "--max-print=8", path], 5)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times the programs of bench/peers/work.py, and loops of the corpus, with two programs hlo-run.

How many times as fast the second is, by program, by group, and as the geometric mean of all. The
first is an earlier one, such as the reference backend alone as it was before there was another.
"""
import argparse
import collections
import math
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import starting  # noqa: E402
import timers  # noqa: E402
import work  # noqa: E402

LOOPS = ["diffrax.b380012920", "jax.issue.33666.linx.slow_0428.module_0006",
         "hlo_torax_iterhybrid_predictor_corrector_f64", "jax.b380442861",
         "dlrm_keras_jax_f32_train_step"]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="earlier.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", metavar="HLO_RUN", help="the earlier program")
    parser.add_argument("--build", metavar="DIR", default=os.path.join(work.ROOT, "build"),
                        help="the build tree whose hlo-run is compared (default: build)")
    parser.add_argument("--only", metavar="REGEX", default="", help="the programs whose name matches")
    parser.add_argument("--seconds", metavar="S", type=float, default=1.0,
                        help="about how long each program runs in a turn (default: 1)")
    parser.add_argument("--turns", metavar="N", type=int, default=2,
                        help="turns that each side gets, the least time of which counts (default: 2)")
    options = parser.parse_args(arguments)
    options.now = os.path.join(options.build, "bin/hlo-run")
    for tool in (options.earlier, options.now):
        if not os.access(tool, os.X_OK):
            parser.error(f"no program `{tool}`")
    try:
        re.compile(options.only)
    except re.error as error:
        parser.error(f"--only: {error}")
    if options.turns < 1 or options.seconds <= 0:
        parser.error("--turns is at least 1, --seconds more than 0")
    return options


def all_rows():
    """All work but what differs in what is kept alone; of convolutions, which are many, every fourth."""
    rows = [row for row in work.all_work() if not row.is_frozen and not row.is_process]
    convolutions = [row for row in rows if row.group.startswith(("convolutions", "training"))]
    left_out = {row.name for number, row in enumerate(convolutions) if number % 4 != 0}
    rows += [work.Work(name, "loops", None, [], file=os.path.join(work.CORPUS, name + ".hlo"))
             for name in LOOPS]
    return [row for row in rows if row.name not in left_out]


def times_of(tool, path, runs):
    """The least and the median of so many runs in a process of their own, seconds."""
    result = subprocess.run(
        [tool, path, "--fake=random", f"--repeat={runs}", "--max-print=1", "--max-memory=16GB"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"min ([\d.]+) s, median ([\d.]+) s", result.stderr)
    if not found:
        lines = result.stderr.strip().splitlines()
        raise timers.Missing(f"{tool}: {lines[0] if lines else f'exit {result.returncode}'}")
    return float(found[1]), float(found[2])


def seconds_of(tools, path, options):
    """The least median of each tool, which run in turn. How long a run takes says the second, the
    first being the one that prepares."""
    once = [max(times_of(tool, path, 2)[0], 1e-6) for tool in tools]
    least = [math.inf] * len(tools)
    for _ in range(options.turns):
        for k, tool in enumerate(tools):
            runs = max(3, min(500, int(options.seconds / once[k])))
            least[k] = min(least[k], times_of(tool, path, runs)[1])
    return least


def main():
    options = parse_arguments(sys.argv[1:])
    ratios = collections.defaultdict(list)
    print(f"{'program':66} {'earlier ms':>11} {'now ms':>10} {'ratio':>7}")
    for row in all_rows():
        if not re.search(options.only, row.name):
            continue
        try:
            earlier, now = seconds_of((options.earlier, options.now),
                                      starting.program_file(row, options), options)
        except timers.Missing as reason:
            print(f"skipped: {row.name}: {reason}", flush=True)
            continue
        ratios[row.group].append(earlier / now)
        print(f"{row.name:66} {earlier * 1e3:11.3f} {now * 1e3:10.3f} {earlier / now:7.2f}", flush=True)
    for group, of_group in ratios.items():
        print(f"{group}: {statistics.geometric_mean(of_group):.1f}")
    everything = [ratio for of_group in ratios.values() for ratio in of_group]
    if everything:
        print(f"geometric mean of {len(everything)}: {statistics.geometric_mean(everything):.1f}")


if __name__ == "__main__":
    main()

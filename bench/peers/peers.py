#!/usr/bin/env python3
"""Times programs on hlo-run's fast backend beside other libraries that do the same work.

One table: our time, each peer's, the ratio of the two, and the largest ratio that is wanted (the
bar). Ours and the peer run in turn on the same number of threads; times are medians, ratios the
medians of the ratios of each turn, so that other work on the machine falls on both. A peer whose
package is missing is left out, which is said once.
"""
import argparse
import functools
import os
import re
import statistics
import sys
import time

import starting
import timers
import work


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(prog="peers.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="",
                        help="the work whose name matches")
    parser.add_argument("--group", metavar="NAME", help="one group of work")
    parser.add_argument("--peer", metavar="NAME", help="one peer")
    parser.add_argument("--rounds", metavar="N", type=int, default=7,
                        help="turns that each side gets (default: 7)")
    parser.add_argument("--threads", metavar="N", type=int, default=os.cpu_count(),
                        help="threads of both sides (default: one for each processor)")
    parser.add_argument("--build", metavar="DIR", default=os.path.join(work.ROOT, "build"),
                        help="the build tree (default: build)")
    parser.add_argument("--list", action="store_true", help="print the names of the work and end")
    parser.epilog = ("./dev bench peers --install first gets the peers that are missing: Debian "
                     "packages, and\nONNX Runtime from npm, which lies in build/peers.")
    options = parser.parse_args(arguments)
    try:
        re.compile(options.only)
    except re.error as error:
        parser.error(f"--only: {error}")
    groups = sorted({row.group for row in work.all_work()})
    if options.group and options.group not in groups:
        parser.error(f"--group: `{options.group}` is none of {', '.join(groups)}")
    if options.peer and options.peer not in starting.PEERS:
        parser.error(f"--peer: `{options.peer}` is none of {', '.join(starting.PEERS)}")
    if options.rounds < 1 or options.threads < 1:
        parser.error("--rounds and --threads are at least 1")
    return options


def chosen(options):
    for row in work.all_work():
        if options.group and row.group != options.group or not re.search(options.only, row.name):
            continue
        row.peers = [peer for peer in row.peers if options.peer in (None, peer.name)]
        if row.peers:
            yield row


def batch_size(timer):
    """The runs of one turn: some 30 ms, and several where that does not take long."""
    timer.run(1)
    milliseconds = max(timer.run(1), 1e-3)
    return max(5 if milliseconds < 50 else 1, min(1000, int(30 / milliseconds)))


# Seconds until threads of the other side have come to rest: OpenBLAS's wait busily for 25 ms.
PAUSE = 0.04


def measure(ours, peer, rounds):
    """(our time, the peer's, their ratio)."""
    counts = {timer: batch_size(timer) for timer in (ours, peer)}
    pairs = []
    for _ in range(rounds):
        pair = []
        for timer in (ours, peer):
            time.sleep(PAUSE)
            timer.run(counts[timer])  # the caches were others'
            pair.append(timer.run(counts[timer]))
        pairs.append(pair)
    return (statistics.median(pair[0] for pair in pairs),
            statistics.median(pair[1] for pair in pairs),
            statistics.median(mine / other for mine, other in pairs))


HEAD = f"{'work':66} {'ours ms':>9}  {'peer':11} {'peer ms':>9} {'ratio':>6} {'bar':>5}"


def line_of(name, peer, figures):
    mine, other, ratio = figures
    verdict, bar = "", "-"
    if peer.bar is not None:
        bar = f"{peer.bar:.2f}"
        verdict = "ok" if ratio <= peer.bar else "missed"
    return f"{name:66} {mine:9.3f}  {peer.name:11} {other:9.3f} {ratio:6.2f} {bar:>5}  {verdict}"


def compare(row, options, notes):
    """Prints a line for each peer of a row; returns how many bars there are and how many are missed."""
    bars, missed = 0, 0
    try:
        ours = starting.start_ours(row, options)
    except timers.Missing as reason:
        notes(f"{row.name}: {reason}")
        return 0, 0
    for peer in row.peers:
        try:
            timer = starting.start_peer(peer, options)
            figures = measure(ours, timer, options.rounds)
        except timers.Missing as reason:
            notes(f"{peer.name}: {reason}")
            continue
        timer.close()
        print(line_of(row.name, peer, figures), flush=True)
        bars += peer.bar is not None
        missed += peer.bar is not None and figures[2] > peer.bar
    ours.close()
    return bars, missed


def main():
    options = parse_arguments(sys.argv[1:])
    rows = list(chosen(options))
    if options.list:
        print("\n".join(f"{row.group:18} {row.name}" for row in rows))
        return
    said = functools.lru_cache(maxsize=None)(  # once
        lambda text: print(f"skipped: {text}", flush=True))
    print(HEAD)
    bars, missed = 0, 0
    for row in rows:
        counts = compare(row, options, said)
        bars, missed = bars + counts[0], missed + counts[1]
    print(f"{bars} bars, {missed} missed")


if __name__ == "__main__":
    main()

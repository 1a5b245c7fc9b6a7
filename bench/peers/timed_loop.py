"""The side of what is timed in the conversation with peers.py, for peers in Python: timed_loop.h.
"""
import statistics
import sys
import time


def serve(run):
    """Answers counts of runs with the median of so many calls of `run` in milliseconds."""
    run()
    print("ready", flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            run()
            times.append((time.perf_counter() - start) * 1e3)
        print(f"{statistics.median(times):.6f}", flush=True)


def missing(reason):
    """Says that there is nothing to time, and ends."""
    print(f"missing {reason}", flush=True)
    sys.exit(0)

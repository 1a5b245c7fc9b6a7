"""What can be timed in turns: processes that answer (timed_loop.h), whole processes, constants."""
import os
import subprocess
import time


class Missing(Exception):
    """There is nothing to time; the message says what is not there."""


class Server:
    """A process that runs its work as often as it is asked to and says how long that took."""

    def __init__(self, command, environment=None):
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, **(environment or {})})
        line = self._process.stdout.readline().strip()
        if line != "ready":
            self._process.stdin.close()
            errors = self._process.stderr.read().strip().splitlines()
            self._process.wait()
            reason = line.removeprefix("missing ")
            raise Missing(reason or (errors[-1] if errors else f"{command[0]} ends"))

    def run(self, count):
        """The median of `count` runs in milliseconds."""
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise Missing("ended in the middle of its work")
        return float(line)

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.stderr.close()
        self._process.terminate()
        self._process.wait()


class Command:
    """A process from its start to its end."""

    def __init__(self, command):
        self._command = command
        self.run(1)

    def run(self, count):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            result = subprocess.run(self._command, capture_output=True, check=False)
            times.append((time.perf_counter() - start) * 1e3)
            if result.returncode != 0:
                raise Missing(result.stderr.decode(errors="replace").strip())
        return sorted(times)[len(times) // 2]

    def close(self):
        pass


class Constant:
    """A time that is known."""

    def __init__(self, milliseconds):
        self._milliseconds = milliseconds

    def run(self, _count):
        return self._milliseconds

    def close(self):
        pass


def fastest(makers):
    """Of timers that do the same in different ways the one that takes the least time."""
    best, least = None, None
    for make in makers:
        timer = make()
        timer.run(1)
        taken = min(timer.run(3) for _ in range(3))
        if best is None or taken < least:
            best, timer = timer, best
            least = taken
        if timer is not None:
            timer.close()
    return best

// The side of what is timed in the conversation with bench/peers/peers.py: it says `ready`, reads
// counts of runs and answers each with the median of so many runs in milliseconds. Both sides of a
// comparison wait for their turn like that, so neither has the machine while the other runs.
#ifndef HLOKIT_BENCH_PEERS_TIMED_LOOP_H_
#define HLOKIT_BENCH_PEERS_TIMED_LOOP_H_

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <vector>

namespace hlo::bench {

// The median of `count` calls of `run` in milliseconds.
template <typename Run>
double MedianOf(int count, Run&& run) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <typename Run>
int ServeTimes(Run&& run) {
  std::cout << "ready" << std::endl;
  for (int count = 0; std::cin >> count && count > 0;) {
    std::printf("%.6f\n", MedianOf(count, run));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace hlo::bench

#endif  // HLOKIT_BENCH_PEERS_TIMED_LOOP_H_

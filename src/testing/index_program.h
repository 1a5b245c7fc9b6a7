// Random small programs of one instruction, printed as HLO: what the maps of hlo-index are checked
// on.
#ifndef HLOKIT_TESTING_INDEX_PROGRAM_H_
#define HLOKIT_TESTING_INDEX_PROGRAM_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace hlo::testing {

using Dims = std::vector<int64_t>;

// Random attributes, printed as HLO.
class RandomOp {
 public:
  explicit RandomOp(uint32_t seed) : random_(seed) {}

  int64_t Pick(int64_t lower, int64_t upper) {
    return std::uniform_int_distribution<int64_t>(lower, upper)(random_);
  }
  bool Flip() { return Pick(0, 1) == 1; }
  Dims Sizes(int64_t rank, int64_t lower = 1, int64_t upper = 4) {
    Dims dims(static_cast<size_t>(rank));
    for (int64_t& d : dims) d = Pick(lower, upper);
    return dims;
  }
  std::vector<int64_t> Permutation(int64_t rank) {
    std::vector<int64_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random_);
    return order;
  }
  std::vector<int64_t> Subset(int64_t rank) {
    std::vector<int64_t> subset;
    for (int64_t d = 0; d < rank; ++d) {
      if (Flip()) subset.push_back(d);
    }
    return subset;
  }

 private:
  std::mt19937 random_;
};

// "f32[2,3]", "{0,1}".
std::string Text(const std::string& type, const Dims& dims);
std::string F32(const Dims& dims);
std::string List(const std::vector<int64_t>& items);

struct Program {
  std::vector<std::string> parameters;  // shapes
  std::string root;                     // behind "ROOT r = "; operands are p0, p1, ...
  std::string before;                   // computations
};

// The whole module.
std::string TextOf(const Program& program);

// The computation `add`.
extern const char kAdd[];

struct WindowText {
  std::string text;
  Dims window, output;
};

// A window over `base` with strides, padding and dilations.
WindowText RandomWindow(RandomOp& r, const Dims& base);

bool Never(bool to_input, int64_t operand);
bool Always(bool to_input, int64_t operand);
template <int64_t kOperand>
bool OfOperand(bool, int64_t operand) {
  return operand == kOperand;
}

struct ProgramKind {
  const char* name;
  Program (*make)(RandomOp& random);
  int programs;
  // Operands and directions whose maps say more than what can be seen: the others are exact.
  bool (*is_wide)(bool to_input, int64_t operand) = Never;
  int rounds = 1;  // as CheckOptions has it
};

std::span<const ProgramKind> ElementwisePrograms();
std::span<const ProgramKind> DataMovementPrograms();
std::span<const ProgramKind> ReductionPrograms();
std::span<const ProgramKind> ContractionPrograms();
std::span<const ProgramKind> IndexingPrograms();
std::span<const ProgramKind> LinalgPrograms();
std::span<const ProgramKind> CollectivePrograms();

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_INDEX_PROGRAM_H_

// What the functions that make operations take and give: handles of values and computations, lists
// of numbers, and where in the caller's program a call stands.
#ifndef HLOKIT_BUILDER_OP_H_
#define HLOKIT_BUILDER_OP_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <source_location>
#include <span>
#include <utility>
#include <vector>
#include <version>

#include "ir/ids.h"
#include "ir/shape.h"

namespace hlo {

class BuilderState;
class HloBuilder;
class Operation;

namespace ops {

// Where a function was called. Every function has one as its last parameter, which callers leave
// out: error messages begin with it.
#ifdef __cpp_lib_source_location
using SourceLocation = std::source_location;
#else  // clang before 16
class SourceLocation {
 public:
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          uint_least32_t line = __builtin_LINE()) {
    SourceLocation location;
    location.file_ = file;
    location.line_ = line;
    return location;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr uint_least32_t line() const { return line_; }

 private:
  const char* file_ = "";
  uint_least32_t line_ = 0;
};
#endif

// The value of an operation in a program being built. A copy is the same value. An Op that nothing
// was assigned to, and what a failed call returns, is not valid(): functions take it, report it
// where no earlier error explains it, and return such an Op again.
class Op {
 public:
  Op() = default;

  // Whether this is a value of a program that is still being built.
  bool valid() const;
  // The shape, which stays in place until the program is built; the empty tuple if !valid().
  const Shape& shape() const;

 private:
  friend class hlo::BuilderState;
  friend class hlo::HloBuilder;
  friend class hlo::Operation;
  Op(std::shared_ptr<BuilderState> state, InstructionId id) : state_(std::move(state)), id_(id) {}

  std::shared_ptr<BuilderState> state_;  // none: nobody knows which program is meant
  InstructionId id_;
};

// A computation of a program being built, which operations call: what HloBuilder::AddComputation
// and HloBuilder::BuildComputation return. Not valid() after an error.
class Callee {
 public:
  Callee() = default;
  bool valid() const;

 private:
  friend class hlo::BuilderState;
  friend class hlo::HloBuilder;
  friend class hlo::Operation;
  Callee(std::shared_ptr<BuilderState> state, ComputationId id)
      : state_(std::move(state)), id_(id) {}

  std::shared_ptr<BuilderState> state_;
  ComputationId id_;
};

// A list as an argument: `{1, 2}`, or anything that holds its items side by side. Shows what it is
// made of, for the length of a call.
template <typename T>
class ListArg {
 public:
  ListArg() = default;
  ListArg(std::initializer_list<T> items) : ListArg(std::data(items), items.size()) {}
  template <std::ranges::contiguous_range Items>
  requires std::same_as<std::ranges::range_value_t<Items>, T> ListArg(const Items& items)
      : ListArg(std::ranges::data(items), std::ranges::size(items)) {}

  const T* data() const { return data_; }
  size_t size() const { return size_; }
  int64_t ssize() const { return static_cast<int64_t>(size_); }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::vector<T> ToVector() const { return std::vector<T>(begin(), end()); }

 private:
  ListArg(const T* data, size_t size) : data_(data), size_(size) {}

  const T* data_ = nullptr;
  size_t size_ = 0;
};

using Ints = ListArg<int64_t>;  // sizes, or dimension numbers
using Ops = ListArg<Op>;

}  // namespace ops
}  // namespace hlo

#endif  // HLOKIT_BUILDER_OP_H_

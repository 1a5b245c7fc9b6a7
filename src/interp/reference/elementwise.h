// What the elementwise kernels share: operands brought to one size, and blocks of operands widened
// to the type that the functors of interp/scalar_ops_*.h compute in.
//
// The compute type is the element type itself, but f32 for narrower floats, and the widest of the
// types where a dump mixes precisions. Blocks are short enough to stay in the L1 cache; a block of
// an array that already has the compute type is the array's own memory.
#ifndef HLOKIT_INTERP_REFERENCE_ELEMENTWISE_H_
#define HLOKIT_INTERP_REFERENCE_ELEMENTWISE_H_

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interp/kernel/evaluation.h"
#include "interp/reference/converted_array.h"
#include "ir/element_conversion.h"
#include "support/status_macros.h"

namespace hlo::reference {

inline constexpr int64_t kElementwiseBlockSize = 512;

// The operands of an elementwise instruction, all with the sizes of the result.
class ElementwiseOperands {
 public:
  // Reads the operands of `e` and gives the result their sizes. Operands that are scalars while
  // others are not stand for every element where `scalars_repeat` (select, clamp). A run-time size
  // of 1 stretches to the other operands' size, and operands that are static in a dimension are
  // read on the range of the others (semantics.md 13). Fails when run-time sizes disagree.
  static absl::StatusOr<ElementwiseOperands> Make(Evaluation& e, bool scalars_repeat = false);

  const ArrayRef& operator[](size_t i) const { return operands_[i]; }
  int64_t element_count() const { return element_count_; }

 private:
  absl::InlinedVector<ArrayRef, 3> operands_;
  absl::InlinedVector<FittedArray, 3> fitted_;
  int64_t element_count_ = 0;
};

// The type to compute in, or an error where the opcode is not defined for the operands' types.
absl::StatusOr<ElementType> ComputeType(Evaluation& e, TypeSet domain);

absl::Status NotDefinedFor(Evaluation& e, ElementType type);

// DispatchElementType over the types that functors compute in: no narrow floats.
template <TypeSet kDomain, typename Function>
absl::Status DispatchComputeType(ElementType type, Function&& function) {
  return DispatchElementType<kDomain>(type, [&]<typename T>() -> absl::Status {
    if constexpr ((kTypeClassOf<T> & kFloat) != 0 && !std::floating_point<T>) {
      HLO_UNREACHABLE();
    } else {
      return function.template operator()<T>();
    }
  });
}

// An operand read as Ts.
template <typename T>
class BlockReader {
 public:
  BlockReader(const ArrayRef& array, int64_t element_count)
      : array_(array), repeats_(array.dims.empty() && element_count != 1) {
    if (!repeats_) return;
    ConvertElements(array.element_type, array.bytes, kElementTypeOf<T>, buffer_, 1);
    std::fill_n(buffer() + 1, kElementwiseBlockSize - 1, *buffer());
  }

  // `count` elements from `begin` on; valid until the next call.
  const T* Read(int64_t begin, int64_t count) {
    if (repeats_) return buffer();
    const std::byte* from = array_.bytes + begin * ElementByteSize(array_.element_type);
    if (array_.element_type == kElementTypeOf<T>) return reinterpret_cast<const T*>(from);
    ConvertElements(array_.element_type, from, kElementTypeOf<T>, buffer_, count);
    return buffer();
  }

 private:
  T* buffer() { return reinterpret_cast<T*>(buffer_); }

  const ArrayRef& array_;
  bool repeats_;
  alignas(64) std::byte buffer_[kElementwiseBlockSize * sizeof(T)];
};

// The result, written as Ts.
template <typename T>
class BlockWriter {
 public:
  explicit BlockWriter(const MutableArrayRef& array) : array_(array) {}

  // Where to put the elements from `begin` on.
  T* Begin(int64_t begin) {
    return is_direct() ? reinterpret_cast<T*>(target(begin)) : reinterpret_cast<T*>(buffer_);
  }
  // Stores what was put there.
  void Commit(int64_t begin, int64_t count) {
    if (is_direct()) return;
    ConvertElements(kElementTypeOf<T>, buffer_, array_.element_type, target(begin), count);
  }

 private:
  bool is_direct() const { return array_.element_type == kElementTypeOf<T>; }
  std::byte* target(int64_t begin) const {
    return array_.bytes + begin * ElementByteSize(array_.element_type);
  }

  const MutableArrayRef& array_;
  alignas(64) std::byte buffer_[kElementwiseBlockSize * sizeof(T)];
};

// Calls function(begin, count) for consecutive blocks.
template <typename Function>
void ForEachBlock(int64_t element_count, Function&& function) {
  for (int64_t begin = 0; begin < element_count; begin += kElementwiseBlockSize) {
    function(begin, std::min(kElementwiseBlockSize, element_count - begin));
  }
}

// The loops over a block, apart from the code that moves blocks so that only they are compiled
// once for each opcode.
template <typename T, typename Result>
using UnaryLoop = void (*)(const T* x, Result* result, int64_t count);
template <typename T, typename Result>
using BinaryLoop = void (*)(const T* a, const T* b, Result* result, int64_t count);
template <typename T>
using TernaryLoop = void (*)(const T* a, const T* b, const T* c, T* result, int64_t count);

template <typename T, typename Result>
void RunUnary(const ElementwiseOperands& operands, const MutableArrayRef& result,
              UnaryLoop<T, Result> loop) {
  BlockReader<T> x(operands[0], operands.element_count());
  BlockWriter<Result> writer(result);
  ForEachBlock(operands.element_count(), [&](int64_t begin, int64_t count) {
    loop(x.Read(begin, count), writer.Begin(begin), count);
    writer.Commit(begin, count);
  });
}

template <typename T, typename Result>
void RunBinary(const ElementwiseOperands& operands, const MutableArrayRef& result,
               BinaryLoop<T, Result> loop) {
  BlockReader<T> a(operands[0], operands.element_count());
  BlockReader<T> b(operands[1], operands.element_count());
  BlockWriter<Result> writer(result);
  ForEachBlock(operands.element_count(), [&](int64_t begin, int64_t count) {
    loop(a.Read(begin, count), b.Read(begin, count), writer.Begin(begin), count);
    writer.Commit(begin, count);
  });
}

template <typename T>
void RunTernary(const ElementwiseOperands& operands, const MutableArrayRef& result,
                TernaryLoop<T> loop) {
  BlockReader<T> a(operands[0], operands.element_count());
  BlockReader<T> b(operands[1], operands.element_count());
  BlockReader<T> c(operands[2], operands.element_count());
  BlockWriter<T> writer(result);
  ForEachBlock(operands.element_count(), [&](int64_t begin, int64_t count) {
    loop(a.Read(begin, count), b.Read(begin, count), c.Read(begin, count), writer.Begin(begin),
         count);
    writer.Commit(begin, count);
  });
}

template <typename Fn, typename T, typename Result>
void UnaryLoopOf(const T* x, Result* result, int64_t count) {
  for (int64_t i = 0; i < count; ++i) result[i] = Fn()(x[i]);
}
template <typename Fn, typename T, typename Result>
void BinaryLoopOf(const T* a, const T* b, Result* result, int64_t count) {
  for (int64_t i = 0; i < count; ++i) result[i] = Fn()(a[i], b[i]);
}
template <typename Fn, typename T>
void TernaryLoopOf(const T* a, const T* b, const T* c, T* result, int64_t count) {
  for (int64_t i = 0; i < count; ++i) result[i] = Fn()(a[i], b[i], c[i]);
}

// result[i] = Fn(x[i]); Fn takes every type of the domain.
template <TypeSet kDomain, typename Fn>
absl::Status EvalUnary(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(const ElementType type, ComputeType(e, kDomain));
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  return DispatchComputeType<kDomain>(type, [&]<typename T>() -> absl::Status {
    using Result = std::invoke_result_t<Fn, T>;
    RunUnary<T, Result>(operands, e.result(), UnaryLoopOf<Fn, T, Result>);
    return absl::OkStatus();
  });
}

// result[i] = Fn(a[i], b[i])
template <TypeSet kDomain, typename Fn>
absl::Status EvalBinary(Evaluation& e) {
  HLO_ASSIGN_OR_RETURN(const ElementType type, ComputeType(e, kDomain));
  HLO_ASSIGN_OR_RETURN(const ElementwiseOperands operands, ElementwiseOperands::Make(e));
  return DispatchComputeType<kDomain>(type, [&]<typename T>() -> absl::Status {
    using Result = std::invoke_result_t<Fn, T, T>;
    RunBinary<T, Result>(operands, e.result(), BinaryLoopOf<Fn, T, Result>);
    return absl::OkStatus();
  });
}

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_ELEMENTWISE_H_

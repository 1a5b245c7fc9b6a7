// The windows of a scatter that are rows of its operand.
#ifndef HLOKIT_INTERP_SIMD_MOVEMENT_ROW_TARGETS_H_
#define HLOKIT_INTERP_SIMD_MOVEMENT_ROW_TARGETS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "interp/kernel/array_view.h"
#include "interp/kernel/evaluation.h"
#include "ir/element_traits.h"
#include "ir/gather_dimensions.h"

namespace hlo::simd {

// Where the rows of a scatter go, read from the indices as they are.
class RowTargets {
 public:
  explicit RowTargets(const Evaluation& e);

  // Whether updates and vectors of indices lie one after the other, each a row and a vector whole.
  static bool Suit(const OpView& op);

  // Where the indices lie in this run.
  void set_indices(const ArrayRef& indices) { indices_ = indices; }

  int64_t row_size() const { return row_size_; }
  int64_t count() const { return count_; }

  // visit(i, target) with where each of the rows begin ... end - 1 goes, in order, but for those
  // that lie outside.
  template <typename Visit>
  void ForEach(int64_t begin, int64_t end, Visit&& visit) const {
    for (int64_t i = begin; i < end;) {
      const int64_t batch_end = std::min(end, (i / batch_size_ + 1) * batch_size_);
      ForEachInBatch(i, batch_end, BatchBegin(i / batch_size_), visit);
      i = batch_end;
    }
  }

 private:
  static constexpr size_t kMaxComponents = 4;

  // Whether the vectors' dimensions that start dimensions of the operand are their first ones, as
  // large as these.
  static bool HasLeadingBatches(const OpView& op, const GatherDimensions& dimensions);

  // Where in the operand the entry `number` of the batch begins.
  int64_t BatchBegin(int64_t number) const;

  template <typename Visit>
  void ForEachInBatch(int64_t begin, int64_t end, int64_t first, Visit&& visit) const {
    DispatchElementType<kInteger>(indices_.element_type, [&]<typename T>() {
      const T* vectors = View<T>(indices_).data();
      // Copies: who visits may write what the compiler cannot tell apart from members.
      const std::array<Component, kMaxComponents> components = components_;
      const auto walk = [&](auto component_count) {
        for (int64_t i = begin; i < end; ++i) {
          const T* vector = vectors + i * static_cast<int64_t>(component_count);
          bool is_inside = true;
          int64_t target = first;
          for (size_t k = 0; k < component_count; ++k) {
            const auto index = static_cast<int64_t>(NativeValue(vector[k]));
            is_inside &= index >= 0 && index < components[k].size;
            target += (is_inside ? index : 0) * components[k].stride;
          }
          if (is_inside) visit(i, target);
        }
      };
      component_count_ == 1 ? walk(std::integral_constant<size_t, 1>()) : walk(component_count_);
    });
  }

  struct Component {
    int64_t size, stride;
  };

  ArrayRef indices_;
  int64_t row_size_, count_;
  std::array<Component, kMaxComponents> components_ = {};
  size_t component_count_;
  std::array<Component, kMaxComponents> batches_ = {};  // by dimension of the vectors
  size_t batch_rank_;
  int64_t batch_size_;  // rows
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_MOVEMENT_ROW_TARGETS_H_

// sort (semantics.md 9.6) by a comparator of one operand's elements: key and place of an element
// become one integer, the key above, so that integers in ascending order are the stable order of
// elements. Highway sorts the integers, then all operands are put in that order.
//
// A comparison that is no order, of NaN by value, is left to the reference kernel, whose result
// depends on how it sorts.
#include "interp/simd/sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <span>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/element_size.h"
#include "interp/reference/eval.h"
#include "interp/reference/sort_lines.h"
#include "interp/simd/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::Lines;

constexpr int64_t kMaxLength = int64_t{1} << 32;  // places are 32 bits
constexpr int64_t kPartSize = int64_t{1} << 15;   // elements that are worth a part of their own

// Whether `type` has keys of 32 bits.
bool HasKeys(ElementType type) {
  return type == ElementType::kPred || (IsInteger(type) && BitWidth(type) <= 32) ||
         (IsFloat(type) && BitWidth(type) <= 32);
}

enum class Order : uint8_t { kValue, kTotal, kCanonical };

// Unsigned numbers of 32 bits that order as elements of T do in ascending order.
template <typename T, Order kOrder>
uint32_t KeyOf(T x) {
  constexpr uint32_t kSign = uint32_t{1} << 31;
  if constexpr (kTypeClassOf<T> == kFloat) {
    if constexpr (kOrder == Order::kCanonical) {
      return static_cast<uint32_t>(static_cast<int32_t>(reference::CanonicalKey(x))) ^ kSign;
    } else if constexpr (kOrder == Order::kTotal) {
      return static_cast<uint32_t>(static_cast<int32_t>(reference::TotalOrderKey(x))) ^ kSign;
    } else {
      // Zeros are equal by value; exact in f32.
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x) + 0.0f);
      return (bits & kSign) != 0 ? ~bits : bits | kSign;
    }
  } else if constexpr (kTypeClassOf<T> == kSigned) {
    return static_cast<uint32_t>(static_cast<int32_t>(x)) ^ kSign;
  } else {
    return static_cast<uint32_t>(x);
  }
}

template <typename T>
bool IsOrdered(const T* elements, int64_t count) {
  if constexpr (kTypeClassOf<T> == kFloat) {
    for (int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(elements[i]);
      if (x != x) return false;
    }
  }
  return true;
}

// Elements `stride` apart, in the order of the places that `order` holds.
template <typename T>
void Permute(const std::byte* from, std::byte* to, int64_t stride,
             std::span<const uint64_t> order) {
  const T* elements = reinterpret_cast<const T*>(from);
  T* next = reinterpret_cast<T*>(to);
  for (uint64_t entry : order) {
    *next = elements[static_cast<int64_t>(entry & UINT32_MAX) * stride];
    next += stride;
  }
}

template <typename T, Order kOrder>
absl::Status SortLines(Evaluation& e, const Lines& lines, const FunctionForm& form) {
  const ArrayRef& keys = e.operand(static_cast<size_t>(form.parameter));
  const T* elements = View<T>(keys).data();
  if (kOrder == Order::kValue && !IsOrdered(elements, keys.element_count()))
    return e.RunInstead(reference::FindKernel(Opcode::kSort));
  if (keys.element_count() == 0) return absl::OkStatus();
  const int64_t line_count = keys.element_count() / lines.length;
  const int64_t lines_per_part =
      std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, lines.length));
  return ForEachPart(e.device(), CeilDiv(line_count, lines_per_part), [&](int64_t part) {
    const ScratchArray<uint64_t> storage(e.device().scratch(), lines.length);
    const std::span<uint64_t> order(storage.get(), static_cast<size_t>(lines.length));
    const hwy::Sorter sorter;
    const int64_t end = std::min(line_count, (part + 1) * lines_per_part);
    for (int64_t line = part * lines_per_part; line < end; ++line) {
      const int64_t base = line / lines.stride * lines.length * lines.stride + line % lines.stride;
      for (int64_t i = 0; i < lines.length; ++i) {
        const uint32_t key = KeyOf<T, kOrder>(elements[base + i * lines.stride]);
        order[static_cast<size_t>(i)] =
            static_cast<uint64_t>(form.ascending ? key : ~key) << 32 | static_cast<uint64_t>(i);
      }
      sorter(order.data(), order.size(), hwy::SortAscending());
      for (size_t k = 0; k < e.operands().size(); ++k) {
        const int64_t size = ElementByteSize(e.operand(k).element_type);
        reference::DispatchElementSize(size, [&]<typename Element>() {
          Permute<Element>(e.operand(k).bytes + base * size, e.result(k).bytes + base * size,
                           lines.stride, order);
        });
      }
    }
  });
}

struct SortedLines {
  explicit SortedLines(const Evaluation& e)
      : lines(e.operand(0).dims, e.Get<Attr::kDimensions>()[0]) {}

  Lines lines;
};

absl::Status RunSort(Evaluation& e) {
  const FunctionForm& form = e.Function(Attr::kToApply).form();
  const Lines& lines = PreparedOf<SortedLines>(e).lines;
  absl::Status status;
  DispatchElementType<kPred | kInteger | kFloat>(form.element_type, [&]<typename T>() {
    if constexpr (sizeof(T) <= 4) {
      if (kTypeClassOf<T> != kFloat || !form.total_order) {
        status = SortLines<T, Order::kValue>(e, lines, form);
      } else if constexpr (kTypeClassOf<T> == kFloat) {
        status = form.is_canonical ? SortLines<T, Order::kCanonical>(e, lines, form)
                                   : SortLines<T, Order::kTotal>(e, lines, form);
      }
    }
  });
  return status;
}

// Each thread has the integers of a line, 8 bytes an element. Where values are not ordered (NaN)
// the reference kernel takes over, which has up to 24 for one line: what stands here is between
// both.
int64_t ScratchByteSize(const OpView& op) {
  const int64_t count = ElementCount(op.operand_shape(0)).value_or(INT64_MAX / 64);
  return std::min(count, INT64_MAX / 64) * 16;
}

}  // namespace

const Kernel* FindSortKernel(const OpView& op, const FunctionForm& form) {
  if (form.kind != FunctionForm::Kind::kComparator || !HasKeys(form.element_type) ||
      form.parameter >= op.operand_count()) {
    return nullptr;
  }
  const Shape& keys = op.operand_shape(form.parameter);
  const int64_t dimension = op.Get<Attr::kDimensions>()[0];
  if (keys.element_type() != form.element_type || keys.dim(dimension) >= kMaxLength) return nullptr;
  // Integers for elements: of no use in short lines far apart.
  if (keys.dim(dimension) < 16) return nullptr;
  static constexpr Kernel kKernel = {
      .run = RunSort, .prepare = Prepare<SortedLines>, .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

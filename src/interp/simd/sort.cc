// sort (semantics.md 9.6) by comparators of operands' elements: the first 32 bits of an element's
// key and its place become one integer, the key above, so that integers in ascending order are the
// stable order of elements. Highway sorts the integers. Where neighbours are equal and there are
// more bits, of the same key or of the next one, they are sorted by those, and so on; then all
// operands are put in that order.
//
// A comparison that is no order, of NaN by value, is left to the reference kernel, whose result
// depends on how it sorts.
#include "interp/simd/sort.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <vector>

#include "interp/kernel/device.h"
#include "interp/kernel/prepared.h"
#include "interp/reference/element_size.h"
#include "interp/reference/eval.h"
#include "interp/reference/sort_lines.h"
#include "interp/simd/parallel.h"
#include "interp/simd/reference_memory.h"
#include "interp/simd/wide.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

using reference::Lines;

constexpr int64_t kMaxLength = int64_t{1} << 32;  // places are 32 bits
constexpr int64_t kPartSize = int64_t{1} << 15;   // elements that are worth a part of their own

// Whether elements of `type` have keys.
bool HasKeys(ElementType type) {
  return type == ElementType::kPred || IsInteger(type) || IsFloat(type);
}

enum class Order : uint8_t { kValue, kTotal, kCanonical };

Order OrderOf(const FunctionForm::Key& key) {
  if (!key.total_order || !IsFloat(key.element_type)) return Order::kValue;
  return key.is_canonical ? Order::kCanonical : Order::kTotal;
}

// Unsigned numbers, of as many bits as T or of 32, that order as elements of T do in ascending
// order.
template <typename T, Order kOrder>
auto KeyOf(T x) {
  using Key = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;
  using Signed = std::make_signed_t<Key>;
  constexpr Key kSign = Key{1} << (8 * sizeof(Key) - 1);
  if constexpr (kTypeClassOf<T> == kFloat) {
    if constexpr (kOrder == Order::kCanonical) {
      return static_cast<Key>(static_cast<Signed>(reference::CanonicalKey(x))) ^ kSign;
    } else if constexpr (kOrder == Order::kTotal) {
      return static_cast<Key>(static_cast<Signed>(reference::TotalOrderKey(x))) ^ kSign;
    } else {
      // Zeros are equal by value; narrow floats are exact in f32.
      using Wide = std::conditional_t<(sizeof(T) > 4), double, float>;
      const auto bits = std::bit_cast<Key>(static_cast<Wide>(x) + Wide{0});
      return (bits & kSign) != 0 ? ~bits : bits | kSign;
    }
  } else if constexpr (kTypeClassOf<T> == kSigned) {
    return static_cast<Key>(static_cast<Signed>(x)) ^ kSign;
  } else {
    return static_cast<Key>(x);
  }
}

// 32 bits of the keys of the elements whose places the entries hold: put above the places.
using FillDigits = void (*)(const std::byte* line, int64_t stride, bool ascending,
                            std::span<uint64_t> entries);

template <typename T, Order kOrder, int kShift>
void FillDigitsOf(const std::byte* line, int64_t stride, bool ascending,
                  std::span<uint64_t> entries) {
  const T* elements = reinterpret_cast<const T*>(line);
  const uint32_t flip = ascending ? 0 : UINT32_MAX;
  for (uint64_t& entry : entries) {
    const uint64_t place = entry & UINT32_MAX;
    const auto key = KeyOf<T, kOrder>(elements[static_cast<int64_t>(place) * stride]);
    entry = uint64_t{static_cast<uint32_t>(key >> kShift) ^ flip} << 32 | place;
  }
}

// Without places: those of a whole line, in order.
void FillPlaces(std::span<uint64_t> entries) {
  for (size_t i = 0; i < entries.size(); ++i) entries[i] = i;
}

struct Digit {
  size_t operand;
  int64_t element_size;
  bool ascending;
  FillDigits fill;
};

template <Order kOrder>
void AddDigits(const FunctionForm::Key& key, std::vector<Digit>& digits) {
  const auto operand = static_cast<size_t>(key.parameter);
  DispatchElementType<kPred | kInteger | kFloat>(key.element_type, [&]<typename T>() {
    const auto size = static_cast<int64_t>(sizeof(T));
    if constexpr (kOrder != Order::kValue && kTypeClassOf<T> != kFloat) {
      return;  // OrderOf says otherwise
    } else if constexpr (sizeof(T) > 4) {
      digits.push_back({operand, size, key.ascending, FillDigitsOf<T, kOrder, 32>});
      digits.push_back({operand, size, key.ascending, FillDigitsOf<T, kOrder, 0>});
    } else {
      digits.push_back({operand, size, key.ascending, FillDigitsOf<T, kOrder, 0>});
    }
  });
}

// What is worked out once: the digits of the keys, and the operands that may have NaN.
struct SortOrder {
  explicit SortOrder(Evaluation& e);

  std::vector<Digit> digits;
  std::vector<size_t> ordered_by_value;
};

SortOrder::SortOrder(Evaluation& e) {
  for (const FunctionForm::Key& key : e.Function(Attr::kToApply).form().keys) {
    switch (OrderOf(key)) {
      case Order::kValue:
        AddDigits<Order::kValue>(key, digits);
        if (key.IsFloatByValue()) ordered_by_value.push_back(static_cast<size_t>(key.parameter));
        break;
      case Order::kTotal:
        AddDigits<Order::kTotal>(key, digits);
        break;
      case Order::kCanonical:
        AddDigits<Order::kCanonical>(key, digits);
        break;
    }
  }
}

bool HasNan(const ArrayRef& array) {
  bool has_nan = false;
  DispatchElementType<kFloat>(array.element_type, [&]<typename T>() {
    for (const T element : View<T>(array).elements()) {
      const auto x = Wide(element);
      has_nan |= x != x;
    }
  });
  return has_nan;
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

// The lines of some operands, and the order of one of them at a time.
class LineSorter {
 public:
  LineSorter(Evaluation& e, const Lines& lines, const std::vector<Digit>& digits)
      : e_(e), lines_(lines), digits_(digits) {}

  void Sort(int64_t base, std::span<uint64_t> entries) const {
    FillPlaces(entries);
    SortBy(0, base, entries);
    for (size_t k = 0; k < e_.operands().size(); ++k) {
      const int64_t size = ElementByteSize(e_.operand(k).element_type);
      reference::DispatchElementSize(size, [&]<typename Element>() {
        Permute<Element>(e_.operand(k).bytes + base * size, e_.result(k).bytes + base * size,
                         lines_.stride, entries);
      });
    }
  }

 private:
  static constexpr size_t kFew = 32;  // that are sorted without vectors

  // Entries whose earlier digits are the same.
  void SortBy(size_t number, int64_t base, std::span<uint64_t> entries) const {
    const Digit& digit = digits_[number];
    digit.fill(e_.operand(digit.operand).bytes + base * digit.element_size, lines_.stride,
               digit.ascending, entries);
    if (entries.size() <= kFew) {
      std::ranges::sort(entries);
    } else {
      const hwy::Sorter sorter;
      sorter(entries.data(), entries.size(), hwy::SortAscending());
    }
    if (number + 1 == digits_.size()) return;
    for (size_t begin = 0; begin < entries.size();) {
      size_t end = begin + 1;
      while (end < entries.size() && entries[end] >> 32 == entries[begin] >> 32) ++end;
      if (end - begin > 1) SortBy(number + 1, base, entries.subspan(begin, end - begin));
      begin = end;
    }
  }

  Evaluation& e_;
  const Lines& lines_;
  const std::vector<Digit>& digits_;
};

absl::Status RunSort(Evaluation& e) {
  const SortOrder& order = PreparedOf<SortOrder>(e);
  const Lines lines(e.operand(0).dims, e.Get<Attr::kDimensions>()[0]);
  for (const size_t operand : order.ordered_by_value) {
    if (HasNan(e.operand(operand))) return e.RunInstead(reference::FindKernel(Opcode::kSort));
  }
  const int64_t element_count = e.operand(0).element_count();
  if (element_count == 0) return absl::OkStatus();
  const int64_t line_count = element_count / lines.length;
  const int64_t lines_per_part = std::max<int64_t>(1, kPartSize / lines.length);
  const LineSorter sorter(e, lines, order.digits);
  return ForEachPart(e.device(), CeilDiv(line_count, lines_per_part), [&](int64_t part) {
    const ScratchArray<uint64_t> storage(e.device().scratch(), lines.length);
    const std::span<uint64_t> entries(storage.get(), static_cast<size_t>(lines.length));
    const int64_t end = std::min(line_count, (part + 1) * lines_per_part);
    for (int64_t line = part * lines_per_part; line < end; ++line) {
      sorter.Sort(line / lines.stride * lines.length * lines.stride + line % lines.stride, entries);
    }
  });
}

// Each thread has the integers of a line. Where values are not ordered (NaN) the reference kernel
// takes over.
int64_t ScratchByteSize(const OpView& op) {
  constexpr int64_t kMost = INT64_MAX / 64;
  const int64_t length = op.operand_shape(0).dim(op.Get<Attr::kDimensions>()[0]);
  const int64_t count = std::min(ElementCount(op.operand_shape(0)).value_or(kMost), kMost);
  const int64_t lines = count / std::max<int64_t>(1, length);
  const int64_t lines_at_once = std::max<int64_t>(1, PartsAtOnce(lines));
  return ScratchWithReference(op, std::min(length * lines_at_once, kMost) * 8);
}

}  // namespace

const Kernel* FindSortKernel(const OpView& op, const FunctionForm& form) {
  const auto is_fine = [&](const FunctionForm::Key& key) {
    return key.parameter < op.operand_count() && HasKeys(key.element_type) &&
           op.operand_shape(key.parameter).element_type() == key.element_type;
  };
  const bool is_comparator = form.kind == FunctionForm::Kind::kComparator ||
                             form.kind == FunctionForm::Kind::kLexicographic;
  if (!is_comparator || !std::ranges::all_of(form.keys, is_fine)) return nullptr;
  // Integers for elements: of no use in short lines far apart.
  const int64_t length = op.operand_shape(0).dim(op.Get<Attr::kDimensions>()[0]);
  if (length >= kMaxLength || length < 16) return nullptr;
  static constexpr Kernel kKernel = {
      .run = RunSort, .prepare = Prepare<SortOrder>, .scratch_byte_size = ScratchByteSize};
  return &kKernel;
}

}  // namespace hlo::simd

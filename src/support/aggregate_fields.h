// The fields of a plain struct, found by the compiler: code that must look at every field of every
// attribute value cannot forget one that is added later.
#ifndef HLOKIT_SUPPORT_AGGREGATE_FIELDS_H_
#define HLOKIT_SUPPORT_AGGREGATE_FIELDS_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace hlo {
namespace internal {

// Stands for a value of any type, to ask how many a struct takes.
struct AnyValue {
  size_t position;
  template <typename T>
  constexpr operator T() const;
};

template <typename T, size_t... kPositions>
constexpr bool TakesValues(std::index_sequence<kPositions...>) {
  return requires { T{AnyValue{kPositions}...}; };
}

inline constexpr size_t kMaxFieldCount = 18;

template <typename T, size_t kCount = kMaxFieldCount>
constexpr size_t FieldCount() {
  static_assert(!TakesValues<T>(std::make_index_sequence<kMaxFieldCount + 1>()),
                "more fields than VisitFields knows: add a case");
  if constexpr (kCount == 0 || TakesValues<T>(std::make_index_sequence<kCount>())) {
    return kCount;
  } else {
    return FieldCount<T, kCount - 1>();
  }
}

}  // namespace internal

// Calls visit(a, b, c ...) with references to all fields of `value`, a struct without bases,
// constructors or array fields.
template <typename T, typename Visit>
decltype(auto) VisitFields(T& value, Visit&& visit) {
  static_assert(std::is_aggregate_v<T>);
  constexpr size_t kCount = internal::FieldCount<std::remove_const_t<T>>();
#define HLO_FIELDS(count, ...)          \
  else if constexpr (kCount == count) { \
    auto& [__VA_ARGS__] = value;        \
    return visit(__VA_ARGS__);          \
  }
  if constexpr (kCount == 0) {
    return visit();
  }
  HLO_FIELDS(1, a)
  HLO_FIELDS(2, a, b)
  HLO_FIELDS(3, a, b, c)
  HLO_FIELDS(4, a, b, c, d)
  HLO_FIELDS(5, a, b, c, d, e)
  HLO_FIELDS(6, a, b, c, d, e, f)
  HLO_FIELDS(7, a, b, c, d, e, f, g)
  HLO_FIELDS(8, a, b, c, d, e, f, g, h)
  HLO_FIELDS(9, a, b, c, d, e, f, g, h, i)
  HLO_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
  HLO_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
  HLO_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  HLO_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  HLO_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  HLO_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  HLO_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  HLO_FIELDS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  HLO_FIELDS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
#undef HLO_FIELDS
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_AGGREGATE_FIELDS_H_

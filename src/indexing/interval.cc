// Interval arithmetic (indexing.md 1.3): what overflows becomes infinite on its side.
#include "indexing/interval.h"

#include <algorithm>

#include "support/checked_math.h"

namespace hlo::indexing {
namespace {

bool IsInfinite(int64_t x) { return x == Interval::kMin || x == Interval::kMax; }

int64_t SaturatedMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  const bool is_negative = (a < 0) != (b < 0);
  if (!IsInfinite(a) && !IsInfinite(b)) {
    if (std::optional<int64_t> product = CheckedMul(a, b)) return *product;
  }
  return is_negative ? Interval::kMin : Interval::kMax;
}

int64_t Negated(int64_t x) {
  if (x == Interval::kMin) return Interval::kMax;
  if (x == Interval::kMax) return Interval::kMin;
  return -x;
}

int64_t DividedEnd(int64_t x, int64_t c) {
  if (IsInfinite(x)) return c > 0 ? x : Negated(x);
  return FloorDiv(x, c).value_or(Interval::kMax);
}

}  // namespace

std::optional<int64_t> FloorDiv(int64_t a, int64_t b) {
  if (b == -1) return CheckedSub(0, a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t FloorMod(int64_t a, int64_t b) {
  if (b == 1 || b == -1) return 0;
  const int64_t remainder = a % b;  // has the sign of a
  if (remainder >= 0) return remainder;
  return b < 0 ? remainder - b : remainder + b;
}

std::optional<int64_t> Interval::TripCount() const {
  if (!IsFeasible()) return 0;
  const std::optional<int64_t> span = CheckedSub(upper, lower);
  return span ? CheckedAdd(*span, 1) : std::nullopt;
}

Interval Interval::Intersect(const Interval& other) const {
  const Interval both{std::max(lower, other.lower), std::min(upper, other.upper)};
  if (both.IsFeasible()) return both;
  return {both.lower, CheckedSub(both.lower, 1).value_or(both.lower)};
}

Interval Interval::Union(const Interval& other) const {
  return {std::min(lower, other.lower), std::max(upper, other.upper)};
}

// A lower end that overflows upwards takes the upper one with it, and the other way round.
Interval operator+(const Interval& a, const Interval& b) {
  Interval sum;
  int64_t lower, upper;
  const bool lower_overflows = __builtin_add_overflow(a.lower, b.lower, &lower);
  const bool upper_overflows = __builtin_add_overflow(a.upper, b.upper, &upper);
  sum.lower = lower_overflows ? (a.lower < 0 ? Interval::kMin : Interval::kMax) : lower;
  sum.upper = upper_overflows ? (a.upper < 0 ? Interval::kMin : Interval::kMax) : upper;
  if (a.lower == Interval::kMin || b.lower == Interval::kMin) sum.lower = Interval::kMin;
  if (a.upper == Interval::kMax || b.upper == Interval::kMax) sum.upper = Interval::kMax;
  if (sum.lower == Interval::kMax) sum.upper = Interval::kMax;
  if (sum.upper == Interval::kMin) sum.lower = Interval::kMin;
  return sum;
}

Interval operator-(const Interval& a) { return {Negated(a.upper), Negated(a.lower)}; }

Interval operator-(const Interval& a, const Interval& b) { return a + (-b); }

Interval operator*(const Interval& a, const Interval& b) {
  const int64_t corners[] = {SaturatedMul(a.lower, b.lower), SaturatedMul(a.lower, b.upper),
                             SaturatedMul(a.upper, b.lower), SaturatedMul(a.upper, b.upper)};
  const auto [least, greatest] = std::ranges::minmax(corners);
  return {least, greatest};
}

Interval Min(const Interval& a, const Interval& b) {
  return {std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}

Interval Max(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval FloorDiv(const Interval& a, int64_t c) {
  const int64_t ends[] = {DividedEnd(a.lower, c), DividedEnd(a.upper, c)};
  return {std::min(ends[0], ends[1]), std::max(ends[0], ends[1])};
}

Interval Mod(const Interval& a, int64_t c, bool tight) {
  if (c == Interval::kMin) return {0, Interval::kMax};
  const int64_t m = c < 0 ? -c : c;
  if (!a.IsFeasible()) return {0, m - 1};
  if (a.lower >= 0 && a.upper < m) return a;
  const bool is_finite = !IsInfinite(a.lower) && !IsInfinite(a.upper);
  if (tight && is_finite && *FloorDiv(a.lower, m) == *FloorDiv(a.upper, m)) {
    return {FloorMod(a.lower, m), FloorMod(a.upper, m)};
  }
  return {0, m - 1};
}

std::optional<bool> Greater(const Interval& a, const Interval& b) {
  if (!a.IsFeasible() || !b.IsFeasible()) return std::nullopt;
  if (a.lower > b.upper) return true;
  if (a.upper <= b.lower) return false;
  return std::nullopt;
}

std::optional<bool> Less(const Interval& a, const Interval& b) { return Greater(b, a); }

namespace {
std::optional<bool> Not(std::optional<bool> value) {
  return value ? std::optional<bool>(!*value) : std::nullopt;
}
}  // namespace

std::optional<bool> GreaterEqual(const Interval& a, const Interval& b) { return Not(Less(a, b)); }
std::optional<bool> LessEqual(const Interval& a, const Interval& b) { return Not(Greater(a, b)); }

std::optional<bool> Equal(const Interval& a, const Interval& b) {
  if (!a.IsFeasible() || !b.IsFeasible()) return std::nullopt;
  if (!a.Intersect(b).IsFeasible()) return false;
  if (a.IsPoint() && a == b) return true;
  return std::nullopt;
}

}  // namespace hlo::indexing

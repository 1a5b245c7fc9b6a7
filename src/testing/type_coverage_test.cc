// Executes every opcode that has no domain column on every element type it is defined for, as small
// programs, and compares each element with the definition (semantics.md), which is written out here
// over complex f64. Together with the elementwise rows (domain_coverage_test.cc) every opcode is
// executed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "testing/element_values.h"
#include "testing/run_module.h"

namespace hlo {
namespace {

using testing::ArrayTypes;
using testing::Complex;

constexpr TypeSet kOrdered = kPred | kInteger | kFloat;
constexpr TypeSet kNumber = kInteger | kFloat | kComplex;

using Numbers = std::vector<Complex>;

// What the programs work on, as the type holds it: `a` is v as [2,3], `s` its first element.
struct Input {
  Numbers v;
  ElementType type;

  Complex s() const { return v[0]; }
  Complex a(size_t row, size_t column) const { return v[3 * row + column]; }
};

// Gives the arrays of the result, one behind the other.
using Definition = Numbers (*)(const Input&);

Numbers Operand(const Input& x) { return x.v; }
Numbers Scalar(const Input& x) { return {x.s()}; }
Numbers Ones(const Input&) { return Numbers(6, 1); }
Numbers Repeated(const Input& x) { return Numbers(6, x.s()); }
Numbers SumOfScalars(const Input& x) { return {x.s() + x.s()}; }
Numbers Zero(const Input&) { return {0}; }

// f(row, column) for all elements of [rows,columns].
template <typename Function>
Numbers Table(size_t rows, size_t columns, Function function) {
  Numbers values;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) values.push_back(function(row, column));
  }
  return values;
}

Numbers Joined(std::initializer_list<Numbers> lists) {
  Numbers all;
  for (const Numbers& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Numbers RowSums(const Input& x) {
  return Table(2, 1, [&](size_t r, size_t) { return x.s() + x.a(r, 0) + x.a(r, 1) + x.a(r, 2); });
}

// Columns are carried on: y = a + carry, the carry starts as s.
Numbers RunningSums(const Input& x) {
  const auto sum = [&](size_t row, size_t last) {
    Complex carry = x.s();
    for (size_t column = 0; column <= last; ++column) carry = x.a(row, column) + carry;
    return carry;
  };
  return Joined({Table(2, 3, sum), {sum(0, 2), sum(1, 2)}});
}

// Of each two neighbours in a row the larger one, the first of equals, gets the source added.
Numbers SelectAndScatter(const Input& x) {
  Numbers result(6, x.s());
  for (size_t row = 0; row < 2; ++row) {
    for (size_t window = 0; window < 2; ++window) {
      const bool is_first = x.a(row, window).real() >= x.a(row, window + 1).real();
      result[3 * row + window + (is_first ? 0 : 1)] += x.a(row, window);
    }
  }
  return result;
}

// The positions of row `row` by value, equal ones in order.
std::vector<size_t> SortedPositions(const Input& x, size_t row, bool descending) {
  std::vector<size_t> positions = {0, 1, 2};
  std::ranges::stable_sort(positions, [&](size_t i, size_t j) {
    const double a = x.a(row, i).real(), b = x.a(row, j).real();
    return descending ? a > b : a < b;
  });
  return positions;
}

Numbers Sorted(const Input& x) {
  return Table(2, 3, [&](size_t r, size_t c) { return x.a(r, SortedPositions(x, r, false)[c]); });
}

Numbers TopTwo(const Input& x) {
  const auto position = [&](size_t r, size_t c) { return SortedPositions(x, r, true)[c]; };
  return Joined({Table(2, 2, [&](size_t r, size_t c) { return x.a(r, position(r, c)); }),
                 Table(2, 2, [&](size_t r, size_t c) {
                   return Complex(static_cast<double>(position(r, c)));
                 })});
}

// a times v as [3,2].
Numbers Product(const Input& x) {
  return Table(2, 2, [&](size_t row, size_t column) {
    Complex sum = 0;
    for (size_t k = 0; k < 3; ++k) sum += x.a(row, k) * x.v[2 * k + column];
    return sum;
  });
}

// Of integers below 32 bits the nearest one that the type has (semantics.md 10.4).
Complex Saturated(ElementType type, Complex exact) {
  if (!IsInteger(type) || BitWidth(type) >= 32) return exact;
  const double least = IsSigned(type) ? -std::ldexp(1.0, BitWidth(type) - 1) : 0;
  return std::clamp(exact.real(), least, least + std::ldexp(1.0, BitWidth(type)) - 1);
}

// a with its own first two columns as the kernel, channels are rows.
Numbers Convolution(const Input& x) {
  return Table(1, 2, [&](size_t, size_t place) {
    Complex sum = 0;
    for (size_t c = 0; c < 2; ++c) {
      for (size_t w = 0; w < 2; ++w) sum += x.a(c, place + w) * x.a(c, w);
    }
    return Saturated(x.type, sum);
  });
}

// --- Batch normalisation (semantics.md 11.4) over the two rows, a feature is a column ------------

constexpr double kEpsilon = 0.5;

Complex Mean(const Input& x, size_t column) { return (x.a(0, column) + x.a(1, column)) / 2.0; }
Complex Variance(const Input& x, size_t column) {
  const Complex difference = x.a(0, column) - x.a(1, column);
  return difference * difference / 4.0;
}

Numbers BatchNormTraining(const Input& x) {
  const auto normalised = [&](size_t r, size_t c) {
    return (x.a(r, c) - Mean(x, c)) / std::sqrt(Variance(x, c) + kEpsilon) * x.s() + x.s();
  };
  return Joined({Table(2, 3, normalised),
                 {Mean(x, 0), Mean(x, 1), Mean(x, 2)},
                 {Variance(x, 0), Variance(x, 1), Variance(x, 2)}});
}

// Scale, offset, mean and variance are s.
Numbers BatchNormInference(const Input& x) {
  return Table(2, 3, [&](size_t r, size_t c) {
    return (x.a(r, c) - x.s()) / std::sqrt(x.s() + kEpsilon) * x.s() + x.s();
  });
}

// Scale, mean and variance are s, the gradient of the output is a.
Numbers BatchNormGrad(const Input& x) {
  const Complex variance = x.s() + kEpsilon;
  const auto sum = [&](size_t c) { return x.a(0, c) + x.a(1, c); };
  const auto weighted = [&](size_t c) {
    return x.a(0, c) * (x.a(0, c) - x.s()) + x.a(1, c) * (x.a(1, c) - x.s());
  };
  const auto gradient = [&](size_t r, size_t c) {
    return x.s() / std::sqrt(variance) *
           (x.a(r, c) - sum(c) / 2.0 - (x.a(r, c) - x.s()) * weighted(c) / 2.0 / variance);
  };
  return Joined({Table(2, 3, gradient),
                 Table(1, 3, [&](size_t, size_t c) { return weighted(c) / std::sqrt(variance); }),
                 Table(1, 3, [&](size_t, size_t c) { return sum(c); })});
}

// --- Linear algebra ------------------------------------------------------------------------------

// Of [[v0, .], [v3, v4]].
Numbers Cholesky(const Input& x) {
  const Complex first = std::sqrt(Complex(x.a(0, 0).real()));
  const Complex below = x.a(1, 0) / first;
  return {first, 0, below, std::sqrt(Complex(x.a(1, 1).real() - std::norm(below)))};
}

Numbers TriangularSolve(const Input& x) {
  const auto first = [&](size_t c) { return x.a(0, c) / x.a(0, 0); };
  return Table(2, 3, [&](size_t r, size_t c) {
    return r == 0 ? first(c) : (x.a(1, c) - x.a(1, 0) * first(c)) / x.a(1, 1);
  });
}

Numbers Fourier(const Input& x, double sign, double scale) {
  constexpr double kThird = 2 * 3.14159265358979323846 / 3;
  return Table(2, 3, [&](size_t r, size_t c) {
    Complex sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      sum += x.a(r, k) * std::polar(1.0, sign * kThird * static_cast<double>(k * c));
    }
    return sum * scale;
  });
}

// `T` stands for the element type: v is T[6], a T[2,3], s a scalar T, p pred[2,3], i an s32[] 1.
struct Program {
  std::string_view body;
  TypeSet domain;
  Definition definition;   // null: random numbers
  int compared_width = 0;  // narrower types round too much in between
};

constexpr Program kPrograms[] = {
    // Elementwise ones with attributes or mixed operands.
    {"ROOT r = pred[2,3] compare(a, a), direction=EQ", kAnyArray, Ones},
    {"ROOT r = pred[2,3] compare(a, a), direction=LE", kOrdered, Ones},
    {"ROOT r = pred[2,3] compare(a, a), direction=GT, type=TOTALORDER", kFloat,
     [](const Input&) { return Numbers(6, 0); }},
    {"ROOT r = T[2,3] clamp(s, a, s)", kOrdered, Repeated},
    {"ROOT r = T[2,3] select(p, a, a)", kAnyArray, Operand},
    {"ROOT r = T[2,3] reduce-precision(a), exponent_bits=4, mantissa_bits=3", kFloat, Operand},
    {"ROOT r = T[2,3] convert(i6), metadata={}", kAnyArray, Ones},
    // Data movement.
    {"ROOT r = T[6] bitcast(a)", kAnyArray, Operand},
    {"ROOT r = T[2,3] bitcast-convert(a)", kAnyArray, Operand},
    {"ROOT r = T[4,2,3] broadcast(a), dimensions={1,2}", kAnyArray,
     [](const Input& x) {
       return Joined({x.v, x.v, x.v, x.v});
     }},
    {"ROOT r = T[2,6] concatenate(a, a), dimensions={1}", kAnyArray,
     [](const Input& x) { return Table(2, 6, [&](size_t r, size_t c) { return x.a(r, c % 3); }); }},
    {"ROOT r = T[2,3] copy(a)", kAnyArray, Operand},
    {"three = s32[] constant(3)\n  two = s32[] constant(2)\n"
     "  ROOT r = T[<=3,<=2] dynamic-reshape(a, three, two)",
     kAnyArray, Operand},
    {"ROOT r = s32[] get-dimension-size(a), dimensions={1}", kAnyArray,
     [](const Input&) { return Numbers{3}; }},
    {"t = (T[2,3], T[]) tuple(a, s)\n  ROOT r = T[] get-tuple-element(t), index=1", kAnyArray,
     Scalar},
    {"ROOT r = T[2,3] iota(), iota_dimension=1", kNumber,
     [](const Input&) { return Numbers{0, 1, 2, 0, 1, 2}; }},
    {"ROOT r = T[2,3] opt-barrier(a)", kAnyArray, Operand},
    {"ROOT r = T[4,2] pad(a, s), padding=1_0_1x-1_0", kAnyArray,
     [](const Input& x) {
       return Table(4, 2,
                    [&](size_t r, size_t c) { return r % 2 == 0 ? x.s() : x.a(r / 2, c + 1); });
     }},
    {"ROOT r = T[3,2] reshape(a)", kAnyArray, Operand},
    {"ROOT r = T[2,3] reverse(a), dimensions={0,1}", kAnyArray,
     [](const Input& x) { return Numbers(x.v.rbegin(), x.v.rend()); }},
    {"ROOT r = T[<=2,3] set-dimension-size(a, i), dimensions={0}", kAnyArray,
     [](const Input& x) { return Numbers(x.v.begin(), x.v.begin() + 3); }},
    {"ROOT r = T[1,2] slice(a), slice={[0:1], [0:3:2]}", kAnyArray,
     [](const Input& x) {
       return Numbers{x.a(0, 0), x.a(0, 2)};
     }},
    {"ROOT r = T[3,2] transpose(a), dimensions={1,0}", kAnyArray,
     [](const Input& x) { return Table(3, 2, [&](size_t r, size_t c) { return x.a(c, r); }); }},
    // Reductions and what calls computations.
    {"ROOT r = T[2,3] map(a, a), dimensions={0,1}, to_apply=sum", kAnyArray,
     [](const Input& x) {
       return Table(2, 3, [&](size_t r, size_t c) { return x.a(r, c) + x.a(r, c); });
     }},
    {"ROOT r = T[2] reduce(a, s), dimensions={1}, to_apply=sum", kAnyArray, RowSums},
    {"ROOT r = T[2] reduce(a, s), dimensions={1}, to_apply=largest", kOrdered,
     [](const Input& x) {
       return Table(2, 1, [&](size_t r, size_t) {
         return std::max({x.s().real(), x.a(r, 0).real(), x.a(r, 1).real(), x.a(r, 2).real()});
       });
     }},
    {"ROOT r = T[2,2] reduce-window(a, s), window={size=1x2}, to_apply=sum", kAnyArray,
     [](const Input& x) {
       return Table(2, 2, [&](size_t r, size_t c) { return x.s() + x.a(r, c) + x.a(r, c + 1); });
     }},
    {"ROOT r = (T[2,3], T[2]) scan(a, pair), dimensions={1}, num_carries=1, to_apply=running",
     kAnyArray, RunningSums},
    {"b = T[2,2] slice(a), slice={[0:2], [0:2]}\n"
     "  ROOT r = T[2,3] select-and-scatter(a, b, s), window={size=1x2}, select=at_least, "
     "scatter=sum",
     kOrdered, SelectAndScatter},
    {"ROOT r = T[2,3] sort(a), dimensions={1}, to_apply=less", kOrdered, Sorted},
    {"ROOT r = (T[2,2], s32[2,2]) topk(a), k=2, largest=true", kInteger | kFloat, TopTwo},
    // Contractions.
    {"b = T[3,2] reshape(a)\n"
     "  ROOT r = T[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     kAnyArray, Product},
    {"x = T[1,2,3] reshape(a)\n  k = T[1,2,2] slice(x), slice={[0:1], [0:2], [0:2]}\n"
     "  ROOT r = T[1,1,2] convolution(x, k), window={size=2}, dim_labels=bf0_oi0->bf0",
     kAnyArray, Convolution},
    {"b = T[1,3,2] reshape(a)\n  g = s32[1] constant({2})\n"
     "  ROOT r = T[2,2] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}",
     kAnyArray, Product},
    {"b = T[3,2] reshape(a)\n  one = f8e8m0fnu[] constant(1)\n"
     "  x = f8e8m0fnu[2,1] broadcast(one), dimensions={}\n"
     "  y = f8e8m0fnu[1,2] broadcast(one), dimensions={}\n"
     "  ROOT r = f32[2,2] scaled-dot(a, b, x, y), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}",
     kFloat, Product},
    // Indexing.
    {"ROOT r = T[1,2] dynamic-slice(a, i, i), dynamic_slice_sizes={1,2}", kAnyArray,
     [](const Input& x) {
       return Numbers{x.a(1, 1), x.a(1, 2)};
     }},
    {"u = T[1,2] slice(a), slice={[0:1], [0:2]}\n"
     "  ROOT r = T[2,3] dynamic-update-slice(a, u, i, i)",
     kAnyArray,
     [](const Input& x) { return Numbers{x.v[0], x.v[1], x.v[2], x.v[3], x.v[0], x.v[1]}; }},
    {"j = s32[2] constant({1, 0})\n"
     "  ROOT r = T[2,3] gather(a, j), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
     kAnyArray,
     [](const Input& x) { return Table(2, 3, [&](size_t r, size_t c) { return x.a(1 - r, c); }); }},
    {"j = s32[2] constant({1, 0})\n"
     "  ROOT r = T[2,3] scatter(a, j, a), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
     kAnyArray,
     [](const Input& x) {
       return Table(2, 3, [&](size_t r, size_t c) { return x.a(r, c) + x.a(1 - r, c); });
     }},
    // Linear algebra.
    {"ROOT r = (T[2,3], T[3], T[3]) batch-norm-training(a, row, row), epsilon=0.5, feature_index=1",
     kFloat, BatchNormTraining, 16},
    {"ROOT r = T[2,3] batch-norm-inference(a, row, row, row, row), epsilon=0.5, feature_index=1",
     kFloat, BatchNormInference, 16},
    {"ROOT r = (T[2,3], T[3], T[3]) batch-norm-grad(a, row, row, row, a), epsilon=0.5, "
     "feature_index=1",
     kFloat, BatchNormGrad, 16},
    {"m = T[2,2] slice(a), slice={[0:2], [0:2]}\n  ROOT r = T[2,2] cholesky(m), lower=true",
     kFloat | kComplex, Cholesky},
    {"m = T[2,2] slice(a), slice={[0:2], [0:2]}\n"
     "  ROOT r = T[2,3] triangular-solve(m, a), left_side=true, lower=true, "
     "transpose_a=NO_TRANSPOSE",
     kFloat | kComplex, TriangularSolve},
    {"ROOT r = T[2,3] fft(a), fft_type=FFT, fft_length={3}", kComplex,
     [](const Input& x) { return Fourier(x, -1, 1); }},
    {"ROOT r = T[2,3] fft(a), fft_type=IFFT, fft_length={3}", kComplex,
     [](const Input& x) { return Fourier(x, 1, 1.0 / 3); }},
    // Random numbers.
    {"low = T[] constant(0)\n  high = T[] convert(i)\n"
     "  ROOT r = T[2,3] rng(low, high), distribution=rng_uniform",
     kPred | kInteger, nullptr},
    {"ROOT r = T[2,3] rng(s, s), distribution=rng_uniform", kFloat, nullptr},
    {"ROOT r = T[2,3] rng(s, s), distribution=rng_normal", kFloat, nullptr},
    {"state = u64[2] constant({1, 2})\n"
     "  ROOT r = (u64[2], T[2,3]) rng-bit-generator(state), algorithm=rng_three_fry",
     kInteger | kFloat, nullptr},
    {"state = u64[3] constant({1, 2, 3})\n"
     "  ROOT r = (u64[3], T[2,3]) rng-bit-generator(state), algorithm=rng_philox",
     kInteger | kFloat, nullptr},
    {"ROOT r = u64[2] rng-get-and-update-state(), delta=1", kAnyArray, nullptr},
    // Control flow.
    {"ROOT r = T[] call(s, s), to_apply=sum", kAnyArray, SumOfScalars},
    {"c = pred[] constant(true)\n"
     "  ROOT r = T[] conditional(c, s, s), true_computation=same, false_computation=same",
     kAnyArray, Scalar},
    {"ROOT r = T[] fusion(s, s), kind=kLoop, calls=sum", kAnyArray, SumOfScalars},
    {"ROOT r = T[] while(s), condition=never, body=same", kAnyArray, Scalar},
    {"ROOT r = T[2,3] custom-call(a), custom_call_target=\"Sharding\"", kAnyArray, Operand},
    // Collectives of one.
    {"ROOT r = T[2,3] all-gather(a), dimensions={0}, replica_groups={}", kAnyArray, Operand},
    {"t = (T[2,3], T[2,3]) all-gather-start(a), dimensions={0}, replica_groups={}\n"
     "  ROOT r = T[2,3] all-gather-done(t)",
     kAnyArray, Operand},
    {"ROOT r = T[2,3] all-reduce(a), replica_groups={}, to_apply=sum", kAnyArray, Operand},
    {"t = T[2,3] all-reduce-start(a), replica_groups={}, to_apply=sum\n"
     "  ROOT r = T[2,3] all-reduce-done(t)",
     kAnyArray, Operand},
    {"ROOT r = T[2,3] all-to-all(a), dimensions={0}, replica_groups={}", kAnyArray, Operand},
    {"ROOT r = T[2,3] collective-broadcast(a), replica_groups={{0}}", kAnyArray, Operand},
    {"ROOT r = T[2,3] collective-permute(a), source_target_pairs={{0,0}}", kAnyArray, Operand},
    {"t = (T[2,3], T[2,3]) collective-permute-start(a), source_target_pairs={{0,0}}\n"
     "  ROOT r = T[2,3] collective-permute-done(t)",
     kAnyArray, Operand},
    {"ROOT r = T[2,3] reduce-scatter(a), dimensions={0}, replica_groups={}, to_apply=sum",
     kAnyArray, Operand},
    {"zero = s32[1] constant({0})\n  one = s32[1] constant({1})\n"
     "  ROOT r = T[2,3] ragged-all-to-all(a, a, zero, one, one, one), replica_groups={}",
     kAnyArray,
     [](const Input& x) { return Table(2, 3, [&](size_t, size_t c) { return x.a(0, c); }); }},
    {"ROOT r = u32[] replica-id()", kAnyArray, Zero},
    {"ROOT r = u32[] partition-id()", kAnyArray, Zero},
    // Effects.
    {"t = token[] after-all()\n  ROOT r = T[2,3] add-dependency(a, t)", kAnyArray, Operand},
    {"t = ((T[], T[]), T[]) async-start(s, s), calls=sum\n"
     "  u = ((T[], T[]), T[]) async-update(t)\n  ROOT r = T[] async-done(u)",
     kAnyArray, SumOfScalars},
    {"t = (T[2,3], T[2,3], u32[]) copy-start(a)\n  ROOT r = T[2,3] copy-done(t)", kAnyArray,
     Operand},
    {"ROOT r = T[2,3] domain(a), domain={kind=\"sharding\", entry={replicated}, "
     "exit={replicated}}",
     kAnyArray, Operand},
    {"t = token[] after-all()\n  u = token[] outfeed(a, t), outfeed_shape=T[2,3]\n"
     "  d = ((), token[]) infeed(u)\n  ROOT r = T[2,3] copy(a)",
     kAnyArray, Operand},
    {"t = token[] after-all()\n  x = (T[2,3], u32[], token[]) send(a, t), channel_id=1, PAIRS\n"
     "  y = (T[2,3], u32[], token[]) recv(t), channel_id=1, PAIRS, control-predecessors={x}\n"
     "  d = token[] send-done(x), channel_id=1\n"
     "  e = (T[2,3], token[]) recv-done(y), channel_id=1\n"
     "  ROOT r = T[2,3] get-tuple-element(e), index=0",
     kAnyArray, Operand},
};

// The stochastic conversion takes random words as wide as its operand.
constexpr std::string_view kStochasticConverts[] = {
    "words = u8[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s4[2,3] stochastic-convert(a, "
    "words)",
    "words = u16[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s8[2,3] stochastic-convert(a, "
    "words)",
    "words = u32[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s16[2,3] stochastic-convert(a, "
    "words)",
    "words = u64[2,3] constant({{1, 2, 3}, {4, 5, 6}})\n  ROOT r = s64[2,3] stochastic-convert(a, "
    "words)",
};

struct NamedText {
  std::string_view name;
  std::string_view text;
};
constexpr NamedText kComputations[] = {
    {"sum", "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = T[] add(x, y)"},
    {"largest", "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = T[] maximum(x, y)"},
    {"less",
     "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = pred[] compare(x, y), direction=LT"},
    {"at_least",
     "x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = pred[] compare(x, y), direction=GE"},
    {"running",
     "x = T[2] parameter(0)\n  c = T[2] parameter(1)\n  n = T[2] add(x, c)\n"
     "  ROOT r = (T[2], T[2]) tuple(n, n)"},
    {"same", "ROOT x = T[] parameter(0)"},
    {"never", "x = T[] parameter(0)\n  ROOT r = pred[] constant(false)"},
};

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string ModuleText(const Program& program, ElementType type) {
  std::string text = "HloModule m\n";
  for (const NamedText& computation : kComputations) {
    if (program.body.find(fmt::format("={}", computation.name)) == std::string_view::npos) continue;
    text += fmt::format("{} {{\n  {}\n}}\n", computation.name, computation.text);
  }
  text += fmt::format(
      "ENTRY e {{\n  v = T[6] parameter(0)\n  a = T[2,3] reshape(v)\n"
      "  w = T[1] slice(v), slice={{[0:1]}}\n  s = T[] reshape(w)\n"
      "  pair = T[2] broadcast(s), dimensions={{}}\n  row = T[3] broadcast(s), dimensions={{}}\n"
      "  p = pred[2,3] compare(a, a), direction=EQ\n  i = s32[] constant(1)\n"
      "  i6 = s32[2,3] broadcast(i), dimensions={{}}\n  {}\n}}\n",
      program.body);
  ReplaceAll(text, "T[", fmt::format("{}[", ElementTypeName(type)));
  ReplaceAll(text, "PAIRS", "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,0}}\"}");
  return text;
}

// Positive and not too large: every type holds most of them as they are.
const Numbers kValues = {{1, 0.5}, {0.5, -0.5}, {2, 0.25}, {0.5, 1}, {1.5, -1}, {3, 0.5}};

void AppendArrays(const Literal& literal, std::vector<const Literal*>& arrays) {
  if (literal.shape().IsArray()) arrays.push_back(&literal);
  for (const Literal& element : literal.tuple_elements()) AppendArrays(element, arrays);
}

void ExpectDefined(const Literal& result, const Numbers& expected, const std::string& what) {
  std::vector<const Literal*> arrays;
  AppendArrays(result, arrays);
  size_t next = 0;
  double magnitude = 0;
  for (Complex value : expected) magnitude = std::max(magnitude, std::abs(value));
  for (const Literal* array : arrays) {
    const ElementType type = array->shape().element_type();
    for (Complex found : testing::Values(*array)) {
      ASSERT_LT(next, expected.size()) << what;
      const Complex value = testing::InType(type, expected[next++]);
      testing::ExpectNear(type, found, value, what, magnitude);
    }
  }
  EXPECT_EQ(next, expected.size()) << what;
}

class TypeCoverageTest : public ::testing::Test {
 protected:
  static void Run(const Program& program, ElementType type) {
    const std::string text = ModuleText(program, type);
    const absl::StatusOr<Module> module = testing::ParseText("test", text);
    ASSERT_TRUE(module.ok()) << text << module.status();
    const Literal input = testing::MakeLiteral(type, kValues);
    const absl::StatusOr<Literal> result = testing::RunModule(*module, {&input, 1});
    ASSERT_TRUE(result.ok()) << text << result.status();
    if (program.definition != nullptr && BitWidth(type) >= program.compared_width) {
      ExpectDefined(*result, program.definition({testing::Values(input), type}), text);
    }
    for (const Instruction& instruction : module->instructions()) {
      executed_.insert(instruction.opcode);
    }
  }

  static std::set<Opcode> executed_;
};
std::set<Opcode> TypeCoverageTest::executed_;

TEST_F(TypeCoverageTest, EveryOpcodeOnEveryTypeItIsDefinedFor) {
  for (const Program& program : kPrograms) {
    for (ElementType type : ArrayTypes()) {
      if (IsIn(type, program.domain)) Run(program, type);
    }
  }
  for (ElementType type : ArrayTypes()) {
    if (!IsFloat(type) || BitWidth(type) < 8) continue;
    for (size_t i = 0; i < std::size(kStochasticConverts); ++i) {
      if (BitWidth(type) == 8 << i) Run({kStochasticConverts[i], kFloat, nullptr}, type);
    }
  }
  for (ElementType real : {ElementType::kF32, ElementType::kF64}) {
    const bool is_single = real == ElementType::kF32;
    const std::string body = fmt::format(
        "x = {0}[2,2] fft(a), fft_type=RFFT, fft_length={{3}}\n"
        "  ROOT r = T[2,3] fft(x), fft_type=IRFFT, fft_length={{3}}",
        is_single ? "c64" : "c128");
    Run({body, kFloat, Operand}, real);
  }
  const std::set<Opcode> elementwise = {
#define HLO_UNARY(Name, ...) Opcode::k##Name,
#define HLO_BINARY(Name, ...) Opcode::k##Name,
#include "ir/opcodes.def"
  };
  for (int i = 0; i < kOpcodeCount; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_TRUE(executed_.contains(opcode) || elementwise.contains(opcode)) << OpcodeName(opcode);
  }
}

}  // namespace
}  // namespace hlo

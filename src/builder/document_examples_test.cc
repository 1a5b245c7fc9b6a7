// The numeric examples of the operation documents (builder.md 4), built and run on every backend.
// Those about several devices are in device_examples_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "builder/operation_examples.h"
#include "testing/built_program.h"

namespace hlo::testing {
namespace {

using namespace ops;

// The result of the program, without blanks.
std::string Result(const std::function<Op(HloBuilder&)>& build) {
  HloBuilder builder("example");
  const Op root = build(builder);
  std::string text = ResultText(builder.Build(root));
  std::erase(text, ' ');
  return text;
}

Callee Of(HloBuilder& b, Op (*function)(const Op&, const Op&, Ints, SourceLocation),
          ElementType type = ElementType::kF32) {
  return ScalarFunction(b, "f", type, function);
}
Op F32(HloBuilder& b, float value) { return ConstantR0<float>(b, value); }
Op S32(HloBuilder& b, int32_t value) { return ConstantR0<int32_t>(b, value); }

// {{0,1,2},{3,4,5},{6,7,8},{9,10,11}}
Op FourByThree(HloBuilder& b) { return Reshape(Iota(b, ElementType::kF32, 12), {4, 3}); }

// f32[4,2,3]: {{10,11,12},{15,16,17}}, {{20,21,22},{25,26,27}}, ...
Op Tens(HloBuilder& b) {
  std::vector<float> elements;
  for (int ten = 10; ten < 50; ten += 10) {
    for (int five = 0; five < 10; five += 5) {
      for (int one = 0; one < 3; ++one) elements.push_back(static_cast<float>(ten + five + one));
    }
  }
  return ConstantArray<float>(b, {4, 2, 3}, elements);
}

TEST(DocumentExamples, Collapse) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Collapse(Tens(b), {0, 1, 2});
            }),
            "f32[24]{10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Collapse(Tens(b), {0, 1});
            }),
            "f32[8,3]{{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},"
            "{40,41,42},{45,46,47}}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Collapse(Tens(b), {1, 2});
            }),
            "f32[4,6]{{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},"
            "{40,41,42,45,46,47}}");
}

TEST(DocumentExamples, Reshape) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Reshape(Tens(b), {0, 1, 2}, {8, 3});
            }),
            "f32[8,3]{{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},"
            "{40,41,42},{45,46,47}}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Reshape(Tens(b), {0, 2, 1}, {24});
            }),
            "f32[24]{10,15,11,16,12,17,20,25,21,26,22,27,30,35,31,36,32,37,40,45,41,46,42,47}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Reshape(Tens(b), {0, 2, 1}, {8, 3});
            }),
            "f32[8,3]{{10,15,11},{16,12,17},{20,25,21},{26,22,27},{30,35,31},{36,32,37},"
            "{40,45,41},{46,42,47}}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Reshape(Tens(b), {0, 2, 1}, {2, 6, 2});
            }),
            "f32[2,6,2]{{{10,15},{11,16},{12,17},{20,25},{21,26},{22,27}},"
            "{{30,35},{31,36},{32,37},{40,45},{41,46},{42,47}}}");
  EXPECT_EQ(Result([](HloBuilder& b) { return Reshape(ConstantR2<float>(b, {{5}}), {}); }),
            "f32[]5");
  EXPECT_EQ(Result([](HloBuilder& b) { return Reshape(F32(b, 5), {1, 1}); }), "f32[1,1]{{5}}");
}

TEST(DocumentExamples, ConcatInDim) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return ConcatInDim(b,
                                 {ConstantR1<float>(b, {2, 3}), ConstantR1<float>(b, {4, 5}),
                                  ConstantR1<float>(b, {6, 7})},
                                 0);
            }),
            "f32[6]{2,3,4,5,6,7}");
  EXPECT_EQ(
      Result([](HloBuilder& b) {
        return ConcatInDim(
            b, {ConstantR2<float>(b, {{1, 2}, {3, 4}, {5, 6}}), ConstantR2<float>(b, {{7, 8}})}, 0);
      }),
      "f32[4,2]{{1,2},{3,4},{5,6},{7,8}}");
}

// The pseudo-code of Conv: out[b,o,x] = sum over i, d of in[b,i,x*stride+d-low] * kernel[o,i,d].
TEST(DocumentExamples, Conv) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return ConvWithGeneralPadding(ConstantArray<float>(b, {1, 1, 5}, {1, 2, 3, 4, 5}),
                                            ConstantArray<float>(b, {1, 1, 3}, {1, 10, 100}), {2},
                                            {{1, 0}});
            }),
            "f32[1,1,2]{{{210,432}}}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Conv(ConstantArray<float>(b, {1, 1, 5}, {1, 2, 3, 4, 5}),
                          ConstantArray<float>(b, {1, 1, 3}, {1, 10, 100}), {2}, Padding::kSame);
            }),
            "f32[1,1,3]{{{210,432,54}}}");
}

TEST(DocumentExamples, DotGeneral) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return DotGeneral(
                  ConstantR2<float>(b, {{1, 2, 3}, {4, 5, 6}}),
                  ConstantR2<float>(b, {{1, 1, 1}, {2, 2, 2}}),
                  {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {1}});
            }),
            "f32[2,2]{{6,12},{15,30}}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return DotGeneral(ConstantArray<float>(b, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                ConstantArray<float>(b, {2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1}),
                                {.lhs_contracting_dimensions = {2},
                                 .rhs_contracting_dimensions = {1},
                                 .lhs_batch_dimensions = {0},
                                 .rhs_batch_dimensions = {0}});
            }),
            "f32[2,2,2]{{{1,2},{3,4}},{{5,6},{7,8}}}");
}

TEST(DocumentExamples, Slices) {
  const auto vector = [](HloBuilder& b) { return Iota(b, ElementType::kF32, 5); };
  EXPECT_EQ(Result([&](HloBuilder& b) { return Slice(vector(b), {2}, {4}); }), "f32[2]{2,3}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Slice(FourByThree(b), {2, 1}, {4, 3});
            }),
            "f32[2,2]{{7,8},{10,11}}");
  EXPECT_EQ(Result([&](HloBuilder& b) {
              return DynamicSlice(vector(b), {ConstantR1<int32_t>(b, {2})}, {2});
            }),
            "f32[2]{2,3}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return DynamicSlice(FourByThree(b), {ConstantR1<int32_t>(b, {2, 1})}, {2, 2});
            }),
            "f32[2,2]{{7,8},{10,11}}");
  EXPECT_EQ(Result([&](HloBuilder& b) {
              return DynamicUpdateSlice(vector(b), ConstantR1<float>(b, {5, 6}), {S32(b, 2)});
            }),
            "f32[5]{0,1,5,6,4}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return DynamicUpdateSlice(FourByThree(b),
                                        ConstantR2<float>(b, {{12, 13}, {14, 15}, {16, 17}}),
                                        {S32(b, 1), S32(b, 1)});
            }),
            "f32[4,3]{{0,1,2},{3,12,13},{6,14,15},{9,16,17}}");
}

// Out[g,o0,o1] = operand[start(g,0) + o0, start(g,1) + o1], the starts clamped to where the slice
// lies inside.
TEST(DocumentExamples, GatherByItsIndexRule) {
  const std::vector<int32_t> starts = {0, 0, 3, 4, 9, 9, -2, 2};
  std::string expected = "f32[4,2,3]{";
  for (size_t g = 0; g < 4; ++g) {
    expected += g == 0 ? "{" : ",{";
    for (int o0 = 0; o0 < 2; ++o0) {
      expected += o0 == 0 ? "{" : ",{";
      for (int o1 = 0; o1 < 3; ++o1) {
        const int row = std::clamp(starts[2 * g], 0, 6 - 2) + o0;
        const int column = std::clamp(starts[2 * g + 1], 0, 7 - 3) + o1;
        expected += fmt::format("{}{}", o1 == 0 ? "" : ",", row * 7 + column);
      }
      expected += "}";
    }
    expected += "}";
  }
  EXPECT_EQ(Result([&](HloBuilder& b) {
              return Gather(
                  Reshape(Iota(b, ElementType::kF32, 42), {6, 7}),
                  ConstantArray<int32_t>(b, {4, 2}, starts),
                  {.offset_dims = {1, 2}, .start_index_map = {0, 1}, .index_vector_dim = 1},
                  {2, 3});
            }),
            expected + "}");
}

TEST(DocumentExamples, Scatter) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Scatter(ConstantR2<float>(b, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}),
                             ConstantR1<int32_t>(b, {0, 2}),
                             ConstantR2<float>(b, {{10, 20, 30}, {70, 80, 90}}), Of(b, Add),
                             {.update_window_dims = {1},
                              .inserted_window_dims = {0},
                              .scatter_dims_to_operand_dims = {0},
                              .index_vector_dim = 1});
            }),
            "f32[3,3]{{11,22,33},{4,5,6},{77,88,99}}");
}

TEST(DocumentExamples, Iota) {
  EXPECT_EQ(Result([](HloBuilder& b) { return Iota(b, MakeShape("s32[4,8]"), 0); }),
            "s32[4,8]{{0,0,0,0,0,0,0,0},{1,1,1,1,1,1,1,1},{2,2,2,2,2,2,2,2},{3,3,3,3,3,3,3,3}}");
  EXPECT_EQ(Result([](HloBuilder& b) { return Iota(b, MakeShape("s32[4,8]"), 1); }),
            "s32[4,8]{{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7}}");
}

TEST(DocumentExamples, Pad) {
  const auto padded = [](PaddingDimension rows, PaddingDimension columns) {
    return Result([&](HloBuilder& b) {
      return Pad(ConstantR2<float>(b, {{1, 2, 3}, {4, 5, 6}}), F32(b, 0), {rows, columns});
    });
  };
  EXPECT_EQ(padded({0, 0, 1}, {0, 0, 1}), "f32[3,5]{{1,0,2,0,3},{0,0,0,0,0},{4,0,5,0,6}}");
  EXPECT_EQ(padded({0, 1, 0}, {1, 2, 0}), "f32[3,6]{{0,1,2,3,0,0},{0,4,5,6,0,0},{0,0,0,0,0,0}}");
  EXPECT_EQ(padded({0, 1, 1}, {1, 2, 1}),
            "f32[4,8]{{0,1,0,2,0,3,0,0},{0,0,0,0,0,0,0,0},{0,4,0,5,0,6,0,0},{0,0,0,0,0,0,0,0}}");
}

TEST(DocumentExamples, Reduce) {
  const auto reduced = [](Ints sizes, Ints dimensions) {
    return Result([&](HloBuilder& b) {
      const Op table = ConstantR2<float>(b, {{1, 2, 3}, {4, 5, 6}});
      const Op operand = sizes.empty() ? table : Broadcast(table, sizes);
      return Reduce(operand, F32(b, 0), Of(b, Add), dimensions);
    });
  };
  EXPECT_EQ(reduced({}, {0}), "f32[3]{5,7,9}");
  EXPECT_EQ(reduced({}, {1}), "f32[2]{6,15}");
  EXPECT_EQ(reduced({}, {0, 1}), "f32[]21");
  EXPECT_EQ(reduced({4}, {0}), "f32[2,3]{{4,8,12},{16,20,24}}");
  EXPECT_EQ(reduced({4}, {0, 1}), "f32[3]{20,28,36}");
  EXPECT_EQ(reduced({4}, {0, 1, 2}), "f32[]84");
}

// (max, argmax) of each row by one reduction: with >= the last of equal elements wins.
std::string Argmax(Op (*replaces)(const Op&, const Op&, Ints, SourceLocation)) {
  return Result([&](HloBuilder& b) {
    const Shape f = MakeShape("f32[]");
    const Shape i = MakeShape("s32[]");
    const Callee step = b.AddComputation("step", {f, i, f, i}, [&](HloBuilder& s, Ops x) {
      const Op is_new = replaces(x[2], x[0], {}, SourceLocation::current());
      return Tuple(s, {Select(is_new, x[2], x[0]), Select(is_new, x[3], x[1])});
    });
    const Op values = ConstantR2<float>(b, {{1, 3, 3}, {4, 2, 1}});
    const Op indices = Iota(b, MakeShape("s32[2,3]"), 1);
    return Reduce(b, {values, indices}, {F32(b, -INFINITY), S32(b, 0)}, step, {1});
  });
}

TEST(DocumentExamples, ArgmaxByVariadicReduce) {
  EXPECT_EQ(Argmax(Ge), "(f32[2]{3,4},s32[2]{2,0})");
  EXPECT_EQ(Argmax(Gt), "(f32[2]{3,4},s32[2]{1,0})");
}

TEST(DocumentExamples, ReduceWindow) {
  const auto minima = [](Padding padding) {
    return Result([&](HloBuilder& b) {
      return ReduceWindow(ConstantR1<float>(b, {10000, 1000, 100, 10, 1}),
                          F32(b, std::numeric_limits<float>::max()), Of(b, Min), {3}, {2}, padding);
    });
  };
  EXPECT_EQ(minima(Padding::kValid), "f32[2]{100,1}");
  EXPECT_EQ(minima(Padding::kSame), "f32[3]{1000,10,1}");
  // Window and stride of 2x3.
  EXPECT_EQ(Result([](HloBuilder& b) {
              return ReduceWindow(Reshape(Iota(b, ElementType::kF32, 24), {4, 6}), F32(b, 0),
                                  Of(b, Add), {2, 3}, {2, 3}, Padding::kValid);
            }),
            "f32[2,2]{{24,42},{96,114}}");
}

TEST(DocumentExamples, SelectAndScatter) {
  EXPECT_EQ(
      Result([](HloBuilder& b) {
        return SelectAndScatter(
            ConstantR2<float>(
                b,
                {{7, 2, 5, 3, 10, 2}, {3, 8, 9, 3, 4, 2}, {1, 5, 7, 5, 6, 1}, {0, 6, 2, 7, 2, 8}}),
            Of(b, Ge), {2, 3}, {2, 3}, Padding::kValid, ConstantR2<float>(b, {{2, 6}, {3, 1}}),
            F32(b, 0), Of(b, Add));
      }),
      "f32[4,6]{{0,0,0,0,6,0},{0,0,2,0,0,0},{0,0,3,0,0,0},{0,0,0,0,0,1}}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return SelectAndScatter(
                  ConstantR2<float>(
                      b, {{7, 2, 5, 3, 8}, {3, 8, 9, 3, 4}, {1, 5, 7, 5, 6}, {0, 6, 2, 10, 2}}),
                  Of(b, Ge), {2, 3}, {2, 2}, Padding::kValid,
                  ConstantR2<float>(b, {{2, 6}, {3, 1}}), F32(b, 0), Of(b, Add));
            }),
            "f32[4,5]{{0,0,0,0,0},{0,0,8,0,0},{0,0,3,0,0},{0,0,0,1,0}}");
}

TEST(DocumentExamples, SelectAndClamp) {
  const auto selected = [](Op (*predicate)(HloBuilder&)) {
    return Result([&](HloBuilder& b) {
      return Select(predicate(b), ConstantR1<int32_t>(b, {1, 2, 3, 4}),
                    ConstantR1<int32_t>(b, {100, 200, 300, 400}));
    });
  };
  EXPECT_EQ(selected([](HloBuilder& b) {
              return ConstantR1<bool>(b, {true, false, false, true});
            }),
            "s32[4]{1,200,300,4}");
  EXPECT_EQ(selected([](HloBuilder& b) { return ConstantR0<bool>(b, true); }), "s32[4]{1,2,3,4}");
  EXPECT_EQ(Result([](HloBuilder& b) {
              return Clamp(S32(b, 0), ConstantR1<int32_t>(b, {-1, 5, 9}), S32(b, 6));
            }),
            "s32[3]{0,5,6}");
}

TEST(DocumentExamples, TuplesAreSelectedByAConditional) {
  const auto selected = [](bool predicate) {
    return Result([&](HloBuilder& b) {
      return Select(ConstantR0<bool>(b, predicate), Tuple(b, {S32(b, 1), F32(b, 2)}),
                    Tuple(b, {S32(b, 3), F32(b, 4)}));
    });
  };
  EXPECT_EQ(selected(true), "(s32[]1,f32[]2)");
  EXPECT_EQ(selected(false), "(s32[]3,f32[]4)");
}

TEST(DocumentExamples, SortWithThreeOperands) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              const Shape s = MakeShape("s32[]");
              const Shape f = MakeShape("f32[]");
              const Callee less = b.AddComputation(
                  "less", {s, s, s, s, f, f}, [](HloBuilder&, Ops x) { return Lt(x[0], x[1]); });
              return Sort({ConstantR1<int32_t>(b, {3, 1}), ConstantR1<int32_t>(b, {42, 50}),
                           ConstantR1<float>(b, {-3.0f, 1.5f})},
                          less);
            }),
            "(s32[2]{1,3},s32[2]{50,42},f32[2]{1.5,-3})");
}

TEST(DocumentExamples, TopKKeepsTheOrderOfEqualElements) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              return TopK(ConstantR1<float>(b, {1, 3, 2, 3, 3}), 3);
            }),
            "(f32[3]{3,3,3},s32[3]{1,3,4})");
}

TEST(DocumentExamples, WhileAccumulatesAThousandTimes) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              const Shape state = MakeShape("(s32[], f32[4])");
              const Callee again = b.AddComputation("again", {state}, [](HloBuilder& f, Ops x) {
                return Lt(GetTupleElement(x[0], 0), S32(f, 1000));
              });
              const Callee body = b.AddComputation("body", {state}, [](HloBuilder& f, Ops x) {
                const Op count = Add(GetTupleElement(x[0], 0), S32(f, 1));
                const Op sum = Add(GetTupleElement(x[0], 1), ConstantR1<float>(f, {1, 2, 3, 4}));
                return Tuple(f, {count, sum});
              });
              return While(again, body, Tuple(b, {S32(b, 0), ConstantR1<float>(b, {0, 0, 0, 0})}));
            }),
            "(s32[]1000,f32[4]{1000,2000,3000,4000})");
}

TEST(DocumentExamples, SetDimensionSize) {
  const auto reduced = [](int32_t size, auto function, float init) {
    return Result([&](HloBuilder& b) {
      const Op numbers = Add(Iota(b, ElementType::kF32, 10), F32(b, 1));
      return ReduceAll(SetDimensionSize(numbers, S32(b, size), 0), F32(b, init), Of(b, function));
    });
  };
  EXPECT_EQ(reduced(5, Add, 0), "f32[]15");
  EXPECT_EQ(reduced(5, Mul, 1), "f32[]120");
  EXPECT_EQ(reduced(6, Add, 0), "f32[]21");
}

TEST(DocumentExamples, ConditionalsTakeTheLastBranchForNoIndex) {
  const auto branch = [](int32_t index) {
    return Result([&](HloBuilder& b) {
      const auto times = [&](float factor) {
        return b.AddComputation("times", {MakeShape("f32[]")}, [factor](HloBuilder& f, Ops x) {
          return Mul(x[0], F32(f, factor));
        });
      };
      const Op x = F32(b, 1);
      return Conditional(S32(b, index), {times(10), times(20), times(30)}, {x, x, x});
    });
  };
  EXPECT_EQ(branch(1), "f32[]20");
  EXPECT_EQ(branch(-1), "f32[]30");
  EXPECT_EQ(branch(7), "f32[]30");
}

TEST(DocumentExamples, ScanSums) {
  EXPECT_EQ(Result([](HloBuilder& b) {
              const Shape f = MakeShape("f32[]");
              const Callee step = b.AddComputation("step", {f, f}, [](HloBuilder& s, Ops x) {
                const Op sum = Add(x[0], x[1]);
                return Tuple(s, {sum, sum});
              });
              return Scan(b, {ConstantR1<float>(b, {1, 2, 3, 4})}, {F32(b, 0)}, step, 0);
            }),
            "(f32[4]{1,3,6,10},f32[]10)");
}

}  // namespace
}  // namespace hlo::testing

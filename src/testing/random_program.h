// Small random programs that run, for comparing backends.
#ifndef HLOKIT_TESTING_RANDOM_PROGRAM_H_
#define HLOKIT_TESTING_RANDOM_PROGRAM_H_

#include <cstdint>
#include <string>

namespace hlo::testing {

// One dot of arrays of any ranks, dimension numbers and types.
std::string RandomDot(uint32_t seed);
// The same with operands that come through transposes, slices and broadcasts.
std::string RandomDotOfReads(uint32_t seed);
// Of few elements each, many in a batch or of many rows.
std::string RandomSmallDot(uint32_t seed);
// One scaled-dot of arrays and scales of several types.
std::string RandomScaledDot(uint32_t seed);
// One ragged-dot of arrays of any ranks, dimension numbers and types: rows, terms or entries of the
// batch in groups.
std::string RandomRaggedDot(uint32_t seed);
// One convolution: windows, labels, groups of all forms, rank 0 to 3.
std::string RandomConvolution(uint32_t seed);
// One with few output features in each of several groups.
std::string RandomThinConvolution(uint32_t seed);
// The same of f32 and bf16 with more features and without groups of the batch; either strides or
// holes.
std::string RandomLibraryConvolution(uint32_t seed);
// The gradient of a convolution by its kernel, written as a convolution.
std::string RandomKernelGradient(uint32_t seed);

// One batch-norm-training, -inference or -grad over any dimension.
std::string RandomBatchNorm(uint32_t seed);

// Elementwise instructions of many types, with broadcasts, slices, conversions, reductions of rows
// and several results. Where it `is_exact` there is nothing in it that backends may round in
// different ways; otherwise nothing that makes a small difference large.
std::string RandomElementwise(uint32_t seed, bool is_exact);

// A loop over small arrays of several types: slices and updates where numbers say, calls, counters.
std::string RandomLoop(uint32_t seed);

// One reduce-window by one opcode: windows, strides, padding and dilations of all forms, cumulative
// ones among them. Sums of floats where `is_sum`, else what backends may not round differently.
std::string RandomWindow(uint32_t seed, bool is_sum);
// One reduce-window of one to three arrays by a function of a few instructions, or of one by a
// product.
std::string RandomWindowByFunction(uint32_t seed);
// One select-and-scatter by a comparison and addition or other functions, some with NaN.
std::string RandomSelectAndScatter(uint32_t seed);
// One scatter by one opcode, with starts outside the operand.
std::string RandomScatter(uint32_t seed);
// The same of rows into an array of many rows.
std::string RandomScatterOfRows(uint32_t seed);
// The same of windows of any form: boxes and batches, starts along any dimensions, of one array or
// several.
std::string RandomScatterOfBoxes(uint32_t seed);
// One reduce by one opcode over any dimensions: a sum of floats or complex numbers, and what
// backends may not round differently.
std::string RandomSum(uint32_t seed);
std::string RandomReduceByOpcode(uint32_t seed);
// One reduce of two or three arrays, each by an opcode of its own.
std::string RandomReduceOfArrays(uint32_t seed);
// One reduce of one to three arrays by a function of a few instructions.
std::string RandomReduce(uint32_t seed);
// One sort of one to three arrays along any dimension, with equal keys and NaN.
std::string RandomSort(uint32_t seed);
// One broadcast, concatenate, dynamic-slice, dynamic-update-slice, pad, reverse or slice of
// elements of any width.
std::string RandomDataMovement(uint32_t seed);
// One gather: batches, windows and indices of all forms.
std::string RandomGather(uint32_t seed);
// One sort by several keys with few different values, written in several ways.
std::string RandomSortByKeys(uint32_t seed);
// One sort of some arrays and their places by a comparator that need not be an order, with NaN.
std::string RandomSortByComparator(uint32_t seed);
// One sort of one or two arrays whose elements are any bits, some of them long.
std::string RandomSortOfBits(uint32_t seed);
// One topk or custom call TopK of such an array, with k from none to all.
std::string RandomTopK(uint32_t seed);
// One transpose of elements of any width.
std::string RandomTranspose(uint32_t seed);
// One bitcast between layouts of arrays of any dimensions and elements of one width.
std::string RandomBitcast(uint32_t seed);
// One cholesky, or triangular-solve, of one or many matrices; some have no factor, or no solution.
std::string RandomCholesky(uint32_t seed);
std::string RandomTriangularSolve(uint32_t seed);
// One fft of any type, of lengths with small and large factors, over one to three axes.
std::string RandomFft(uint32_t seed);
// One rng-bit-generator of any sizes, with counters that overflow.
std::string RandomBits(uint32_t seed);

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_RANDOM_PROGRAM_H_

// Links of chains: operations on groups of elements that stay in vector registers from one link to
// the next, in the instruction set that this processor has. Elements have 32 bits in registers (f32
// for it and the narrower floats, s32 and u32) or 64 (f64, s64 and u64): all of a chain the same.
#ifndef HLOKIT_INTERP_SIMD_CHAIN_CHAIN_KERNELS_H_
#define HLOKIT_INTERP_SIMD_CHAIN_CHAIN_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo::simd {

// The registers of a group hold so many elements at most, and so many bytes.
inline constexpr int64_t kMaxGroupSize = 128;
inline constexpr int64_t kMaxGroupByteSize = kMaxGroupSize * 4;

// What a link does; its true type depends on the instruction set.
using LinkFunction = void (*)();

struct ChainLink {
  LinkFunction function;
  std::byte* at;  // element 0 of the array that it reads or writes, or its one element, if any
  int64_t mask;   // of the number of a group's first element; -1, or 0: one group for all
};

// Where a link with two operands finds them; the result is in registers. One: an element in memory
// that goes with all of the registers'.
enum class LinkOperands : uint8_t {
  kRegistersMemory,
  kMemoryRegisters,
  kRegistersOne,
  kOneRegisters,
  kRegistersTwice
};

// All return null where there is no such link. Types are those of tiles (block_kernels.h) but for
// loads, stores and roundings.
struct ChainKernels {
  int64_t group_size;  // elements; 0: there are no chains
  ElementType type;    // f32 or f64: for loads and stores whatever has the size of elements
  LinkFunction (*unary)(Opcode opcode, ElementType type);
  // bf16: f32 in registers that was rounded to it; the result is rounded next.
  LinkFunction (*binary)(Opcode opcode, ElementType type, LinkOperands operands);
  LinkFunction (*convert)(ElementType from, ElementType to);
  // Truth values are lanes of ones and zeros in registers and buffers, and bytes of kPred
  // elsewhere. Those links that combine them, and `not`, are binary and unary of kPred.
  LinkFunction (*compare)(ComparisonDirection direction, ElementType type, LinkOperands operands);
  // One operand, 0 to 2, is in registers. The others are, in order, in the memory of this link and
  // the next one, or one element there that goes with all; the first operand is in a buffer.
  LinkFunction (*select)(int in_registers, bool is_first_one, bool is_second_one);
  LinkFunction (*load_one_mask)();
  // Of integers that have as many bits as elements in registers: shifted left by an element that
  // goes with all, `or` shifted right by that of the link behind this one.
  LinkFunction (*join_shifts)();
  // What lies in memory and registers is added; registers become the sum `xor` their joined shifts.
  // Three links follow: where the sum goes in memory, and both amounts.
  LinkFunction (*mix)();
  // Registers become one element, as it is.
  LinkFunction (*load_one)();
  // Between memory and registers, widened or narrowed on the way: f32 and narrower floats, f64 and
  // f32, f64 from s32. What is narrowed to less than f32 is rounded already. A stream goes past the
  // caches, to multiples of 64 bytes, but for truth values.
  LinkFunction (*load)(ElementType type);
  LinkFunction (*store)(ElementType type);
  LinkFunction (*stream)(ElementType type);
  // To the precision of a narrow float. An arithmetic result is what operands of that type gave:
  // if it is NaN, its lower bits are zeros.
  LinkFunction (*round)(ElementType type, bool is_arithmetic_result);
  // Asks the caches for elements of 2, 4 or 8 bytes.
  LinkFunction (*fetch)(int64_t element_size);
  // Of f32. Combines those of each group with some lanes of a buffer: a row with no memory between
  // what makes its elements and their sum, which has the error of those of row_kernels.h. Before a
  // row lanes are started, behind it they are finished with the elements that filled no group:
  // *result is `init` combined with all. False where a sum is not finite: it is right only if it
  // was made by exact_fold, whose sums are in f64 alone.
  LinkFunction (*fold)(Opcode opcode);
  LinkFunction (*exact_fold)(Opcode opcode);
  void (*start_fold)(Opcode opcode, std::byte* lanes);
  bool (*finish_fold)(Opcode opcode, std::byte* lanes, const float* rest, int64_t rest_count,
                      float init, float* result);
  LinkFunction (*end)();
  // Elements `first` to `end`, whole groups, through all links up to the end.
  void (*run)(const ChainLink* links, int64_t first, int64_t end);
};

// Of elements of 32 and of 64 bits.
const ChainKernels& GetChainKernels32();
const ChainKernels& GetChainKernels64();

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_CHAIN_CHAIN_KERNELS_H_

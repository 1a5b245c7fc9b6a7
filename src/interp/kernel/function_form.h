// What a computation that is called per element amounts to: a reducer or combiner that is a single
// binary opcode, a comparator that compares two values, a choice of one parameter. Recognised once,
// on the expanded region, so that calls, fusions, copies and tuples around it do not matter;
// kernels of every backend use the result instead of looking for themselves.
//
// Element types are part of the form: parameters, steps and results have the one that is stated, so
// a computation that converts, and thereby rounds, is no such form.
#ifndef HLOKIT_INTERP_KERNEL_FUNCTION_FORM_H_
#define HLOKIT_INTERP_KERNEL_FUNCTION_FORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ir/element_type.h"
#include "ir/opcode.h"

namespace hlo {

struct FunctionForm {
  enum class Kind : uint8_t {
    kOther,       // has to be called
    kParameter,   // parameter `parameter` as it is
    kBinary,      // opcode(parameter 0, parameter 1), either order for commutative ones
    kComparator,  // whether parameter 2k comes before 2k + 1, k being the one key's parameter
    kOrEqual,     // the same, or is equal to it
    // The same of the first of `keys` whose values differ; with NaN in a key that is compared by
    // value it may be something else.
    kLexicographic,
    // Of the pairs (parameter 0, parameter 1) and (parameter 2, parameter 3), values and their
    // places, the one with the larger value; of NaN, what `nan` says.
    kExtreme,
    // Of several arrays: result k is made of its parameter k and the one of the same array behind
    // these, the element, as `by_array[k]` makes it of parameters 0 and 1.
    kByArray,
  };
  // kExtreme: whose place it is if values are equal.
  enum class Tie : uint8_t { kFirst, kLast, kSmallestPlace };
  // kExtreme: which pair it is if one or both values are NaN: the first with NaN, as JAX writes it;
  // always the second, as XLA's own argmax does, so that NaN makes forget what stood before it; or
  // always the first.
  enum class Nan : uint8_t { kFirstNan, kSecond, kFirst };
  // What comparators compare.
  struct Key {
    int64_t parameter = -1;
    ElementType element_type = ElementType::kPred;
    bool ascending = false;    // the smaller value comes first
    bool total_order = false;  // of floats, in their total order
    // The same with zeros as one value, and NaNs as one above all others.
    bool is_canonical = false;

    bool IsFloatByValue() const { return IsFloat(element_type) && !total_order; }
  };
  Kind kind = Kind::kOther;
  ElementType element_type = ElementType::kPred;  // kParameter, kBinary, kExtreme
  Opcode opcode = Opcode::kParameter;             // kBinary
  int64_t parameter = -1;                         // kParameter
  bool takes_smallest = false;                    // kExtreme
  Tie tie = Tie::kFirst;                          // kExtreme
  Nan nan = Nan::kFirstNan;                       // kExtreme
  // kExtreme: the value itself, which may be a zero of either sign.
  bool takes_last_of_equal = false;
  std::vector<Key> keys;               // comparators; the one that decides first comes first
  std::vector<FunctionForm> by_array;  // kByArray: kParameter and kBinary

  bool IsBinary() const { return kind == Kind::kBinary; }
  bool IsParameter(int64_t number) const { return kind == Kind::kParameter && parameter == number; }
  // What result `array` is made by, where each is made of its own array.
  const FunctionForm& Of(size_t array) const {
    return kind == Kind::kByArray ? by_array[array] : *this;
  }
};

// "add f32", "parameter 1 f32", "ascending operand 0 bf16 total order", keys one after the other
// with "then", arrays with commas; empty for kOther.
std::string FunctionFormText(const FunctionForm& form);

}  // namespace hlo

#endif  // HLOKIT_INTERP_KERNEL_FUNCTION_FORM_H_

// Arrays in another element type than they come in, for operations that work in a type of their own
// (semantics.md 9.1, 10.1). Copies lie in scratch memory.
#ifndef HLOKIT_INTERP_REFERENCE_CONVERTED_ARRAY_H_
#define HLOKIT_INTERP_REFERENCE_CONVERTED_ARRAY_H_

#include <cstddef>
#include <span>

#include "interp/kernel/evaluation.h"
#include "interp/kernel/scratch_pool.h"
#include "ir/index_space.h"

namespace hlo::reference {

// An array in the type that is asked for: the array itself when it has that type already, else a
// converted copy.
class ConvertedArray {
 public:
  ConvertedArray(ScratchPool& pool, const ArrayRef& array, ElementType type);

  const ArrayRef& ref() const { return ref_; }
  template <typename T>
  const T* data() const {
    return View<T>(ref_).data();
  }

 private:
  ScratchArray<std::byte> storage_;
  ArrayRef ref_;
};

// Memory for a result that is computed in `type`: the result itself when it has that type, else
// room of its own that Finish converts into the result.
class ResultInType {
 public:
  ResultInType(ScratchPool& pool, const MutableArrayRef& result, ElementType type);

  const MutableArrayRef& ref() const { return ref_; }
  void Finish();

 private:
  ScratchArray<std::byte> storage_;
  MutableArrayRef result_;
  MutableArrayRef ref_;
};

// An array in other sizes: itself when it has them already, else a copy, cut down to `dims` and
// with sizes of 1 repeated (semantics.md 13).
class FittedArray {
 public:
  FittedArray(ScratchPool& pool, const ArrayRef& array, std::span<const int64_t> dims);

  ArrayRef ref() const {
    return {element_type_, std::span<const int64_t>(dims_.data(), dims_.size()), bytes_};
  }

 private:
  ElementType element_type_;
  Index dims_;
  ScratchArray<std::byte> storage_;
  const std::byte* bytes_;
};

// Element i of an integer array; u64 values above 2^63 - 1 give 2^63 - 1, which clamps alike.
int64_t IntegerAt(const ArrayRef& array, int64_t i);

}  // namespace hlo::reference

#endif  // HLOKIT_INTERP_REFERENCE_CONVERTED_ARRAY_H_

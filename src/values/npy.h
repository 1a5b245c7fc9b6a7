// Arrays in numpy's file format, .npy.
//
// Element types without numpy counterpart travel as raw bytes: bf16 as `<V2`, narrower floats as
// `<V1`; integers below 8 bits as int8 and uint8. A comment behind the header's dictionary, which
// numpy skips, says which type it was: `# hlo: bf16`.
#ifndef HLOKIT_VALUES_NPY_H_
#define HLOKIT_VALUES_NPY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "ir/shape.h"

namespace hlo {

// What every .npy file begins with.
inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// More than any header takes: those of version 1 have 16 bits for their length.
inline constexpr uint64_t kNpyHeaderSize = 1 << 17;

// Whether numpy knows the type.
bool HasNumpyType(ElementType type);

// The numpy type whose elements have the bytes of `type`: "<f4", "<V2".
std::string_view NumpyDescr(ElementType type);

// The bytes of a .npy file (version 1.0, C order, little endian). `literal` is an array; of dynamic
// ones the true elements are written.
absl::StatusOr<std::string> EncodeNpy(const Literal& literal);

// Reads a .npy file of version 1 to 3, either byte order, C or Fortran order. Raw bytes (`V1`,
// `V2`) and unsigned words of the right width become `expected`'s element type when it is given
// and has no numpy counterpart. Every size is checked against the bytes that are there; of an array
// that is not all there and does not have `expected`'s rank and sizes, that is what is said.
absl::StatusOr<Literal> DecodeNpy(std::string_view bytes, const Shape* expected = nullptr);

}  // namespace hlo

#endif  // HLOKIT_VALUES_NPY_H_

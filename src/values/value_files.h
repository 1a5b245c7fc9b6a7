// Values in numpy's files: an array as .npy, a tuple as .npz or as a directory. The arrays of a
// tuple are members called by their place in it: "0", "1.2".
#ifndef HLOKIT_VALUES_VALUE_FILES_H_
#define HLOKIT_VALUES_VALUE_FILES_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "ir/literal.h"
#include "values/zip.h"

namespace hlo {

// `@x.npy` or `x.npy` without the `@`.
std::string PathOf(std::string text);

// Makes the directory `path` unless it is there. Fails with kUnavailable when no files can be made
// in it.
absl::Status MakeDirectory(const std::string& path);

// `value` with floats that numpy does not know (bf16, f8 ...) as f32, which has all their numbers.
absl::StatusOr<Literal> UpcastToF32(const Literal& value);

// Appends the arrays of `value`: one called `name` ("0" when that is empty), or `name.0` ...
absl::Status AppendMembers(const Literal& value, const std::string& name, NpzMembers& members);

// Writes `members` to x.npz, to files of the directory `path`, or to x.npy when there is just one.
// Fails with kInvalidArgument for other kinds of files (output_file.h).
absl::Status WriteMembers(const NpzMembers& members, const std::string& path);

struct ValueFile {
  NpzMembers members;       // the array of a .npy file is the member "0"
  bool is_archive = false;  // .npz, or a directory
};

struct ReadLimits {
  uint64_t max_array_byte_size;
  uint64_t max_byte_size;
};

// Reads a .npy file or a .npz archive, whatever it is called, or the .npy files of a directory; "-"
// is stdin. It is read for values of which the largest array takes `max_array_byte_size` bytes: of
// longer ones there is just the beginning, which FindValue tells from arrays that are damaged.
// Archives that are themselves longer than `max_byte_size` fail.
absl::StatusOr<ValueFile> ReadValueFile(const std::string& path, const ReadLimits& limits);

// The bytes that the largest array in `shape` may take in a file, where its elements may be of a
// wider type.
uint64_t LargestArray(const Shape& shape);

// A value of `shape` among `members`: an array is called by one of `names`, or as numpy names
// positional arrays ("arr_0" for "0"); the arrays of a tuple are below that ("name.0"), below ""
// they are "0", "1". kNotFound when a member is missing, kInvalidArgument when it cannot be read.
absl::StatusOr<Literal> FindValue(const NpzMembers& members, std::span<const std::string> names,
                                  const Shape& shape);

// The value that `members` are as a whole: a tuple's arrays are "0", "1.2" ..., an array is "0" or
// the only member, whatever that is called. kNotFound when a member is missing,
// kFailedPrecondition when there are others, kInvalidArgument when one cannot be read.
absl::StatusOr<Literal> WholeValue(const NpzMembers& members, const Shape& shape);

}  // namespace hlo

#endif  // HLOKIT_VALUES_VALUE_FILES_H_

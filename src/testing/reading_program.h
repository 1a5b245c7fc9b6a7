// Programs of random reads: arrays that reach what uses them as parts of others, with strides, in
// other orders, repeated, padded or side by side.
#ifndef HLOKIT_TESTING_READING_PROGRAM_H_
#define HLOKIT_TESTING_READING_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_shape.h"

namespace hlo::testing {

// A program of one random element type, which grows from its parameters to its root.
class ReadingProgram {
 public:
  explicit ReadingProgram(uint32_t seed)
      : dice_(seed), type_(dice_.OneOf<std::string>({"f32", "f32", "f64", "bf16", "s32", "u8"})) {}

  // An array of these sizes: a parameter, or what at most `most_reads` instructions, one after the
  // other, read out of parameters. Its name.
  std::string Read(const Sizes& sizes, int64_t most_reads);

  // An instruction of these sizes, without name and shape; a new parameter. Their names.
  std::string Add(const Sizes& sizes, const std::string& instruction);
  std::string Parameter(const Sizes& sizes) { return Parameter(type_, sizes); }

  // The whole module, with functions before its entry computation, and the root's shape and
  // instruction.
  std::string Text(const std::string& functions, const std::string& root_shape,
                   const std::string& root) const;

  // Of what Add() or Parameter() named.
  const Sizes& SizesOf(const std::string& name) const;
  std::string Shape(const Sizes& sizes) const { return ShapeOf(type_, sizes); }
  Dice& dice() { return dice_; }

 private:
  std::string Parameter(const std::string& type, const Sizes& sizes);
  std::string Slice(const Sizes& sizes, int64_t most_reads);
  std::string DynamicSlice(const Sizes& sizes, int64_t most_reads);
  std::string Broadcast(const Sizes& sizes, int64_t most_reads);
  std::string Transpose(const Sizes& sizes, int64_t most_reads);
  std::string Reshape(const Sizes& sizes, int64_t most_reads);
  std::string Reverse(const Sizes& sizes, int64_t most_reads);
  std::string Pad(const Sizes& sizes, int64_t most_reads);
  std::string Concatenate(const Sizes& sizes, int64_t most_reads);

  Dice dice_;
  std::string type_;
  std::string parameters_, body_;
  std::vector<Sizes> parameter_sizes_, value_sizes_;
};

}  // namespace hlo::testing

#endif  // HLOKIT_TESTING_READING_PROGRAM_H_

// What a ReadingProgram reads, and its text.
#include "testing/reading_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <string>
#include <utility>

namespace hlo::testing {
namespace {

int64_t CountOf(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

std::string ReadingProgram::Read(const Sizes& sizes, int64_t most_reads) {
  if (most_reads == 0 || dice_.Chance(25)) return Parameter(sizes);
  --most_reads;
  switch (dice_.Below(sizes.empty() ? 2 : 9)) {
    case 0:
      return Reshape(sizes, most_reads);
    case 1:
      return Add(sizes, fmt::format("negate({})", Read(sizes, most_reads)));
    case 2:
      return DynamicSlice(sizes, most_reads);
    case 3:
      return Broadcast(sizes, most_reads);
    case 4:
      return Transpose(sizes, most_reads);
    case 5:
      return Slice(sizes, most_reads);
    case 6:
      return Reverse(sizes, most_reads);
    case 7:
      return Pad(sizes, most_reads);
    default:
      return Concatenate(sizes, most_reads);
  }
}

std::string ReadingProgram::Add(const Sizes& sizes, const std::string& instruction) {
  const std::string name = fmt::format("v{}_", value_sizes_.size());
  value_sizes_.push_back(sizes);
  body_ += fmt::format("  {} = {} {}\n", name, Shape(sizes), instruction);
  return name;
}

std::string ReadingProgram::Parameter(const std::string& type, const Sizes& sizes) {
  const size_t number = parameter_sizes_.size();
  const std::string name = fmt::format("p{}_", number);
  parameter_sizes_.push_back(sizes);
  parameters_ += fmt::format("  {} = {} parameter({})\n", name, ShapeOf(type, sizes), number);
  return name;
}

std::string ReadingProgram::Text(const std::string& functions, const std::string& root_shape,
                                 const std::string& root) const {
  return fmt::format("HloModule reads\n\n{}ENTRY main {{\n{}{}  ROOT r = {} {}\n}}\n", functions,
                     parameters_, body_, root_shape, root);
}

const Sizes& ReadingProgram::SizesOf(const std::string& name) const {
  const size_t number = std::stoul(name.substr(1));
  return name.starts_with("p") ? parameter_sizes_[number] : value_sizes_[number];
}

std::string ReadingProgram::Slice(const Sizes& sizes, int64_t most_reads) {
  Sizes wide;
  std::string ranges;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t begin = dice_.Chance(50) ? dice_.Below(3) : 0;
    const int64_t stride = dice_.Chance(20) ? 2 + dice_.Below(2) : 1;
    const int64_t end = sizes[d] == 0 ? begin : begin + (sizes[d] - 1) * stride + 1;
    wide.push_back(end + dice_.Below(2));
    ranges += fmt::format("{}[{}:{}:{}]", d == 0 ? "" : ",", begin, end, stride);
  }
  return Add(sizes, fmt::format("slice({}), slice={{{}}}", Read(wide, most_reads), ranges));
}

std::string ReadingProgram::DynamicSlice(const Sizes& sizes, int64_t most_reads) {
  Sizes wide;
  std::string starts;
  for (const int64_t size : sizes) {
    wide.push_back(size + (dice_.Chance(50) ? dice_.Below(4) : 0));
    starts += ", " + Parameter("s32", {});
  }
  return Add(sizes, fmt::format("dynamic-slice({}{}), dynamic_slice_sizes={{{}}}",
                                Read(wide, most_reads), starts, fmt::join(sizes, ",")));
}

std::string ReadingProgram::Broadcast(const Sizes& sizes, int64_t most_reads) {
  Sizes dimensions, own;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice_.Chance(40)) continue;
    dimensions.push_back(static_cast<int64_t>(d));
    own.push_back(sizes[d]);
  }
  return Add(sizes, fmt::format("broadcast({}), dimensions={{{}}}", Read(own, most_reads),
                                fmt::join(dimensions, ",")));
}

std::string ReadingProgram::Transpose(const Sizes& sizes, int64_t most_reads) {
  const size_t rank = sizes.size();
  Sizes permutation(rank), own(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  if (dice_.Chance(50)) {  // rows stay rows
    permutation.pop_back();
    dice_.Shuffle(permutation);
    permutation.push_back(static_cast<int64_t>(rank - 1));
  } else {
    dice_.Shuffle(permutation);
  }
  for (size_t d = 0; d < rank; ++d) own[static_cast<size_t>(permutation[d])] = sizes[d];
  return Add(sizes, fmt::format("transpose({}), dimensions={{{}}}", Read(own, most_reads),
                                fmt::join(permutation, ",")));
}

// Of all elements in a row, of two dimensions in one, or of one in two.
std::string ReadingProgram::Reshape(const Sizes& sizes, int64_t most_reads) {
  Sizes own = sizes;
  const size_t rank = sizes.size();
  const size_t d = rank == 0 ? 0 : static_cast<size_t>(dice_.Below(static_cast<int64_t>(rank)));
  if (rank == 0 || dice_.Chance(20)) {
    own = {CountOf(sizes)};
  } else if (d + 1 < rank && dice_.Chance(50)) {
    own[d] *= own[d + 1];
    own.erase(own.begin() + static_cast<int64_t>(d) + 1);
  } else {
    const int64_t factor = dice_.OneOf<int64_t>({1, 2, 3, 4, 8});
    if (own[d] % factor != 0) return Read(sizes, most_reads);
    own[d] /= factor;
    own.insert(own.begin() + static_cast<int64_t>(d) + dice_.Below(2), factor);
  }
  return Add(sizes, fmt::format("reshape({})", Read(own, most_reads)));
}

std::string ReadingProgram::Reverse(const Sizes& sizes, int64_t most_reads) {
  Sizes dimensions;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (dice_.Chance(40)) dimensions.push_back(static_cast<int64_t>(d));
  }
  return Add(sizes, fmt::format("reverse({}), dimensions={{{}}}", Read(sizes, most_reads),
                                fmt::join(dimensions, ",")));
}

// Edges of all kinds, negative ones and elements between included.
std::string ReadingProgram::Pad(const Sizes& sizes, int64_t most_reads) {
  Sizes own;
  std::string padding;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t low = dice_.Chance(30) ? dice_.Below(5) - 2 : 0;
    const int64_t between = dice_.Chance(10) ? 1 : 0;
    int64_t inner = sizes[d] - low - (dice_.Chance(30) ? dice_.Below(5) - 2 : 0);
    if (inner < 0) inner = 0;
    own.push_back(between == 0 ? inner : (inner + 1) / 2);
    const int64_t covered = own[d] == 0 ? 0 : own[d] + (own[d] - 1) * between;
    padding += fmt::format("{}{}_{}_{}", d == 0 ? "" : "x", low, sizes[d] - low - covered, between);
  }
  const std::string read = Read(own, most_reads);
  return Add(sizes, fmt::format("pad({}, {}), padding={}", read, Parameter({}), padding));
}

std::string ReadingProgram::Concatenate(const Sizes& sizes, int64_t most_reads) {
  const size_t d = static_cast<size_t>(dice_.Below(static_cast<int64_t>(sizes.size())));
  Sizes first = sizes, second = sizes;
  first[d] = dice_.Below(sizes[d] + 1);
  second[d] = sizes[d] - first[d];
  const auto piece = [&](const Sizes& piece_sizes) {
    const std::string read = Read(piece_sizes, most_reads);
    return dice_.Chance(20) ? Add(piece_sizes, fmt::format("negate({})", read)) : read;
  };
  const std::string before = piece(first);
  return Add(sizes,
             fmt::format("concatenate({}, {}), dimensions={{{}}}", before, piece(second), d));
}

}  // namespace hlo::testing

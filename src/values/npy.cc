// The format: magic, version, length of the header, the header (a Python dictionary with `descr`,
// `fortran_order` and `shape`, padded to 64 bytes), then the elements.
// Source: numpy.lib.format.
#include "values/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "ir/index_space.h"
#include "ir/run_time_dims.h"
#include "support/checked_math.h"
#include "support/status_macros.h"

namespace hlo {
namespace {

constexpr std::string_view kNote = "# hlo: ";

struct NumpyType {
  std::string_view descr;
  ElementType type;
};
constexpr NumpyType kNumpyTypes[] = {
    {"|b1", ElementType::kPred}, {"|i1", ElementType::kS8},    {"<i2", ElementType::kS16},
    {"<i4", ElementType::kS32},  {"<i8", ElementType::kS64},   {"|u1", ElementType::kU8},
    {"<u2", ElementType::kU16},  {"<u4", ElementType::kU32},   {"<u8", ElementType::kU64},
    {"<f2", ElementType::kF16},  {"<f4", ElementType::kF32},   {"<f8", ElementType::kF64},
    {"<c8", ElementType::kC64},  {"<c16", ElementType::kC128},
};

struct Header {
  std::string descr;
  bool is_fortran_order = false;
  std::vector<int64_t> dims;
  std::optional<ElementType> note;
  size_t data_begin = 0;
};

// Reads the dictionary. Python allows more than this; numpy writes no more.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  absl::Status Read(Header& header) {
    if (!Skip('{')) return Bad("a dictionary");
    std::vector<std::string> keys;
    while (!Skip('}')) {
      HLO_ASSIGN_OR_RETURN(std::string key, ReadString());
      if (!Skip(':')) return Bad("`:`");
      if (key == "descr") {
        if (Peek() == '[') return absl::InvalidArgumentError("structured arrays are not supported");
        HLO_ASSIGN_OR_RETURN(header.descr, ReadString());
      } else if (key == "fortran_order") {
        HLO_ASSIGN_OR_RETURN(header.is_fortran_order, ReadBool());
      } else if (key == "shape") {
        HLO_RETURN_IF_ERROR(ReadTuple(header.dims));
      } else {
        return absl::InvalidArgumentError(fmt::format("the npy header has the key `{}`", key));
      }
      keys.push_back(std::move(key));
      Skip(',');
    }
    for (std::string_view key : {"descr", "fortran_order", "shape"}) {
      if (std::ranges::find(keys, key) == keys.end()) {
        return absl::InvalidArgumentError(fmt::format("the npy header has no `{}`", key));
      }
    }
    size_t note = rest_.find(kNote);
    if (note != std::string_view::npos) {
      std::string_view name = rest_.substr(note + kNote.size());
      header.note = ParseElementType(name.substr(0, name.find_first_of(" \n")));
    }
    return absl::OkStatus();
  }

 private:
  char Peek() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t"), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool Skip(char c) {
    if (Peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  static absl::Status Bad(std::string_view expected) {
    return absl::InvalidArgumentError(
        fmt::format("the npy header is damaged: expected {}", expected));
  }
  absl::StatusOr<std::string> ReadString() {
    char quote = Peek();
    if (quote != '\'' && quote != '"') return Bad("a string");
    size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return Bad("the end of a string");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  absl::StatusOr<bool> ReadBool() {
    Peek();
    for (bool value : {true, false}) {
      std::string_view text = value ? "True" : "False";
      if (!rest_.starts_with(text)) continue;
      rest_.remove_prefix(text.size());
      return value;
    }
    return Bad("True or False");
  }
  absl::Status ReadTuple(std::vector<int64_t>& dims) {
    if (!Skip('(')) return Bad("a tuple");
    while (!Skip(')')) {
      Peek();
      int64_t value = 0;
      size_t digits = 0;
      for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
        std::optional<int64_t> product = CheckedMul(value, 10);
        std::optional<int64_t> sum =
            product ? CheckedAdd(*product, rest_[digits] - '0') : std::nullopt;
        if (!sum) return Bad("sizes below 2^63");
        value = *sum;
      }
      if (digits == 0) return Bad("a size");
      rest_.remove_prefix(digits);
      Skip('L');  // what Python 2 wrote
      dims.push_back(value);
      Skip(',');
    }
    return absl::OkStatus();
  }

  std::string_view rest_;
};

absl::StatusOr<Header> ReadHeader(std::string_view bytes) {
  constexpr size_t kPrefix = 8;  // magic and version
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < kPrefix + 4) {
    return absl::InvalidArgumentError("not a npy file");
  }
  int major = bytes[6];
  if (major < 1 || major > 3) {
    return absl::InvalidArgumentError(fmt::format("npy version {} is not known", major));
  }
  size_t length_bytes = major == 1 ? 2 : 4;
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kPrefix, length_bytes);
  Header header;
  header.data_begin = kPrefix + length_bytes + length;
  if (header.data_begin > bytes.size()) {
    return absl::InvalidArgumentError("the npy header goes past the end of the file");
  }
  HeaderReader reader(bytes.substr(kPrefix + length_bytes, length));
  HLO_RETURN_IF_ERROR(reader.Read(header));
  return header;
}

// How the elements of a file become elements of ours.
struct Decoding {
  ElementType type = ElementType::kF32;
  bool swap_bytes = false;
};

absl::Status NoElementType(std::string_view descr) {
  return absl::InvalidArgumentError(fmt::format("numpy type `{}` has no element type here", descr));
}

absl::StatusOr<Decoding> DecodingOf(const Header& header, const Shape* expected) {
  Decoding decoding;
  std::string descr = header.descr;
  if (descr.ends_with('O')) {
    return absl::InvalidArgumentError(
        fmt::format("a pickled object array (numpy type `{}`) is not read", descr));
  }
  if (descr.size() < 3) return NoElementType(descr);
  decoding.swap_bytes = descr[0] == '>';
  std::string_view kind = std::string_view(descr).substr(1);
  std::optional<ElementType> wanted = header.note;
  if (expected != nullptr && !HasNumpyType(expected->element_type())) {
    wanted = expected->element_type();
  }
  if (wanted && IsArrayType(*wanted)) {
    bool is_raw = kind == NumpyDescr(*wanted).substr(1) ||
                  kind == (ElementByteSize(*wanted) == 2 ? "u2" : "u1") || kind == "V1";
    bool has_width = kind.back() - '0' == ElementByteSize(*wanted);
    if (is_raw && has_width) {
      decoding.type = *wanted;
      return decoding;
    }
  }
  for (const NumpyType& numpy_type : kNumpyTypes) {
    if (numpy_type.descr.substr(1) != kind) continue;
    decoding.type = numpy_type.type;
    return decoding;
  }
  return NoElementType(descr);
}

void SwapBytes(Literal& literal) {
  ElementType type = literal.shape().element_type();
  size_t width = static_cast<size_t>(ElementByteSize(type)) / (IsComplex(type) ? 2 : 1);
  for (int64_t at = 0; at < literal.byte_size(); at += static_cast<int64_t>(width)) {
    std::reverse(literal.bytes() + at, literal.bytes() + at + width);
  }
}

// Elements that stand column by column: index i is at the position of i reversed in the reversed
// sizes.
void CopyFortranOrder(std::string_view data, Literal& literal) {
  std::span<const int64_t> dims = literal.shape().dims();
  Index strides(dims.size());
  int64_t stride = ElementByteSize(literal.shape().element_type());
  const size_t width = static_cast<size_t>(stride);
  for (size_t d = 0; d < dims.size(); ++d) {
    strides[d] = stride;
    stride *= dims[d];
  }
  std::byte* to = literal.bytes();
  for (const Index& index : IndexSpace(dims)) {
    int64_t from = 0;
    for (size_t d = 0; d < dims.size(); ++d) from += index[d] * strides[d];
    std::memcpy(to, data.data() + from, width);
    to += width;
  }
}

// A bool byte of another program may be anything; narrow integers keep their low bits.
void Normalize(Literal& literal) {
  DispatchElementType<kAnyArray>(literal.shape().element_type(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, bool>) {
      std::byte* bytes = literal.bytes();
      for (int64_t i = 0; i < literal.byte_size(); ++i)
        bytes[i] = std::byte{bytes[i] != std::byte{0}};
    } else if constexpr ((kTypeClassOf<T> & kInteger) != 0 && sizeof(T) == 1 &&
                         !std::is_integral_v<T>) {
      for (T& element : literal.elements<T>()) {
        element = static_cast<T>(static_cast<int64_t>(*reinterpret_cast<int8_t*>(&element)));
      }
    }
  });
}

}  // namespace

std::string_view NumpyDescr(ElementType type) {
  for (const NumpyType& numpy_type : kNumpyTypes) {
    if (numpy_type.type == type) return numpy_type.descr;
  }
  if (IsInteger(type)) return IsSigned(type) ? "|i1" : "|u1";
  return ElementByteSize(type) == 2 ? "<V2" : "<V1";
}

bool HasNumpyType(ElementType type) {
  return std::ranges::any_of(kNumpyTypes, [&](const NumpyType& t) { return t.type == type; });
}

absl::StatusOr<std::string> EncodeNpy(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(fmt::format("`{}` is no array", ShapeText(shape)));
  }
  std::span<const int64_t> dims = RunTimeDims(literal);
  std::string dictionary = fmt::format(
      "{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
      NumpyDescr(shape.element_type()), fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
  if (!HasNumpyType(shape.element_type())) {
    dictionary += fmt::format("  {}{}", kNote, ElementTypeName(shape.element_type()));
  }
  constexpr size_t kAlignment = 64;
  constexpr size_t kPrefix = 10;
  size_t header_size =
      CeilDiv(static_cast<int64_t>(kPrefix + dictionary.size() + 1), kAlignment) * kAlignment;
  dictionary.resize(header_size - kPrefix - 1, ' ');
  std::string bytes(kNpyMagic);
  bytes += {'\x01', '\x00', static_cast<char>((dictionary.size() + 1) & 0xff),
            static_cast<char>((dictionary.size() + 1) >> 8)};
  bytes += dictionary;
  bytes += '\n';
  int64_t byte_size = ElementByteSize(shape.element_type());
  for (int64_t dim : dims) byte_size *= dim;
  bytes.append(reinterpret_cast<const char*>(literal.bytes()), static_cast<size_t>(byte_size));
  return bytes;
}

absl::StatusOr<Literal> DecodeNpy(std::string_view bytes, const Shape* expected) {
  HLO_ASSIGN_OR_RETURN(Header header, ReadHeader(bytes));
  HLO_ASSIGN_OR_RETURN(Decoding decoding, DecodingOf(header, expected));
  Shape shape = Shape::ArrayWithDefaultLayout(decoding.type, header.dims);
  HLO_ASSIGN_OR_RETURN(int64_t byte_size, DenseByteSize(shape));
  std::string_view data = bytes.substr(header.data_begin);
  if (static_cast<uint64_t>(byte_size) > data.size()) {
    const bool is_expected =
        expected == nullptr || std::ranges::equal(header.dims, expected->dims());
    if (!is_expected) {
      return absl::InvalidArgumentError(
          fmt::format("expected `{}`, got `{}`", ShapeText(*expected), ShapeText(shape)));
    }
    return absl::InvalidArgumentError(fmt::format("`{}` takes {} bytes, the file has {}",
                                                  ShapeText(shape), byte_size, data.size()));
  }
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(shape));
  if (header.is_fortran_order) {
    CopyFortranOrder(data, literal);
  } else {
    std::memcpy(literal.bytes(), data.data(), static_cast<size_t>(byte_size));
  }
  if (decoding.swap_bytes) SwapBytes(literal);
  Normalize(literal);
  return literal;
}

}  // namespace hlo

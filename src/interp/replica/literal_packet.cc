#include "interp/replica/literal_packet.h"

#include <cstring>
#include <utility>
#include <vector>

#include "support/status_macros.h"

namespace hlo {

void AddLiteral(const Literal& literal, PacketWriter& writer) {
  if (literal.shape().IsTuple()) {
    for (const Literal& element : literal.tuple_elements()) AddLiteral(element, writer);
  } else if (literal.shape().IsArray()) {
    writer.AddNumbers(literal.dynamic_sizes()).Add(literal.byte_size());
    writer.AddBytes(literal.bytes(), static_cast<size_t>(literal.byte_size()));
  }
}

absl::StatusOr<Literal> TakeLiteral(const Shape& shape, PacketReader& reader) {
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) {
      HLO_ASSIGN_OR_RETURN(Literal literal, TakeLiteral(element, reader));
      elements.push_back(std::move(literal));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return Literal::Zeros(shape);  // tokens have no elements
  std::vector<int64_t> sizes = reader.TakeNumbers();
  Shape own = shape;
  // What turned out smaller than it is written (Executor::Result).
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != shape.dims()[d]) own.set_dynamic(static_cast<int64_t>(d), true);
  }
  HLO_ASSIGN_OR_RETURN(Literal literal, Literal::Uninitialized(own));
  literal.set_dynamic_sizes(std::move(sizes));
  HLO_CHECK(reader.Take<int64_t>() == literal.byte_size());
  const std::span<const std::byte> bytes =
      reader.TakeBytes(static_cast<size_t>(literal.byte_size()));
  if (!bytes.empty()) std::memcpy(literal.bytes(), bytes.data(), bytes.size());
  return literal;
}

}  // namespace hlo

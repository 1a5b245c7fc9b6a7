// An id is a place in a vector, so nothing is ever taken out here: modules without what was erased
// are copies (module_clone.cc). Shapes and literals are pointed at and live in containers that do
// not move them. Lists of attributes are never changed: setting one copies the list, and the old
// one stays in the arena.
#include "ir/module.h"

#include <utility>

namespace hlo {

bool ShapeRef::operator==(const ShapeRef& other) const {
  return shape == other.shape ||
         (shape != nullptr && other.shape != nullptr && *shape == *other.shape);
}

bool LiteralRef::operator==(const LiteralRef& other) const {
  return literal == other.literal ||
         (literal != nullptr && other.literal != nullptr && *literal == *other.literal);
}

Module::Module(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}

const Shape* Module::InternShape(const Shape& shape) { return &*shapes_.insert(shape).first; }

const Literal* Module::AddLiteral(Literal literal) {
  literals_.push_back(std::move(literal));
  return &literals_.back();
}

ComputationId Module::AddComputation(Computation computation) {
  computations_.push_back(std::move(computation));
  return ComputationId(computations_.size() - 1);
}

InstructionId Module::AddInstruction(const Instruction& instruction) {
  instructions_.push_back(instruction);
  return InstructionId(instructions_.size() - 1);
}

void Module::SetAttribute(AttributeMap& map, const Attribute& attribute) {
  std::vector<Attribute> attributes(map.begin(), map.end());
  bool replaced = false;
  for (Attribute& existing : attributes) {
    if (existing.attr != attribute.attr) continue;
    existing = attribute;
    replaced = true;
  }
  if (!replaced) attributes.push_back(attribute);
  map = AttributeMap(List<Attribute>(arena_.CopyItems(std::span<const Attribute>(attributes))));
}

void Module::RemoveAttribute(InstructionId id, Attr attr) {
  AttributeMap& map = instructions_[id.value].attributes;
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : map) {
    if (attribute.attr != attr) attributes.push_back(attribute);
  }
  map = AttributeMap(List<Attribute>(arena_.CopyItems(std::span<const Attribute>(attributes))));
}

size_t Module::MemoryByteSize() const {
  size_t bytes = arena_.byte_size() + instructions_.capacity() * sizeof(Instruction) +
                 computations_.capacity() * sizeof(Computation) +
                 comments_.capacity() * sizeof(SourceRange) +
                 shapes_.size() * (sizeof(Shape) + 2 * sizeof(void*));
  for (const Computation& computation : computations_) {
    bytes += (computation.instructions.capacity() + computation.parameters.capacity()) *
             sizeof(InstructionId);
  }
  for (const Literal& literal : literals_) bytes += sizeof(Literal) + literal.byte_size();
  return bytes;
}

}  // namespace hlo

// Without underscores numpy's names of types are among those that the parser knows from other
// interfaces (other_names.h). Elements are copied on the way in and not on the way out: an array
// owns its literal through a capsule. hlokit/__init__.py sees to C order and native bytes.
#include "python/numpy_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/run_time_dims.h"
#include "parser/other_names.h"
#include "support/status_macros.h"
#include "values/npy.h"

namespace hlo::python {
namespace {

namespace py = pybind11;

// numpy and ml_dtypes say `float32`, `bool`, `float8_e4m3fn`, `int4`.
std::optional<ElementType> ElementTypeOf(const py::dtype& dtype) {
  std::string name = py::str(dtype.attr("name"));
  std::erase(name, '_');
  return ElementTypeMeantBy(name);
}

// What ml_dtypes calls a type that numpy lacks: bf16 is bfloat16, f8e4m3fn float8_e4m3fn.
std::string MlDtypesName(ElementType type) {
  const std::string_view name = ElementTypeName(type);
  if (type == ElementType::kBf16) return "bfloat16";
  if (IsInteger(type)) return fmt::format("{}int{}", IsSigned(type) ? "" : "u", name.substr(1));
  const size_t exponent = name.find('e');
  return fmt::format("float{}_{}", name.substr(1, exponent - 1), name.substr(exponent));
}

py::dtype DtypeOf(ElementType type) {
  if (HasNumpyType(type)) return py::dtype(std::string(NumpyDescr(type)));
  try {
    const py::module_ types = py::module_::import("ml_dtypes");
    const std::string name = MlDtypesName(type);
    if (py::hasattr(types, name.c_str())) return py::dtype::from_args(types.attr(name.c_str()));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_ImportError)) throw;
  }
  return py::dtype(std::string(NumpyDescr(type)));
}

absl::StatusOr<Literal> ArrayLiteral(const py::array& array, const Shape& expected) {
  const bool is_raw = array.dtype().kind() == 'V' && expected.IsArray() &&
                      array.itemsize() == ElementByteSize(expected.element_type());
  std::optional<ElementType> type = ElementTypeOf(array.dtype());
  if (!type && is_raw) type = expected.element_type();
  if (!type || ElementByteSize(*type) != array.itemsize()) {
    return absl::InvalidArgumentError(fmt::format("numpy type `{}` has no element type here",
                                                  std::string(py::str(array.dtype()))));
  }
  const std::vector<int64_t> dims(array.shape(), array.shape() + array.ndim());
  HLO_ASSIGN_OR_RETURN(Literal literal,
                       Literal::Uninitialized(Shape::ArrayWithDefaultLayout(*type, dims)));
  std::memcpy(literal.bytes(), array.data(), static_cast<size_t>(literal.byte_size()));
  return literal;
}

}  // namespace

absl::StatusOr<Literal> LiteralOf(const py::handle& value, const Shape& expected) {
  if (py::isinstance<py::array>(value)) {
    return ArrayLiteral(py::reinterpret_borrow<py::array>(value), expected);
  }
  const auto elements = py::reinterpret_borrow<py::tuple>(value);
  std::vector<Literal> literals;
  for (size_t i = 0; i < elements.size(); ++i) {
    const bool is_expected =
        expected.IsTuple() && static_cast<int64_t>(i) < expected.element_count();
    HLO_ASSIGN_OR_RETURN(
        Literal literal,
        LiteralOf(elements[i], is_expected ? expected.element(static_cast<int64_t>(i)) : expected));
    literals.push_back(std::move(literal));
  }
  return Literal::Tuple(std::move(literals));
}

py::object ArrayOf(Literal literal) {
  if (literal.shape().IsTuple()) {
    py::tuple tuple(literal.tuple_elements().size());
    for (size_t i = 0; i < tuple.size(); ++i) {
      tuple[i] = ArrayOf(std::move(literal.tuple_elements()[i]));
    }
    return tuple;
  }
  if (!literal.shape().IsArray()) return py::none();
  auto owner = std::make_unique<Literal>(std::move(literal));
  const std::span<const int64_t> sizes = RunTimeDims(*owner);
  const std::vector<py::ssize_t> dims(sizes.begin(), sizes.end());
  const py::dtype dtype = DtypeOf(owner->shape().element_type());
  const void* bytes = owner->bytes();
  const py::capsule base(owner.release(), [](void* p) { delete static_cast<Literal*>(p); });
  return py::array(dtype, dims, {}, bytes, base);
}

}  // namespace hlo::python

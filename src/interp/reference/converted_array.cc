// Where nothing differs, which is the usual case, the array itself is taken and nothing allocated.
// Otherwise all of it is copied or converted at once, outside of the kernel's loops. A dimension
// that is repeated has a stride of 0.
#include "interp/reference/converted_array.h"

#include <algorithm>
#include <limits>

#include "interp/reference/strided_copy.h"
#include "ir/element_conversion.h"

namespace hlo::reference {
namespace {

ScratchArray<std::byte> Room(ScratchPool& pool, int64_t element_count, ElementType type) {
  return ScratchArray<std::byte>(pool, element_count * ElementByteSize(type));
}

}  // namespace

ConvertedArray::ConvertedArray(ScratchPool& pool, const ArrayRef& array, ElementType type)
    : ref_(array) {
  if (array.element_type == type) return;
  storage_ = Room(pool, array.element_count(), type);
  ref_ = {type, array.dims, storage_.get()};
  ConvertElements(array.element_type, array.bytes, type, storage_.get(), array.element_count());
}

ResultInType::ResultInType(ScratchPool& pool, const MutableArrayRef& result, ElementType type)
    : result_(result), ref_(result) {
  if (result.element_type == type) return;
  storage_ = Room(pool, result.element_count(), type);
  ref_ = {type, result.dims, storage_.get()};
}

void ResultInType::Finish() {
  if (storage_ == nullptr) return;
  ConvertElements(ref_.element_type, ref_.bytes, result_.element_type, result_.bytes,
                  ref_.element_count());
}

FittedArray::FittedArray(ScratchPool& pool, const ArrayRef& array, std::span<const int64_t> dims)
    : element_type_(array.element_type), dims_(dims.begin(), dims.end()), bytes_(array.bytes) {
  if (std::ranges::equal(array.dims, dims)) return;
  Strides from_strides = DenseStrides(array.dims);
  int64_t element_count = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (array.dims[d] < dims[d]) from_strides[d] = 0;
    element_count *= dims[d];
  }
  const int64_t element_size = ElementByteSize(array.element_type);
  storage_ = Room(pool, element_count, array.element_type);
  CopyStrided(element_size, dims, array.bytes, from_strides, storage_.get(), DenseStrides(dims));
  bytes_ = storage_.get();
}

int64_t IntegerAt(const ArrayRef& array, int64_t i) {
  return DispatchElementType<kInteger>(array.element_type, [&]<typename T>() -> int64_t {
    const T value = reinterpret_cast<const T*>(array.bytes)[i];
    if constexpr (std::is_same_v<T, uint64_t>) {
      return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
    } else {
      return static_cast<int64_t>(value);
    }
  });
}

}  // namespace hlo::reference

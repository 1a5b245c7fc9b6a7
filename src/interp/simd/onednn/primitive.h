// oneDNN's primitives: a form says which implementation does some work on arrays of which layouts,
// a call is that implementation, compiled, with places for the arrays' addresses.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_PRIMITIVE_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_PRIMITIVE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "interp/simd/onednn/library.h"

namespace hlo::simd::onednn {

using Layout = dnnl_memory_desc_t;

// Element [i, j, ...] lies i * strides[0] + j * strides[1] + ... elements from the first.
std::optional<Layout> StridedLayout(dnnl_data_type_t type, std::span<const int64_t> dims,
                                    std::span<const int64_t> strides);
// The layout is the implementation's choice.
Layout OpenLayout(const Layout& layout);
// The same strides with other sizes.
std::optional<Layout> WithSizes(const Layout& layout, std::span<const int64_t> sizes);
// Elements [begin, begin + size) of dimension `d` of an array of `layout`, in its memory.
std::optional<Layout> PieceOf(const Layout& layout, int d, int64_t begin, int64_t size);
bool AreSame(const Layout& a, const Layout& b);
int64_t ByteSizeOf(const Layout& layout);

class Form {
 public:
  // `descriptor` is one of the library's operation descriptors, and `forward` what a gradient is
  // that of. Null when it has no such primitive.
  static std::shared_ptr<const Form> Make(const void* descriptor, const Form* forward = nullptr);
  static std::shared_ptr<const Form> MakeReorder(const Layout& from, const Layout& to);

  explicit Form(dnnl_primitive_desc_t form) : form_(form) {}
  ~Form();
  Form(const Form&) = delete;
  Form& operator=(const Form&) = delete;

  // Such as "brgconv:avx512_core".
  std::string_view implementation() const;
  // Of the array that is argument DNNL_ARG_...
  const Layout& layout(int argument) const;
  int64_t scratch_byte_size() const;
  const_dnnl_primitive_desc_t get() const { return form_; }

 private:
  dnnl_primitive_desc_t form_;
};

// What calls are queued in; here each is waited for.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  dnnl_stream_t get() const { return stream_; }

 private:
  dnnl_stream_t stream_ = nullptr;
};

// The addresses of a call's arrays.
template <typename... Bytes>
std::array<const std::byte*, sizeof...(Bytes)> Arrays(Bytes*... bytes) {
  return {bytes...};
}

class Call {
 public:
  // Compiles `form`, whose arrays are `arguments` in the order in which Run takes their addresses.
  static absl::StatusOr<Call> Make(const Form& form, std::span<const int> arguments);
  // The same with places of its own, for other arrays at the same time.
  absl::StatusOr<Call> Again() const;

  Call(Call&& other) noexcept;
  Call& operator=(Call&& other) noexcept;
  ~Call();

  // `scratch` has as many bytes as the form says.
  absl::Status Run(const Stream& stream, std::span<const std::byte* const> arrays,
                   std::byte* scratch) const;

 private:
  Call() = default;
  absl::Status AddArgument(int argument, const Layout& layout);

  std::shared_ptr<dnnl_primitive> primitive_;
  std::vector<dnnl_exec_arg_t> arguments_;  // scratch memory last
};

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_PRIMITIVE_H_

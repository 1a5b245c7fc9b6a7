// Scratch memory is the caller's, so that it is counted and shared like that of all other kernels.
// Making a form takes some 0.1 ms, compiling it up to one, running it none besides the work.
#include "interp/simd/onednn/primitive.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "support/status_macros.h"

namespace hlo::simd::onednn {
namespace {

// Whoever has a layout, form or call has found the library.
const Library& TheLibrary() { return *FindLibrary(); }

absl::Status StatusOf(dnnl_status_t status) {
  if (status == dnnl_success) return absl::OkStatus();
  if (status == dnnl_out_of_memory) return absl::ResourceExhaustedError("no memory for oneDNN");
  return absl::InternalError(fmt::format("oneDNN fails with status {}", static_cast<int>(status)));
}

// Attributes of all primitives.
class Attributes {
 public:
  Attributes() {
    if (TheLibrary().dnnl_primitive_attr_create(&attributes_) != dnnl_success) return;
    TheLibrary().dnnl_primitive_attr_set_scratchpad_mode(attributes_, dnnl_scratchpad_mode_user);
  }
  ~Attributes() {
    if (attributes_ != nullptr) TheLibrary().dnnl_primitive_attr_destroy(attributes_);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const_dnnl_primitive_attr_t get() const { return attributes_; }

 private:
  dnnl_primitive_attr_t attributes_ = nullptr;
};

}  // namespace

std::optional<Layout> StridedLayout(dnnl_data_type_t type, std::span<const int64_t> dims,
                                    std::span<const int64_t> strides) {
  Layout layout;
  const dnnl_status_t status = TheLibrary().dnnl_memory_desc_init_by_strides(
      &layout, static_cast<int>(dims.size()), dims.data(), type, strides.data());
  return status == dnnl_success ? std::optional(layout) : std::nullopt;
}

Layout OpenLayout(const Layout& layout) {
  Layout open;
  TheLibrary().dnnl_memory_desc_init_by_tag(&open, layout.ndims, layout.dims, layout.data_type,
                                            dnnl_format_tag_any);
  return open;
}

std::optional<Layout> WithSizes(const Layout& layout, std::span<const int64_t> sizes) {
  const std::span strides(layout.format_desc.blocking.strides, sizes.size());
  return StridedLayout(layout.data_type, sizes, strides);
}

std::optional<Layout> PieceOf(const Layout& layout, int d, int64_t begin, int64_t size) {
  dnnl_dims_t sizes, offsets = {};
  std::copy_n(layout.dims, layout.ndims, sizes);
  sizes[d] = size;
  offsets[d] = begin;
  Layout piece;
  const dnnl_status_t status =
      TheLibrary().dnnl_memory_desc_init_submemory(&piece, &layout, sizes, offsets);
  return status == dnnl_success ? std::optional(piece) : std::nullopt;
}

bool AreSame(const Layout& a, const Layout& b) {
  return TheLibrary().dnnl_memory_desc_equal(&a, &b) != 0;
}

int64_t ByteSizeOf(const Layout& layout) {
  return static_cast<int64_t>(TheLibrary().dnnl_memory_desc_get_size(&layout));
}

// --- Forms

std::shared_ptr<const Form> Form::Make(const void* descriptor, const Form* forward) {
  const Attributes attributes;
  dnnl_primitive_desc_t form = nullptr;
  const dnnl_status_t status = TheLibrary().dnnl_primitive_desc_create(
      &form, descriptor, attributes.get(), TheLibrary().engine,
      forward == nullptr ? nullptr : forward->get());
  return status == dnnl_success ? std::make_shared<const Form>(form) : nullptr;
}

std::shared_ptr<const Form> Form::MakeReorder(const Layout& from, const Layout& to) {
  const Attributes attributes;
  dnnl_primitive_desc_t form = nullptr;
  const dnnl_status_t status = TheLibrary().dnnl_reorder_primitive_desc_create(
      &form, &from, TheLibrary().engine, &to, TheLibrary().engine, attributes.get());
  return status == dnnl_success ? std::make_shared<const Form>(form) : nullptr;
}

Form::~Form() { TheLibrary().dnnl_primitive_desc_destroy(form_); }

std::string_view Form::implementation() const {
  const char* name = "";
  TheLibrary().dnnl_primitive_desc_query(form_, dnnl_query_impl_info_str, 0, &name);
  return name;
}

const Layout& Form::layout(int argument) const {
  return *TheLibrary().dnnl_primitive_desc_query_md(form_, dnnl_query_exec_arg_md, argument);
}

int64_t Form::scratch_byte_size() const {
  return ByteSizeOf(*TheLibrary().dnnl_primitive_desc_query_md(form_, dnnl_query_scratchpad_md, 0));
}

// --- Calls

Stream::Stream() {
  TheLibrary().dnnl_stream_create(&stream_, TheLibrary().engine, dnnl_stream_default_flags);
}

Stream::~Stream() {
  if (stream_ != nullptr) TheLibrary().dnnl_stream_destroy(stream_);
}

absl::StatusOr<Call> Call::Make(const Form& form, std::span<const int> arguments) {
  Call call;
  dnnl_primitive_t primitive = nullptr;
  HLO_RETURN_IF_ERROR(StatusOf(TheLibrary().dnnl_primitive_create(&primitive, form.get())));
  call.primitive_.reset(primitive,
                        [](dnnl_primitive_t made) { TheLibrary().dnnl_primitive_destroy(made); });
  for (int argument : arguments) {
    HLO_RETURN_IF_ERROR(call.AddArgument(argument, form.layout(argument)));
  }
  HLO_RETURN_IF_ERROR(call.AddArgument(
      DNNL_ARG_SCRATCHPAD,
      *TheLibrary().dnnl_primitive_desc_query_md(form.get(), dnnl_query_scratchpad_md, 0)));
  return call;
}

absl::StatusOr<Call> Call::Again() const {
  Call call;
  call.primitive_ = primitive_;
  for (const dnnl_exec_arg_t& argument : arguments_) {
    const dnnl_memory_desc_t* layout = nullptr;
    HLO_RETURN_IF_ERROR(
        StatusOf(TheLibrary().dnnl_memory_get_memory_desc(argument.memory, &layout)));
    HLO_RETURN_IF_ERROR(call.AddArgument(argument.arg, *layout));
  }
  return call;
}

absl::Status Call::AddArgument(int argument, const Layout& layout) {
  arguments_.push_back({argument, nullptr});
  return StatusOf(TheLibrary().dnnl_memory_create(&arguments_.back().memory, &layout,
                                                  TheLibrary().engine, DNNL_MEMORY_NONE));
}

Call::Call(Call&& other) noexcept
    : primitive_(std::move(other.primitive_)), arguments_(std::exchange(other.arguments_, {})) {}

Call& Call::operator=(Call&& other) noexcept {
  std::swap(primitive_, other.primitive_);
  std::swap(arguments_, other.arguments_);
  return *this;
}

Call::~Call() {
  for (const dnnl_exec_arg_t& argument : arguments_) {
    if (argument.memory != nullptr) TheLibrary().dnnl_memory_destroy(argument.memory);
  }
}

absl::Status Call::Run(const Stream& stream, std::span<const std::byte* const> arrays,
                       std::byte* scratch) const {
  const auto place = [&](size_t i, const std::byte* bytes) {
    // The library has no read-only memory; it writes results only.
    return StatusOf(TheLibrary().dnnl_memory_set_data_handle(arguments_[i].memory,
                                                             const_cast<std::byte*>(bytes)));
  };
  for (size_t i = 0; i < arrays.size(); ++i) HLO_RETURN_IF_ERROR(place(i, arrays[i]));
  HLO_RETURN_IF_ERROR(place(arrays.size(), scratch));
  HLO_RETURN_IF_ERROR(StatusOf(TheLibrary().dnnl_primitive_execute(
      primitive_.get(), stream.get(), static_cast<int>(arguments_.size()), arguments_.data())));
  return StatusOf(TheLibrary().dnnl_stream_wait(stream.get()));
}

}  // namespace hlo::simd::onednn

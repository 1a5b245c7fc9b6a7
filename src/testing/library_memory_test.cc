// Whether oneDNN stays in the memory it is given. Sanitizers see nothing of code that is made at
// run time: so every array ends where a page begins that may not be touched, and work memory is
// full of NaN. Arrays of zeros must then give zeros.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "interp/simd/base/aligned_memory.h"
#include "interp/simd/onednn/convolution_form.h"
#include "interp/simd/onednn/convolution_parts.h"
#include "interp/simd/onednn/library.h"
#include "interp/simd/onednn/primitive.h"
#include "interp/simd/onednn/product_parts.h"
#include "interp/simd/onednn/word_packing.h"
#include "interp/simd/product/dot.h"
#include "support/checked_math.h"
#include "testing/compare_backends.h"
#include "testing/random_program.h"
#include "testing/run_module.h"

namespace hlo::testing {
namespace {

namespace onednn = simd::onednn;

constexpr std::byte kZero{0}, kNan{0xff};

class GuardedArray {
 public:
  // Begins at a multiple of `alignment`; what is before it in its first page is NaN.
  GuardedArray(int64_t byte_size, std::byte value, int64_t alignment) : byte_size_(byte_size) {
    constexpr int64_t kPage = 4096;
    const int64_t room = CeilDiv(std::max<int64_t>(byte_size, 1), kPage) * kPage;
    mapped_size_ = static_cast<size_t>(room + kPage);
    pages_ = static_cast<std::byte*>(
        mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(pages_, std::to_integer<int>(kNan), static_cast<size_t>(room));
    mprotect(pages_ + room, static_cast<size_t>(kPage), PROT_NONE);
    begin_ = pages_ + (room - byte_size) / alignment * alignment;
    std::memset(begin_, std::to_integer<int>(value), static_cast<size_t>(byte_size));
  }
  ~GuardedArray() { munmap(pages_, mapped_size_); }
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  std::byte* get() const { return begin_; }
  bool IsUntouchedBefore() const {
    return std::all_of(pages_, begin_, [](std::byte byte) { return byte == kNan; });
  }
  // Of either sign, in any order of bytes.
  bool IsZero() const {
    return std::all_of(begin_, begin_ + byte_size_,
                       [](std::byte byte) { return (byte & std::byte{0x7f}) == std::byte{0}; });
  }

 private:
  int64_t byte_size_;
  size_t mapped_size_;
  std::byte *pages_, *begin_;
};

int64_t run_count = 0;  // of this test

// The result comes last among `arguments`.
void RunGuarded(const onednn::Form& form, std::span<const int> arguments) {
  const auto call = onednn::Call::Make(form, arguments);
  ASSERT_TRUE(call.ok()) << call.status();
  std::vector<std::unique_ptr<GuardedArray>> arrays;
  std::vector<const std::byte*> bytes;
  for (int argument : arguments) {
    arrays.push_back(std::make_unique<GuardedArray>(onednn::ByteSizeOf(form.layout(argument)),
                                                    kZero, /*alignment=*/4));
    bytes.push_back(arrays.back()->get());
  }
  const GuardedArray work(form.scratch_byte_size(), kNan, simd::kAlignment);
  const onednn::Stream stream;
  ASSERT_TRUE(call->Run(stream, bytes, work.get()).ok());
  ++run_count;
  EXPECT_TRUE(arrays.back()->IsZero()) << form.implementation();
  EXPECT_TRUE(work.IsUntouchedBefore()) << form.implementation();
  for (const auto& array : arrays) {
    EXPECT_TRUE(array->IsUntouchedBefore()) << form.implementation();
  }
}

void RunAllGuarded(const onednn::ConvolutionSpec& spec, const onednn::ConvolutionForms& forms) {
  RunGuarded(*forms.convolution,
             std::array{spec.input_argument(), spec.kernel_argument(), spec.result_argument()});
  for (const auto& form : {forms.input_reorder, forms.kernel_reorder, forms.result_reorder}) {
    if (form != nullptr) RunGuarded(*form, std::array{DNNL_ARG_FROM, DNNL_ARG_TO});
  }
}

void RunConvolution(const std::string& text) {
  const absl::StatusOr<Module> module = ParseText("convolution", text);
  if (!module.ok()) return;  // windows that lie nowhere
  const OpView op(*module, module->root(module->entry()));
  onednn::WithOneThread(*onednn::FindLibrary(), [&] {
    for (const onednn::ConvolutionSpec& spec : onednn::ConvolutionSpec::MakeAll(op)) {
      if (spec.role == onednn::ConvolutionRole::kKernelGradient) {
        if (const auto forms = onednn::ConvolutionForms::Make(spec)) RunAllGuarded(spec, *forms);
        continue;
      }
      for (const int64_t least_count : {1, 4}) {
        const auto parts = onednn::ConvolutionParts::Make(spec, least_count);
        if (!parts) continue;
        for (const auto& kind : parts->kinds()) RunAllGuarded(kind.spec, kind.forms);
      }
    }
  });
  if (::testing::Test::HasFailure()) ADD_FAILURE() << text;
}

// All forms that products of the dot in `text` have.
void RunDot(const std::string& text) {
  const absl::StatusOr<Module> module = ParseText("dot", text);
  ASSERT_TRUE(module.ok()) << module.status();
  const OpView op(*module, module->root(module->entry()));
  const simd::ProductShape shape =
      simd::DotShape(op, simd::OwnPlaces(op), /*may_swap=*/false).product;
  if (op.operand_shape(0).element_type() != op.operand_shape(1).element_type()) return;
  for (const auto* role : {&shape.batch, &shape.rows, &shape.sum, &shape.columns}) {
    if (role->count() == 0) return;
  }
  onednn::WithOneThread(*onednn::FindLibrary(), [&] {
    for (const bool packs : {false, true}) {
      const auto parts = onednn::ProductParts::Make(shape, op.operand_shape(0).element_type(),
                                                    op.written_shape()->element_type(), packs);
      if (!parts) continue;
      std::set<onednn::PartKind> kinds;
      for (const onednn::ProductPart& part : parts->parts()) {
        if (!kinds.insert(part.kind).second) continue;
        RunGuarded(parts->form(part.kind),
                   std::array{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
      }
      for (const onednn::ColumnBlock& block : parts->blocks()) {
        const auto& form = parts->packing(block.kind).form;
        if (form != nullptr) RunGuarded(*form, std::array{DNNL_ARG_FROM, DNNL_ARG_TO});
      }
    }
  });
  if (::testing::Test::HasFailure()) ADD_FAILURE() << text;
}

class LibraryMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (onednn::FindLibrary() == nullptr) GTEST_SKIP() << "there is no oneDNN";
    run_count = 0;
  }
};

// What oneDNN 2.6.3 does not do well, and is not asked for (convolution_form.cc).
TEST_F(LibraryMemoryTest, KernelGradientsKnown) {
  for (const std::string_view instructions : {
           "x = f32[2,8,8,3] parameter(0)\n  y = f32[2,8,4,96] parameter(1)\n"
           "ROOT r = f32[1,1,3,96] convolution(x, y), window={size=8x4 stride=1x2 pad=0_0x0_-1 "
           "rhs_dilate=1x2}, dim_labels=f01b_i01o->01bf",
           "x = bf16[2,8,13,3] parameter(0)\n  y = bf16[2,4,13,4] parameter(1)\n"
           "ROOT r = bf16[1,1,3,4] convolution(x, y), window={size=4x13 pad=0_-1x0_0 "
           "rhs_dilate=2x1}, dim_labels=f01b_i01o->01bf",
           "x = bf16[1,3,3,5,3] parameter(0)\n  y = bf16[1,16,2,5,3] parameter(1)\n"
           "ROOT r = bf16[3,1,1,3,16] convolution(x, y), window={size=2x5x3 pad=1_1x0_0x0_0 "
           "rhs_dilate=2x1x1}, dim_labels=fb012_io012->012bf",
           "x = bf16[3,3,3,5,32] parameter(0)\n  y = bf16[3,2,2,3,32] parameter(1)\n"
           "ROOT r = bf16[3,1,1,1,32] convolution(x, y), window={size=2x2x3 pad=1_1x0_0x0_0 "
           "rhs_dilate=2x2x2}, dim_labels=f012b_i012o->012bf, batch_group_count=32",
       }) {
    const std::string text = "HloModule m\nENTRY e {\n  " + std::string(instructions) + "\n}\n";
    EXPECT_TRUE(ParseText("known", text).ok()) << text;
    RunConvolution(text);
  }
}

TEST_F(LibraryMemoryTest, RandomKernelGradients) {
  for (uint32_t seed = 0; seed < 6000 && !HasFailure(); ++seed) {
    RunConvolution(RandomKernelGradient(seed));
  }
  EXPECT_GT(run_count, 500);
}

TEST_F(LibraryMemoryTest, RandomDots) {
  for (uint32_t seed = 0; seed < 1500 && !HasFailure(); ++seed) RunDot(RandomDot(seed));
  EXPECT_GT(run_count, 100);
}

TEST_F(LibraryMemoryTest, FewRowsByManyColumns) {
  for (const int rows : {3, 40}) {
    for (const char* types : {"bf16 bf16", "s8 s32"}) {
      const std::vector<std::string> words = absl::StrSplit(types, ' ');
      RunDot(fmt::format(
          "HloModule m\nENTRY e {{\n  x = {1}[{0},1100] parameter(0)\n  y = {1}[1000,1100] "
          "parameter(1)\n  ROOT r = {2}[{0},1000] dot(x, y), lhs_contracting_dims={{1}}, "
          "rhs_contracting_dims={{1}}\n}}\n",
          rows, words[0], words[1]));
    }
  }
}

// Of columns `from`: panels of `width` of them, 16 words of 32 bits of their terms to a block.
onednn::Layout PanelsOf(const onednn::Layout& from, int64_t width) {
  constexpr int64_t kWordsOfBlock = 16;
  const bool are_bytes = from.data_type == dnnl_s8;
  const int64_t terms_of_word = are_bytes ? 4 : 2;
  const int64_t terms_of_block = terms_of_word * kWordsOfBlock;
  onednn::Layout to = from;
  const int column = from.ndims - 1, term = column - 1;
  to.padded_dims[term] = RoundUp(from.dims[term], terms_of_block);
  to.padded_dims[column] = RoundUp(from.dims[column], width);
  auto& blocks = to.format_desc.blocking;
  if (term > 0) blocks.strides[0] = to.padded_dims[term] * to.padded_dims[column];
  blocks.strides[term] = terms_of_block * width;
  blocks.strides[column] = to.padded_dims[term] * width;
  blocks.inner_nblks = 3;
  const int64_t sizes[] = {kWordsOfBlock, width, terms_of_word},
                dimensions[] = {term, column, term};
  std::copy_n(sizes, 3, blocks.inner_blks);
  std::copy_n(dimensions, 3, blocks.inner_idxs);
  if (are_bytes) {
    to.extra.flags = dnnl_memory_extra_flag_compensation_conv_s8s8;
    to.extra.compensation_mask = 1 << column;
  }
  return to;
}

template <typename T>
const std::byte* BytesOf(const std::vector<T>& elements) {
  return reinterpret_cast<const std::byte*>(elements.data());
}

void ReorderByLibrary(const onednn::Layout& from, const onednn::Layout& to,
                      std::array<const std::byte*, 2> arrays) {
  onednn::WithOneThread(*onednn::FindLibrary(), [&] {
    const auto form = onednn::Form::MakeReorder(from, to);
    ASSERT_NE(form, nullptr);
    constexpr std::array kReordered = {DNNL_ARG_FROM, DNNL_ARG_TO};
    const auto call = onednn::Call::Make(*form, kReordered);
    ASSERT_TRUE(call.ok());
    std::vector<std::byte> scratch(static_cast<size_t>(form->scratch_byte_size()) + 1);
    ASSERT_TRUE(call->Run(onednn::Stream(), arrays, scratch.data()).ok());
  });
}

// Columns of bf16 or s8, terms or columns side by side or neither, in panels of `width`, beside
// those that the library makes of a copy without gaps: it does not take all others.
template <typename T>
void ExpectSamePacking(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                       int64_t width) {
  constexpr dnnl_data_type_t kType = sizeof(T) == 1 ? dnnl_s8 : dnnl_bf16;
  const auto from = *onednn::StridedLayout(kType, sizes, strides);
  std::vector<T> elements(static_cast<size_t>(onednn::ByteSizeOf(from)) / sizeof(T));
  // Normal numbers: others the library's slow reorders may change.
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<T>(sizeof(T) == 1 ? i * 151 : ((i * 40503) & 0x8fff) | 0x3000);
  }
  const auto own = onednn::WordPacking::Make(from, PanelsOf(from, width));
  ASSERT_TRUE(own.has_value());

  std::array<int64_t, 3> dense_strides = {1, 1, 1};
  for (size_t d = sizes.size() - 1; d > 0; --d) {
    dense_strides[d - 1] = dense_strides[d] * sizes[d];
  }
  const auto dense =
      *onednn::StridedLayout(kType, sizes, std::span(dense_strides).first(sizes.size()));
  std::vector<T> copy(static_cast<size_t>(onednn::ByteSizeOf(dense)) / sizeof(T));
  for (size_t i = 0; i < copy.size(); ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      offset += static_cast<int64_t>(i) / dense_strides[d] % sizes[d] * strides[d];
    }
    copy[i] = elements[static_cast<size_t>(offset)];
  }

  const onednn::Layout to = PanelsOf(dense, width);
  const auto size = static_cast<size_t>(onednn::ByteSizeOf(to)) / sizeof(T);
  std::vector<T> packed(size, 1), expected(size, 2);
  own->Run(BytesOf(elements), reinterpret_cast<std::byte*>(packed.data()));
  ReorderByLibrary(dense, to, {BytesOf(copy), BytesOf(expected)});
  if (sizeof(T) == 1) {
    // The library leaves more room than it writes sums.
    const auto written = static_cast<size_t>((to.padded_dims[0] + 4) * to.padded_dims[1]);
    packed.resize(written);
    expected.resize(written);
  }
  EXPECT_EQ(packed, expected);
}

template <typename T>
void ExpectSamePackings(int64_t terms, int64_t columns, int64_t width) {
  const std::array<int64_t, 2> sizes = {terms, columns};
  ExpectSamePacking<T>(sizes, std::array<int64_t, 2>{columns, 1}, width);
  ExpectSamePacking<T>(sizes, std::array<int64_t, 2>{1, terms}, width);
  ExpectSamePacking<T>(sizes, std::array<int64_t, 2>{1, RoundUp(terms, 4)}, width);
  ExpectSamePacking<T>(sizes, std::array<int64_t, 2>{2 * columns, 2}, width);
}

TEST_F(LibraryMemoryTest, OwnPackingIsTheLibrarys) {
  for (const auto [terms, columns] : {std::array<int64_t, 2>{64, 128},
                                      {70, 65},
                                      {71, 200},
                                      {1, 1},
                                      {33, 64},
                                      {2, 40},
                                      {300, 31},
                                      {70, 590}}) {
    for (const int64_t width : {16, 48, 64}) {
      SCOPED_TRACE(fmt::format("{} x {} by {}", terms, columns, width));
      ExpectSamePackings<uint16_t>(terms, columns, width);
      ExpectSamePackings<int8_t>(terms, columns, width);
      const std::array<int64_t, 3> many = {3, terms, columns};
      ExpectSamePacking<uint16_t>(many, std::array<int64_t, 3>{terms * columns, columns, 1}, width);
    }
  }
}

TEST_F(LibraryMemoryTest, RandomConvolutions) {
  for (uint32_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    RunConvolution(RandomLibraryConvolution(seed));
  }
  EXPECT_GT(run_count, 100);
}

}  // namespace
}  // namespace hlo::testing

// libFuzzer target: whatever is given as the value of an input, in words or as a file, is taken for
// a parameter of some shape or refused without harm, and what is taken has the shape that was
// wanted. The first byte chooses the shape and how types give way, the second the form; the rest is
// the value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "parser/parser.h"
#include "printer/printer.h"
#include "values/cast.h"
#include "values/compare.h"
#include "values/npy.h"
#include "values/value_files.h"
#include "values/value_json.h"
#include "values/value_shape.h"
#include "values/value_text.h"
#include "values/zip.h"

namespace {

using hlo::Literal;
using hlo::Shape;

constexpr std::string_view kShapes[] = {
    "f32[3]",
    "f32[]",
    "f32[<=4]",
    "s32[2,3]",
    "bf16[<=2,3]",
    "pred[5]",
    "c64[2]",
    "s4[7]",
    "f64[0,2]",
    "u8[<=3,<=3]",
    "(f32[2], s32[<=2])",
    "()",
    "f8e4m3fn[4]",
    "f32[2,3]{0,1}",
    "u64[2]",
    "((f16[1]), pred[])",
};

Shape ShapeOf(std::string_view text) {
  auto source = std::make_shared<const hlo::SourceText>("shape", std::string(text));
  hlo::DiagnosticSink sink(source);
  return *hlo::ParseShape(source, sink);
}

absl::StatusOr<Literal> Read(uint8_t form, std::string_view bytes, const Shape& shape) {
  constexpr uint64_t kMaxMember = uint64_t{1} << 20;
  if (form % 3 == 0) return hlo::ParseValue(bytes, shape);
  if (form % 3 == 1) return hlo::DecodeNpy(bytes, &shape);
  const absl::StatusOr<hlo::NpzMembers> members = hlo::DecodeZip(bytes, kMaxMember);
  if (!members.ok()) return members.status();
  return hlo::WholeValue(*members, shape);
}

// As programs use and print it.
void Use(const Literal& value) {
  constexpr int64_t kMaxPrint = 16;
  hlo::PrintResultLiteral(value, kMaxPrint);
  hlo::ValueJson(value);
  if (value.shape().IsArray()) hlo::EncodeNpy(value).status().IgnoreError();
  const Literal copy = value;
  for (const hlo::ArrayComparison& comparison : hlo::CompareLiterals(value, copy, {})) {
    if (!comparison.matches()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const Shape shape = ShapeOf(kShapes[data[0] % std::size(kShapes)]);
  const auto rule = static_cast<hlo::CastRule>(data[0] / std::size(kShapes) % 3);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  absl::StatusOr<Literal> value = Read(data[1], bytes, shape);
  if (!value.ok()) return 0;
  absl::StatusOr<hlo::CastValue> cast = hlo::CastTo(*std::move(value), shape, rule, "--cast=any");
  if (!cast.ok()) return 0;
  absl::StatusOr<Literal> fitting = hlo::FitToShape(std::move(cast->value), shape);
  if (!fitting.ok()) return 0;
  if (!Compatible(fitting->shape(), shape)) std::abort();
  Use(*fitting);
  return 0;
}

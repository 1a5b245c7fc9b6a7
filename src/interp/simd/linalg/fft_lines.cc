// Short lines are transformed eight at a time. A long one is a matrix: element j1 n2 + j2 of the
// line is in row j1; the matrix is transformed down its columns, eight of them at a time, turned by
// roots of unity, and transformed along its rows, eight at a time, whose element k2 of row k1 is
// k1 + n1 k2 of the result. So buffers stay in the first cache, and one line has work for all
// threads.
//
// The inverse is the transform of numbers whose parts are swapped, swapped.
#include "interp/simd/linalg/fft_lines.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "interp/simd/base/parallel.h"
#include "interp/simd/linalg/fft_plan.h"
#include "interp/simd/movement/turn_tile.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kLongLine = 1024;                // from here on lines are matrices
constexpr int64_t kSharedLine = int64_t{1} << 15;  // from here on threads share each line
constexpr int64_t kPartSize = int64_t{1} << 12;    // elements that are worth a part of their own
constexpr int64_t kTile = kTurnTile<uint64_t>;

// Elements of `size` bytes.
void TurnElements(int64_t size, const std::byte* from, int64_t from_stride, std::byte* to,
                  int64_t to_stride, int64_t rows, int64_t columns) {
  const auto turn = [&]<typename T>(T) {
    GetTurnTile<T>(/*streams=*/false)(reinterpret_cast<const T*>(from), from_stride,
                                      reinterpret_cast<T*>(to), to_stride, rows, columns);
  };
  if (size == 4) return turn(uint32_t());
  if (size == 8) return turn(uint64_t());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      std::memcpy(to + (r * to_stride + c) * size, from + (c * from_stride + r) * size,
                  static_cast<size_t>(size));
    }
  }
}

// Conjugates behind the first half of a line of complex numbers.
template <typename T>
void MirrorLine(std::byte* line, int64_t length) {
  auto* elements = reinterpret_cast<std::complex<T>*>(line);
  for (int64_t k = length / 2 + 1; k < length; ++k) elements[k] = std::conj(elements[length - k]);
}

}  // namespace

// What lies between the two passes of a long line, and its copies where it has to be dense.
struct FftLines::Matrix {
  ScratchArray<double> reals, imaginaries;  // [columns, pitch]
  ScratchArray<std::byte> from, to;
};

std::optional<LongFft::Factors> FftLines::FactorsOf(const Axis& axis) {
  const bool is_alone = axis.line_count < kFftLanes && axis.length >= kFftLanes * kFftLanes;
  const bool prefers_long = axis.inner == 1 && (axis.length >= kLongLine || is_alone);
  if (!prefers_long && LaneFft::IsSupported(axis.length)) return std::nullopt;
  return LongFft::Factor(axis.length);
}

bool FftLines::IsSupported(const Axis& axis) {
  return FactorsOf(axis).has_value() || LaneFft::IsSupported(axis.length);
}

int64_t FftLines::StateByteSize(const Axis& axis) {
  const auto factors = FactorsOf(axis);
  return factors ? LongFft::ByteSize(*factors) : LaneFft::ByteSize(axis.length);
}

// Who works on a part has buffers, and the matrix of a line unless lines are shared.
int64_t FftLines::ScratchByteSize(const Axis& axis, LineArray from, LineArray to, bool mirrors) {
  constexpr int64_t kBuffers = 2 * 2 * kFftLanes * int64_t{sizeof(double)};
  const auto factors = FactorsOf(axis);
  if (!factors) {
    const int64_t groups = CeilDiv(axis.line_count, kFftLanes);
    return PartsAtOnce(groups) * LaneFft::BufferLength(axis.length) * kBuffers;
  }
  const int64_t buffers = kBuffers * std::max(LaneFft::BufferLength(factors->columns_length),
                                              LaneFft::BufferLength(factors->rows_length));
  int64_t matrix = RoundToLanes(factors->columns_length) * RoundToLanes(factors->rows_length) *
                   int64_t{sizeof(std::complex<double>)};
  if (CopiesIn(axis, *factors, mirrors)) matrix += CopyLength(axis) * LineElementSize(from.type);
  if (CopiesOut(axis, to)) matrix += CopyLength(axis) * LineElementSize(to.type);
  if (axis.length < kSharedLine) return PartsAtOnce(axis.line_count) * (matrix + buffers);
  const int64_t groups =
      CeilDiv(std::max(factors->columns_length, factors->rows_length), kFftLanes);
  return matrix + PartsAtOnce(groups) * buffers;
}

FftLines::FftLines(const Axis& axis, LineArray from, LineArray to, bool inverse, bool mirrors)
    : axis_(axis),
      from_(from),
      to_(to),
      inverse_(inverse),
      mirrors_(mirrors),
      scale_(inverse ? 1.0 / static_cast<double>(axis.length) : 1.0) {
  if (const auto factors = FactorsOf(axis)) {
    long_fft_.emplace(*factors);
    copies_in_ = CopiesIn(axis, *factors, mirrors);
    copies_out_ = CopiesOut(axis, to);
  } else {
    lane_fft_.emplace(axis.length);
  }
}

absl::Status FftLines::Run(const DeviceContext& device, int64_t line_count, const std::byte* from,
                           std::byte* to) const {
  if (long_fft_) return TransformLong(device, line_count, from, to);
  const int64_t groups = CeilDiv(line_count, kFftLanes);
  const int64_t at_once = std::max<int64_t>(1, kPartSize / (kFftLanes * axis_.length));
  return ForEachPart(device, CeilDiv(groups, at_once), [&](int64_t part) {
    const ScratchArray<double> buffers(device.scratch(), 2 * buffer_size());
    for (int64_t g = part * at_once; g < std::min(groups, (part + 1) * at_once); ++g) {
      TransformLanes(g * kFftLanes, line_count, from, to, buffers.get(),
                     buffers.get() + buffer_size());
    }
  });
}

// --- Lines in lanes ------------------------------------------------------------------------------

void FftLines::TransformLanes(int64_t first, int64_t line_count, const std::byte* from,
                              std::byte* to, double* data, double* other) const {
  const int64_t count = std::min(kFftLanes, line_count - first);
  LoadLanes(first, count, from, data);
  if (mirrors_) Mirror(data);
  StoreLanes(first, count, lane_fft_->Run(data, other), to);
}

void FftLines::LoadLanes(int64_t first, int64_t count, const std::byte* from, double* data) const {
  const FftKernels& kernels = GetFftKernels();
  const int64_t size = LineElementSize(from_.type);
  const int64_t inner = axis_.inner;
  const std::byte* begin = from + BeginOf(first, from_.length) * size;
  if (count == kFftLanes && first % inner + count <= inner) {
    return kernels.load(from_.type, begin, inner * size, from_.length, inverse_, data);
  }
  alignas(64) std::byte tile[kTile * kFftLanes * sizeof(std::complex<double>)] = {};
  for (int64_t i = 0; i < from_.length; i += kTile) {
    const int64_t rows = std::min(kTile, from_.length - i);
    if (inner == 1) {
      TurnElements(size, begin + i * size, from_.length, tile, kFftLanes, rows, count);
    } else {
      for (int64_t lane = 0; lane < count; ++lane) {
        const int64_t line = BeginOf(first + lane, from_.length) + i * inner;
        for (int64_t r = 0; r < rows; ++r) {
          std::memcpy(tile + (r * kFftLanes + lane) * size, from + (line + r * inner) * size,
                      static_cast<size_t>(size));
        }
      }
    }
    kernels.load(from_.type, tile, kFftLanes * size, rows, inverse_, data + 2 * kFftLanes * i);
  }
}

void FftLines::StoreLanes(int64_t first, int64_t count, const double* data, std::byte* to) const {
  const FftKernels& kernels = GetFftKernels();
  const int64_t size = LineElementSize(to_.type);
  const int64_t inner = axis_.inner;
  std::byte* begin = to + BeginOf(first, to_.length) * size;
  if (count == kFftLanes && first % inner + count <= inner) {
    return kernels.store(to_.type, data, to_.length, inverse_, scale_, begin, inner * size);
  }
  alignas(64) std::byte tile[kTile * kFftLanes * sizeof(std::complex<double>)];
  for (int64_t i = 0; i < to_.length; i += kTile) {
    const int64_t rows = std::min(kTile, to_.length - i);
    kernels.store(to_.type, data + 2 * kFftLanes * i, rows, inverse_, scale_, tile,
                  kFftLanes * size);
    if (inner == 1) {
      TurnElements(size, tile, kFftLanes, begin + i * size, to_.length, count, rows);
      continue;
    }
    for (int64_t lane = 0; lane < count; ++lane) {
      const int64_t line = BeginOf(first + lane, to_.length) + i * inner;
      for (int64_t r = 0; r < rows; ++r) {
        std::memcpy(to + (line + r * inner) * size, tile + (r * kFftLanes + lane) * size,
                    static_cast<size_t>(size));
      }
    }
  }
}

void FftLines::Mirror(double* data) const {
  const int64_t element = 2 * kFftLanes;
  const int64_t imaginary = inverse_ ? 0 : kFftLanes;  // swapped
  for (int64_t k = axis_.length / 2 + 1; k < axis_.length; ++k) {
    double* conjugate = data + k * element;
    std::copy_n(data + (axis_.length - k) * element, element, conjugate);
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      conjugate[imaginary + lane] = -conjugate[imaginary + lane];
    }
  }
}

// --- Long lines ----------------------------------------------------------------------------------

FftLines::Matrix FftLines::MakeMatrix(const DeviceContext& device) const {
  ScratchPool& scratch = device.scratch();
  const int64_t count = RoundToLanes(long_fft_->columns.length()) * long_fft_->pitch;
  Matrix matrix = {
      ScratchArray<double>(scratch, count), ScratchArray<double>(scratch, count), {}, {}};
  const int64_t room = CopyLength(axis_);
  if (copies_in_) {
    matrix.from = ScratchArray<std::byte>(scratch, room * LineElementSize(from_.type));
  }
  if (copies_out_) {
    matrix.to = ScratchArray<std::byte>(scratch, room * LineElementSize(to_.type));
  }
  return matrix;
}

absl::Status FftLines::TransformLong(const DeviceContext& device, int64_t line_count,
                                     const std::byte* from, std::byte* to) const {
  const int64_t column_groups = CeilDiv(long_fft_->rows.length(), kFftLanes);
  const int64_t row_groups = CeilDiv(long_fft_->columns.length(), kFftLanes);
  const auto with_buffers = [&](auto&& function) {
    const ScratchArray<double> buffers(device.scratch(), 2 * buffer_size());
    function(buffers.get(), buffers.get() + buffer_size());
  };
  const auto target = [&](int64_t line, const Matrix& matrix) {
    return copies_out_ ? matrix.to.get()
                       : to + BeginOf(line, to_.length) * LineElementSize(to_.type);
  };
  if (axis_.length < kSharedLine) {
    const int64_t at_once = std::max<int64_t>(1, kPartSize / axis_.length);
    return ForEachPart(device, CeilDiv(line_count, at_once), [&](int64_t part) {
      const Matrix matrix = MakeMatrix(device);
      with_buffers([&](double* data, double* other) {
        for (int64_t line = part * at_once; line < std::min(line_count, (part + 1) * at_once);
             ++line) {
          const std::byte* source = Gather(line, from, matrix.from.get());
          for (int64_t g = 0; g < column_groups; ++g) {
            TransformColumns(g, source, matrix, data, other);
          }
          for (int64_t g = 0; g < row_groups; ++g) {
            TransformRows(g, matrix, target(line, matrix), data, other);
          }
          Spread(line, matrix.to.get(), to);
        }
      });
    });
  }
  const Matrix matrix = MakeMatrix(device);
  for (int64_t line = 0; line < line_count; ++line) {
    const std::byte* source = Gather(line, from, matrix.from.get());
    absl::Status status = ForEachPart(device, column_groups, [&](int64_t g) {
      with_buffers(
          [&](double* data, double* other) { TransformColumns(g, source, matrix, data, other); });
    });
    if (!status.ok()) return status;
    status = ForEachPart(device, row_groups, [&](int64_t g) {
      with_buffers([&](double* data, double* other) {
        TransformRows(g, matrix, target(line, matrix), data, other);
      });
    });
    if (!status.ok()) return status;
    Spread(line, matrix.to.get(), to);
  }
  return absl::OkStatus();
}

// The line itself, or a copy that is dense and whole.
const std::byte* FftLines::Gather(int64_t line, const std::byte* from, std::byte* copy) const {
  const int64_t size = LineElementSize(from_.type);
  const std::byte* begin = from + BeginOf(line, from_.length) * size;
  if (!copies_in_) return begin;
  for (int64_t i = 0; i < from_.length; ++i) {
    std::memcpy(copy + i * size, begin + i * axis_.inner * size, static_cast<size_t>(size));
  }
  if (mirrors_ && from_.type == LineType::kC64) MirrorLine<float>(copy, axis_.length);
  if (mirrors_ && from_.type == LineType::kC128) MirrorLine<double>(copy, axis_.length);
  return copy;
}

void FftLines::Spread(int64_t line, const std::byte* copy, std::byte* to) const {
  if (!copies_out_) return;
  const int64_t size = LineElementSize(to_.type);
  std::byte* begin = to + BeginOf(line, to_.length) * size;
  for (int64_t i = 0; i < to_.length; ++i) {
    std::memcpy(begin + i * axis_.inner * size, copy + i * size, static_cast<size_t>(size));
  }
}

void FftLines::TransformColumns(int64_t group, const std::byte* line, const Matrix& matrix,
                                double* data, double* other) const {
  const FftKernels& kernels = GetFftKernels();
  const int64_t size = LineElementSize(from_.type);
  const int64_t column = group * kFftLanes;
  const int64_t count = long_fft_->columns.length();
  kernels.load(from_.type, line + column * size, long_fft_->rows.length() * size, count, inverse_,
               data);
  kernels.turn(long_fft_->columns.Run(data, other), count, long_fft_->root_reals.data() + column,
               long_fft_->root_imaginaries.data() + column, long_fft_->pitch,
               matrix.reals.get() + column, matrix.imaginaries.get() + column);
}

void FftLines::TransformRows(int64_t group, const Matrix& matrix, std::byte* line, double* data,
                             double* other) const {
  const FftKernels& kernels = GetFftKernels();
  const int64_t size = LineElementSize(to_.type);
  const int64_t row = group * kFftLanes;
  const int64_t length = long_fft_->rows.length();
  const int64_t pitch = long_fft_->pitch;
  const auto bytes = [](auto* x) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(x)>>,
                                    const std::byte, std::byte>;
    return reinterpret_cast<Byte*>(x);
  };
  const int64_t rows = std::min(kFftLanes, long_fft_->columns.length() - row);
  for (int64_t i = 0; i < length; i += kTile) {
    const int64_t count = std::min(kTile, length - i);
    double* element = data + 2 * kFftLanes * i;
    TurnElements(sizeof(double), bytes(matrix.reals.get() + row * pitch + i), pitch, bytes(element),
                 2 * kFftLanes, count, rows);
    TurnElements(sizeof(double), bytes(matrix.imaginaries.get() + row * pitch + i), pitch,
                 bytes(element + kFftLanes), 2 * kFftLanes, count, rows);
    for (int64_t k = 0; k < count && rows < kFftLanes; ++k) {
      for (const int64_t part : {int64_t{0}, kFftLanes}) {
        std::fill(element + 2 * kFftLanes * k + part + rows,
                  element + 2 * kFftLanes * k + part + kFftLanes, 0.0);
      }
    }
  }
  const double* result = long_fft_->rows.Run(data, other);
  const int64_t step = long_fft_->columns.length() * size;
  if (rows == kFftLanes) {
    return kernels.store(to_.type, result, length, inverse_, scale_, line + row * size, step);
  }
  alignas(64) std::byte tile[kFftLanes * sizeof(std::complex<double>)];
  for (int64_t k = 0; k < length; ++k) {
    kernels.store(to_.type, result + 2 * kFftLanes * k, 1, inverse_, scale_, tile, 0);
    std::memcpy(line + row * size + k * step, tile, static_cast<size_t>(rows * size));
  }
}

}  // namespace hlo::simd

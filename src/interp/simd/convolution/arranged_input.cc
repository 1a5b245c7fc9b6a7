// Lines of the last axis are copied, or converted, one by one, element by element where these lie
// apart on either side. Axes that are one in memory on both sides are one line.
#include "interp/simd/convolution/arranged_input.h"

#include <algorithm>
#include <tuple>

#include "support/checked_math.h"

namespace hlo::simd {
namespace {

bool HasDenseElements(const InputAxis& axis) {
  return axis.dilation == 1 && axis.step == 1 && axis.source_stride == 1;
}

// Takes the last axis into the one before as long as lines of it follow each other on both sides.
void JoinLines(ArrangedAxes& axes) {
  while (axes.size() > 1) {
    const ArrangedAxis& last = axes.back();
    ArrangedAxis& outer = axes[axes.size() - 2];
    const int64_t size = last.size;
    const bool is_whole = last.begin == 0 && last.axis.low == 0 && size == last.axis.input_size &&
                          HasDenseElements(last.axis);
    if (!is_whole || outer.axis.dilation != 1 || outer.axis.step != 1 ||
        outer.axis.source_stride != size || outer.stride != size) {
      return;
    }
    outer.axis.input_size *= size;
    outer.axis.low *= size;
    outer.axis.source_stride = 1;
    outer.begin *= size;
    outer.size *= size;
    outer.extent *= size;
    outer.stride = 1;
    axes.pop_back();
  }
}

template <typename T>
class Arrangement {
 public:
  Arrangement(const ArrangedAxes& axes, const CarrierSource<T>& source)
      : axes_(axes), source_(source) {
    const ArrangedAxis& a = axes.back();
    std::tie(first_, last_) =
        PresentElements({a.axis.input_size, a.size, a.axis.low - a.begin, a.axis.dilation});
    begin_ = first_ * a.axis.dilation + a.axis.low - a.begin;
  }

  // What axes from `d` on have, of the elements from `offset` on.
  void Fill(size_t d, int64_t offset, T* to) const {
    const ArrangedAxis& a = axes_[d];
    if (d + 1 == axes_.size()) return FillLine(a, offset, to);
    int64_t position = a.begin - a.axis.low;
    for (int64_t i = 0; i < a.size; ++i, ++position, to += a.stride) {
      const int64_t element = a.axis.dilation == 1 ? position : ElementAt(a.axis, position);
      if (element < 0 || element >= a.axis.input_size) {
        std::fill_n(to, a.stride, T{});
      } else {
        Fill(d + 1, offset + element * a.axis.source_stride, to);
      }
    }
  }

 private:
  // The element at `position` from the first one on; negative: there is none.
  static int64_t ElementAt(const InputAxis& axis, int64_t position) {
    return position % axis.dilation == 0 ? position / axis.dilation : -1;
  }

  void FillLine(const ArrangedAxis& a, int64_t offset, T* to) const {
    if (first_ == last_) {
      std::fill_n(to, a.extent, T{});
      return;
    }
    if (HasDenseElements(a.axis)) {
      std::fill_n(to, begin_, T{});
      source_.Read(offset + first_, last_ - first_, to + begin_);
      const int64_t end = begin_ + last_ - first_;
      std::fill_n(to + end, a.extent - end, T{});
      return;
    }
    std::fill_n(to, a.extent, T{});
    const T* from = source_.carriers + offset + first_ * a.axis.source_stride;
    a.axis.dilation == 1 ? FillDense(a, from, last_ - first_, begin_, to)
                         : FillApart(a, from, last_ - first_, begin_, to);
  }

  // `count` elements at positions from `begin` on, those that are a step apart together.
  static void FillDense(const ArrangedAxis& a, const T* from, int64_t count, int64_t begin, T* to) {
    const int64_t stride = a.axis.step * a.axis.source_stride;
    for (int64_t k = 0; k < std::min(a.axis.step, count); ++k) {
      T* place = to + a.axis.Place(begin + k, a.extent);
      const T* element = from + k * a.axis.source_stride;
      const int64_t line = CeilDiv(count - k, a.axis.step);
      for (int64_t i = 0; i < line; ++i) place[i] = element[i * stride];
    }
  }

  // The same with holes between them.
  static void FillApart(const ArrangedAxis& a, const T* from, int64_t count, int64_t begin, T* to) {
    const int64_t line = a.extent / a.axis.step;
    const int64_t phase_step = a.axis.dilation % a.axis.step;
    const int64_t place_step = a.axis.dilation / a.axis.step;
    int64_t phase = begin % a.axis.step, place = begin / a.axis.step;
    for (int64_t element = 0; element < count; ++element) {
      to[phase * line + place] = from[element * a.axis.source_stride];
      phase += phase_step;
      place += place_step;
      if (phase >= a.axis.step) {
        phase -= a.axis.step;
        ++place;
      }
    }
  }

  const ArrangedAxes& axes_;
  const CarrierSource<T>& source_;
  // Of a line: its elements, and the position of the first of them.
  int64_t first_, last_, begin_;
};

}  // namespace

template <typename T>
void Arrange(ArrangedAxes axes, const CarrierSource<T>& source, T* to) {
  JoinLines(axes);
  Arrangement<T>(axes, source).Fill(0, 0, to);
}

template void Arrange(ArrangedAxes, const CarrierSource<float>&, float*);
template void Arrange(ArrangedAxes, const CarrierSource<double>&, double*);
template void Arrange(ArrangedAxes, const CarrierSource<uint32_t>&, uint32_t*);
template void Arrange(ArrangedAxes, const CarrierSource<uint64_t>&, uint64_t*);

}  // namespace hlo::simd

// What is found first is where each term lies in both operands, run by run; then some rows or some
// terms are a part.
#include "interp/simd/product/ragged_terms.h"

#include <algorithm>

#include "interp/simd/base/parallel.h"
#include "support/checked_math.h"

namespace hlo::simd {
namespace {

constexpr int64_t kPartSize = int64_t{1} << 16;  // elements, about
constexpr int64_t kColumnsAtOnce = 256;

// The dimensions with other strides, of arrays that have `size` elements for each of them.
ProductDimensions WithStrides(const ProductDimensions& dimensions, int64_t row_size,
                              int64_t column_size) {
  ProductDimensions result;
  if (dimensions.count() == 0) result.Add({0});
  int64_t count = dimensions.count();
  for (ProductDimension d : dimensions.dimensions()) {
    if (d.size != 0) count /= d.size;
    result.Add({d.size, count * row_size, count * column_size, d.out_stride});
  }
  return result;
}

int64_t PerPart(int64_t size) {
  return std::max<int64_t>(1, kPartSize / std::max<int64_t>(1, size));
}

}  // namespace

ProductShape RaggedTermsForm::Packed() const {
  const int64_t terms = term_count(), columns = product.columns.count();
  ProductShape packed = {WithStrides(product.batch, product.rows.count() * terms, terms * columns),
                         WithStrides(product.rows, terms, 0),
                         {},
                         WithStrides(product.columns, 0, 1)};
  packed.sum.Add({terms, 1, columns, 0});
  return packed;
}

template <typename T>
RaggedTerms<T>::RaggedTerms(ScratchPool& pool, const RaggedTermsForm& form)
    : group_count_(form.group_count),
      starts_(pool, form.entry_count() * (form.group_count + 1)),
      row_offsets_(pool, form.entry_count() * form.term_count()),
      column_offsets_(pool, form.entry_count() * form.term_count()),
      rows_(pool, form.entry_count() * form.term_count() * form.product.rows.count()),
      columns_(pool, form.entry_count() * form.term_count() * form.product.columns.count()) {}

template <typename T>
double RaggedTerms<T>::ByteSize(const RaggedTermsForm& form) {
  const auto entries = static_cast<double>(form.entry_count());
  const double lines = static_cast<double>(form.product.rows.count()) +
                       static_cast<double>(form.product.columns.count());
  return entries * (static_cast<double>(form.group_count) + 1) * sizeof(int64_t) +
         entries * static_cast<double>(form.term_count()) *
             (2 * sizeof(int64_t) + lines * sizeof(T));
}

template <typename T>
bool RaggedTerms<T>::Find(const RaggedTermsForm& form, const reference::GroupSizes& groups) {
  const int64_t term_count = form.term_count();
  for (int64_t entry = 0; entry < form.entry_count(); ++entry) {
    int64_t count = 0;
    for (int64_t group = 0; group < group_count_; ++group) {
      starts_[entry * (group_count_ + 1) + group] = count;
      for (int64_t o = 0; o < form.outer; ++o) {
        const reference::GroupSizes::Row row = groups.RowAt(entry * form.outer + o);
        const int64_t begin = std::clamp<int64_t>(row.Start(group), 0, form.length);
        const int64_t end = std::clamp<int64_t>(row.Start(group + 1), begin, form.length);
        const int64_t first = (o * form.length + begin) * form.inner;
        const int64_t length = (end - begin) * form.inner;
        if (length > term_count - count) return false;
        const int64_t at = entry * term_count + count;
        form.product.sum.Offsets(first, length, kInRows, row_offsets_.get() + at);
        form.product.sum.Offsets(first, length, kInColumns, column_offsets_.get() + at);
        count += length;
      }
    }
    starts_[entry * (group_count_ + 1) + group_count_] = count;
  }
  return true;
}

template <typename T>
absl::Status RaggedTerms<T>::Pack(const DeviceContext& device, const RaggedTermsForm& form,
                                  ProductData<T> lhs, ProductData<T> rhs) {
  const int64_t term_count = form.term_count();
  const ProductShape& product = form.product;
  const int64_t row_count = product.rows.count(), column_count = product.columns.count();
  const int64_t rows_of_part = PerPart(term_count), terms_of_part = PerPart(column_count);
  const int64_t row_parts = CeilDiv(row_count, rows_of_part);
  const int64_t parts = row_parts + CeilDiv(term_count, terms_of_part);
  const auto pack_rows = [&](int64_t entry, int64_t begin, int64_t count) {
    const int64_t* offsets = row_offsets_.get() + entry * term_count;
    for (int64_t r = begin; r < std::min(row_count, begin + rows_of_part); ++r) {
      T* to = rows_.get() + (entry * row_count + r) * term_count;
      const int64_t first = product.batch.Offset(entry, kInRows) + product.rows.Offset(r, kInRows);
      WithElements(lhs + first, [&](const auto* from) {
        for (int64_t i = 0; i < count; ++i) to[i] = Widened(from[offsets[i]]);
      });
    }
  };
  const auto pack_terms = [&](int64_t entry, int64_t begin, int64_t count) {
    const int64_t* offsets = column_offsets_.get() + entry * term_count;
    T* to = columns_.get() + entry * term_count * column_count;
    const int64_t end = std::min(count, begin + terms_of_part);
    int64_t columns[kColumnsAtOnce];
    for (int64_t c = 0; c < column_count; c += kColumnsAtOnce) {
      const int64_t width = std::min(kColumnsAtOnce, column_count - c);
      product.columns.Offsets(c, width, kInColumns, columns);
      WithElements(rhs + product.batch.Offset(entry, kInColumns), [&](const auto* from) {
        for (int64_t i = begin; i < end; ++i) {
          for (int64_t j = 0; j < width; ++j) {
            to[i * column_count + c + j] = Widened(from[offsets[i] + columns[j]]);
          }
        }
      });
    }
  };
  return ForEachPart(device, form.entry_count() * parts, [&](int64_t index) {
    const int64_t entry = index / parts, part = index % parts;
    const int64_t count = Start(entry, group_count_);
    if (part < row_parts) {
      pack_rows(entry, part * rows_of_part, count);
    } else {
      pack_terms(entry, (part - row_parts) * terms_of_part, count);
    }
  });
}

template class RaggedTerms<float>;
template class RaggedTerms<double>;
template class RaggedTerms<uint32_t>;
template class RaggedTerms<uint64_t>;

}  // namespace hlo::simd

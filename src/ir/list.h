// An immutable list that somebody else owns, mostly a module's arena: a span that compares by
// content, so that values made of lists can default their ==.
#ifndef HLOKIT_IR_LIST_H_
#define HLOKIT_IR_LIST_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hlo {

template <typename T>
class List {
 public:
  constexpr List() = default;
  constexpr List(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr List(std::span<const T> items) : List(items.data(), items.size()) {}
  constexpr List(std::span<T> items) : List(items.data(), items.size()) {}
  // The vector must outlive the list: for lists that are handed on at once.
  List(const std::vector<T>& items) : List(items.data(), items.size()) {}

  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }

  bool operator==(const List& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  template <typename H>
  friend H AbslHashValue(H h, const List& list) {
    return H::combine(H::combine_contiguous(std::move(h), list.data_, list.size_), list.size_);
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_IR_LIST_H_

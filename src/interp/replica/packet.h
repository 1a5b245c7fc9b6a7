// Values in and out of packets. Processes of a run are of one program on one kind of machine, so
// numbers travel as they are in memory.
#ifndef HLOKIT_INTERP_REPLICA_PACKET_H_
#define HLOKIT_INTERP_REPLICA_PACKET_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "interp/kernel/array_view.h"
#include "interp/replica/process_link.h"
#include "support/check.h"

namespace hlo {

class PacketWriter {
 public:
  template <typename T>
  PacketWriter& Add(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return AddBytes(&value, sizeof value);
  }
  PacketWriter& AddText(std::string_view text) {
    Add(text.size());
    return AddBytes(text.data(), text.size());
  }
  PacketWriter& AddNumbers(std::span<const int64_t> numbers) {
    Add(numbers.size());
    return AddBytes(numbers.data(), numbers.size_bytes());
  }
  PacketWriter& AddArray(const ArrayRef& array) {
    Add(array.element_type).AddNumbers(array.dims);
    Align();
    return AddBytes(array.bytes, static_cast<size_t>(array.byte_size()));
  }
  void Align() { bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment); }
  PacketWriter& AddBytes(const void* data, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
    return *this;
  }
  // Makes room for so many bytes more, and some for what goes with them.
  void Reserve(int64_t size) { bytes_.reserve(bytes_.size() + static_cast<size_t>(size) + 1024); }

  SharedPacket Finish() { return std::make_shared<const PacketBytes>(std::move(bytes_)); }

  // Of arrays, so that kernels can read them where they are.
  static constexpr size_t kAlignment = 16;

 private:
  PacketBytes bytes_;
};

// Takes values in the order in which they were added. The bytes must outlive what is read.
class PacketReader {
 public:
  explicit PacketReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T Take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, TakeBytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string TakeText() {
    const std::span<const std::byte> bytes = TakeBytes(Take<size_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::vector<int64_t> TakeNumbers() {
    std::vector<int64_t> numbers(Take<size_t>());
    const std::span<const std::byte> bytes = TakeBytes(numbers.size() * sizeof(int64_t));
    if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  // `dims` holds what the array's sizes refer to.
  ArrayRef TakeArray(std::vector<int64_t>& dims) {
    ArrayRef array;
    array.element_type = Take<ElementType>();
    dims = TakeNumbers();
    array.dims = dims;
    Align();
    array.bytes = TakeBytes(static_cast<size_t>(array.byte_size())).data();
    return array;
  }
  void Align() {
    at_ =
        (at_ + PacketWriter::kAlignment - 1) / PacketWriter::kAlignment * PacketWriter::kAlignment;
  }
  std::span<const std::byte> TakeBytes(size_t size) {
    HLO_CHECK(at_ <= bytes_.size() && size <= bytes_.size() - at_);
    const std::span<const std::byte> taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_PACKET_H_

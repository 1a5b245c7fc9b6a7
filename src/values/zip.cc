// Zip archives as numpy writes them. Source: APPNOTE.TXT 6.3, sections 4.3 and 4.5.3.
#include "values/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "support/status_macros.h"
#include "values/npy.h"

namespace hlo {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kEnd64LocatorSignature = 0x07064b50;
constexpr uint32_t kMax32 = 0xffffffffu;
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint32_t kEarliestDate = 0x00210000;  // 1980-01-01

absl::Status Damaged(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("the zip archive is damaged: {}", what));
}

// Little-endian fields, appended or read in turn.
class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  template <typename T>
  FieldWriter& Put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }

 private:
  std::string& out_;
};

class FieldReader {
 public:
  FieldReader(std::string_view bytes, uint64_t offset)
      : rest_(offset <= bytes.size() ? bytes.substr(offset) : std::string_view()),
        ok_(offset <= bytes.size()) {}
  template <typename T>
  T Get() {
    T value = 0;
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  std::string_view Take(uint64_t size) {
    if (rest_.size() < size) {
      ok_ = false;
      return {};
    }
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_;
};

struct Entry {
  std::string name;
  uint32_t crc = 0;
  uint16_t method = kStored;
  uint64_t packed_size = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // of the local header
};

uint32_t Cut(uint64_t value) { return value >= kMax32 ? kMax32 : static_cast<uint32_t>(value); }

void WriteLocal(const Entry& entry, std::string& out) {
  bool is_large = entry.size >= kMax32;
  FieldWriter writer(out);
  writer.Put(kLocalSignature).Put<uint16_t>(is_large ? 45 : 20).Put<uint16_t>(0).Put(kStored);
  writer.Put(kEarliestDate).Put(entry.crc).Put(Cut(entry.size)).Put(Cut(entry.size));
  writer.Put<uint16_t>(static_cast<uint16_t>(entry.name.size()));
  writer.Put<uint16_t>(is_large ? 20 : 0);
  out += entry.name;
  if (is_large) writer.Put(kZip64Extra).Put<uint16_t>(16).Put(entry.size).Put(entry.size);
}

void WriteCentral(const Entry& entry, std::string& out) {
  std::string extra;
  FieldWriter fields(extra);
  if (entry.size >= kMax32) fields.Put(entry.size).Put(entry.size);
  if (entry.offset >= kMax32) fields.Put(entry.offset);
  uint16_t extra_size = extra.empty() ? 0 : static_cast<uint16_t>(extra.size() + 4);
  FieldWriter writer(out);
  writer.Put(kCentralSignature).Put<uint16_t>(45).Put<uint16_t>(45).Put<uint16_t>(0).Put(kStored);
  writer.Put(kEarliestDate).Put(entry.crc).Put(Cut(entry.size)).Put(Cut(entry.size));
  writer.Put<uint16_t>(static_cast<uint16_t>(entry.name.size())).Put(extra_size);
  writer.Put<uint16_t>(0).Put<uint16_t>(0).Put<uint16_t>(0).Put<uint32_t>(0).Put(Cut(entry.offset));
  out += entry.name;
  if (extra_size == 0) return;
  writer.Put(kZip64Extra).Put(static_cast<uint16_t>(extra.size()));
  out += extra;
}

void WriteEnd(uint64_t count, uint64_t begin, uint64_t size, std::string& out) {
  FieldWriter writer(out);
  if (count >= 0xffff || begin >= kMax32 || size >= kMax32) {
    uint64_t end64 = out.size();
    writer.Put(kEnd64Signature).Put<uint64_t>(44).Put<uint16_t>(45).Put<uint16_t>(45);
    writer.Put<uint32_t>(0).Put<uint32_t>(0).Put(count).Put(count).Put(size).Put(begin);
    writer.Put(kEnd64LocatorSignature).Put<uint32_t>(0).Put(end64).Put<uint32_t>(1);
  }
  uint16_t short_count = static_cast<uint16_t>(std::min<uint64_t>(count, 0xffff));
  writer.Put(kEndSignature).Put<uint16_t>(0).Put<uint16_t>(0).Put(short_count).Put(short_count);
  writer.Put(Cut(size)).Put(Cut(begin)).Put<uint16_t>(0);
}

uint32_t Crc(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

struct Directory {
  uint64_t count = 0;
  uint64_t offset = 0;
};

absl::StatusOr<Directory> FindDirectory(std::string_view bytes) {
  constexpr size_t kEndSize = 22;
  std::string_view signature("PK\x05\x06", 4);
  size_t end = bytes.rfind(signature);
  if (end == std::string_view::npos || bytes.size() - end < kEndSize) {
    return absl::InvalidArgumentError("not a zip archive");
  }
  FieldReader reader(bytes, end + 10);
  Directory directory;
  directory.count = reader.Get<uint16_t>();
  reader.Get<uint32_t>();
  directory.offset = reader.Get<uint32_t>();
  if (directory.count != 0xffff && directory.offset != kMax32) return directory;
  constexpr size_t kLocatorSize = 20;
  if (end < kLocatorSize) return directory;
  FieldReader locator(bytes, end - kLocatorSize);
  if (locator.Get<uint32_t>() != kEnd64LocatorSignature) return directory;
  locator.Get<uint32_t>();
  FieldReader end64(bytes, locator.Get<uint64_t>());
  if (end64.Get<uint32_t>() != kEnd64Signature) return Damaged("no zip64 end record");
  end64.Take(28);
  directory.count = end64.Get<uint64_t>();
  end64.Get<uint64_t>();
  directory.offset = end64.Get<uint64_t>();
  if (!end64.ok()) return Damaged("the zip64 end record is cut off");
  return directory;
}

// The 64-bit values that 32-bit fields of all ones stand for, in their fixed order.
void ReadZip64(std::string_view extra, Entry& entry) {
  FieldReader reader(extra, 0);
  while (reader.ok()) {
    uint16_t id = reader.Get<uint16_t>();
    std::string_view field = reader.Take(reader.Get<uint16_t>());
    if (id != kZip64Extra || !reader.ok()) continue;
    FieldReader values(field, 0);
    for (uint64_t* value : {&entry.size, &entry.packed_size, &entry.offset}) {
      if (*value == kMax32) *value = values.Get<uint64_t>();
    }
    return;
  }
}

absl::StatusOr<Entry> ReadEntry(FieldReader& reader) {
  Entry entry;
  if (reader.Get<uint32_t>() != kCentralSignature) return Damaged("an entry is missing");
  reader.Take(4);
  uint16_t flags = reader.Get<uint16_t>();
  entry.method = reader.Get<uint16_t>();
  reader.Take(4);
  entry.crc = reader.Get<uint32_t>();
  entry.packed_size = reader.Get<uint32_t>();
  entry.size = reader.Get<uint32_t>();
  uint16_t name_size = reader.Get<uint16_t>();
  uint16_t extra_size = reader.Get<uint16_t>();
  uint16_t comment_size = reader.Get<uint16_t>();
  reader.Take(8);
  entry.offset = reader.Get<uint32_t>();
  entry.name = std::string(reader.Take(name_size));
  ReadZip64(reader.Take(extra_size), entry);
  reader.Take(comment_size);
  if (!reader.ok()) return Damaged("the directory is cut off");
  if ((flags & 1) != 0) return absl::InvalidArgumentError("encrypted archives are not supported");
  return entry;
}

// `wanted` bytes of a member that has `size`.
absl::StatusOr<std::string> Inflate(std::string_view packed, uint64_t size, uint64_t wanted) {
  // Deflate packs at most 1032 to 1: a larger claim is a lie, and no memory is taken for it.
  if (size / 1032 > packed.size() + 1) return Damaged("a member claims an impossible size");
  std::string bytes(wanted, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return absl::InternalError("zlib does not start");
  constexpr uint64_t kChunk = 1u << 30;
  uint64_t taken = 0;
  uint64_t made = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(std::min(kChunk, packed.size() - taken));
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + made);
    stream.avail_out = static_cast<uInt>(std::min(kChunk, wanted - made));
    uInt in = stream.avail_in, out = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
    if (in == stream.avail_in && out == stream.avail_out) break;
  }
  inflateEnd(&stream);
  const bool is_whole = wanted == size;
  if (made != wanted || (is_whole && state != Z_STREAM_END))
    return Damaged("a member does not unpack");
  return bytes;
}

absl::StatusOr<std::string> Unpack(std::string_view archive, const Entry& entry,
                                   uint64_t max_size) {
  const uint64_t wanted = entry.size > max_size ? std::min(kNpyHeaderSize, entry.size) : entry.size;
  FieldReader reader(archive, entry.offset);
  if (reader.Get<uint32_t>() != kLocalSignature) return Damaged("a member is missing");
  reader.Take(22);
  uint64_t name_size = reader.Get<uint16_t>();
  uint64_t extra_size = reader.Get<uint16_t>();
  reader.Take(name_size + extra_size);
  std::string_view packed = reader.Take(entry.packed_size);
  if (!reader.ok()) return Damaged("a member is cut off");
  std::string bytes;
  if (entry.method == kStored) {
    bytes = std::string(packed.substr(0, wanted));
  } else if (entry.method == kDeflated) {
    HLO_ASSIGN_OR_RETURN(bytes, Inflate(packed, entry.size, wanted));
  } else {
    return absl::InvalidArgumentError(
        fmt::format("member `{}` is packed with method {}", entry.name, entry.method));
  }
  if (wanted == entry.size && Crc(bytes) != entry.crc)
    return Damaged(fmt::format("member `{}`: wrong checksum", entry.name));
  return bytes;
}

}  // namespace

std::string EncodeZip(const NpzMembers& members) {
  std::string out;
  std::vector<Entry> entries;
  for (const auto& [name, bytes] : members) {
    Entry entry;
    entry.name = name + ".npy";
    entry.crc = Crc(bytes);
    entry.size = entry.packed_size = bytes.size();
    entry.offset = out.size();
    WriteLocal(entry, out);
    out += bytes;
    entries.push_back(std::move(entry));
  }
  uint64_t begin = out.size();
  for (const Entry& entry : entries) WriteCentral(entry, out);
  WriteEnd(entries.size(), begin, out.size() - begin, out);
  return out;
}

absl::StatusOr<NpzMembers> DecodeZip(std::string_view bytes, uint64_t max_member_size) {
  HLO_ASSIGN_OR_RETURN(Directory directory, FindDirectory(bytes));
  FieldReader reader(bytes, directory.offset);
  NpzMembers members;
  for (uint64_t i = 0; i < directory.count; ++i) {
    HLO_ASSIGN_OR_RETURN(Entry entry, ReadEntry(reader));
    HLO_ASSIGN_OR_RETURN(std::string contents, Unpack(bytes, entry, max_member_size));
    constexpr std::string_view kSuffix = ".npy";
    if (entry.name.ends_with(kSuffix)) entry.name.resize(entry.name.size() - kSuffix.size());
    members.emplace_back(std::move(entry.name), std::move(contents));
  }
  return members;
}

}  // namespace hlo

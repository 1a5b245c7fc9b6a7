// Archives of arrays: .npz is a zip archive of .npy files.
#ifndef HLOKIT_VALUES_ZIP_H_
#define HLOKIT_VALUES_ZIP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace hlo {

// Name without `.npy`, contents.
using NpzMembers = std::vector<std::pair<std::string, std::string>>;

// Stored, not compressed, with zip64 records where they are needed.
std::string EncodeZip(const NpzMembers& members);

// What every archive with members begins with, and one without.
inline constexpr std::string_view kZipMagic = "PK";

// Stored and deflated members. Of members with more than `max_member_size` bytes only the beginning
// is unpacked, at least kNpyHeaderSize bytes, which says what the rest is. Fails on damaged
// archives, wrong checksums and members that unpack to something else than their header says.
absl::StatusOr<NpzMembers> DecodeZip(std::string_view bytes, uint64_t max_member_size = UINT64_MAX);

}  // namespace hlo

#endif  // HLOKIT_VALUES_ZIP_H_

// A frame comes behind its ancestors, the oldest first, and equal entries are one: each is looked
// up by what it says in the new tables. No recursion, since a chain may be as long as the table; a
// longer one is a cycle. A frame whose ancestors end in a cycle or a hole is 0 (grammar.md 7.9).
#include "printer/xla_frames.h"

#include <algorithm>

namespace hlo {
namespace {

template <typename T>
const T* Entry(const std::vector<T>& table, int32_t id) {
  return id >= 1 && static_cast<size_t>(id) <= table.size() ? &table[id - 1] : nullptr;
}

std::string_view NameAt(const std::vector<std::string_view>& names, int32_t id) {
  const std::string_view* name = Entry(names, id);
  return name == nullptr ? std::string_view() : *name;
}

}  // namespace

int32_t FrameRebuilder::AddName(std::vector<std::string_view>* names,
                                absl::flat_hash_map<std::string_view, int32_t>* ids,
                                std::string_view name) {
  const auto [entry, is_new] = ids->try_emplace(name, static_cast<int32_t>(names->size() + 1));
  if (is_new) names->push_back(name);
  return entry->second;
}

int32_t FrameRebuilder::AddLocation(int32_t id) {
  const StackFrameTables::FileLocation* old = Entry(source_.file_locations, id);
  if (old == nullptr) return 0;
  StackFrameTables::FileLocation location = *old;
  location.file_name_id =
      AddName(&tables_.file_names, &file_names_, NameAt(source_.file_names, old->file_name_id));
  location.function_name_id = AddName(&tables_.function_names, &function_names_,
                                      NameAt(source_.function_names, old->function_name_id));
  const auto key = std::tuple(location.file_name_id, location.function_name_id, location.line,
                              location.end_line, location.column, location.end_column);
  const auto [entry, is_new] =
      locations_.try_emplace(key, static_cast<int32_t>(tables_.file_locations.size() + 1));
  if (is_new) tables_.file_locations.push_back(location);
  return entry->second;
}

int32_t FrameRebuilder::Add(int32_t id) {
  // From the frame up to an ancestor that is known already, or to the oldest one.
  std::vector<int32_t> chain;
  int32_t parent = 0;
  for (int32_t next = id; next != 0;) {
    const auto known = frames_.find(next);
    if (known != frames_.end()) {
      parent = known->second;
      break;
    }
    const StackFrameTables::Frame* frame = Entry(source_.frames, next);
    if (frame == nullptr || chain.size() > source_.frames.size()) return 0;  // a hole or a cycle
    chain.push_back(next);
    next = frame->parent_frame_id;
  }
  for (size_t i = chain.size(); i-- > 0;) {
    const int32_t location = AddLocation(Entry(source_.frames, chain[i])->file_location_id);
    const auto [entry, is_new] = unique_frames_.try_emplace(
        std::pair(location, parent), static_cast<int32_t>(tables_.frames.size() + 1));
    if (is_new) tables_.frames.push_back({location, parent});
    parent = frames_[chain[i]] = entry->second;
  }
  return parent;
}

}  // namespace hlo

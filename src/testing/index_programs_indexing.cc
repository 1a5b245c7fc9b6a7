// Operations whose positions are values.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

Program DynamicSlice(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 1, 5);
  Dims sizes;
  Program program{{F32(operand)}, "", ""};
  std::string starts;
  for (size_t d = 0; d < operand.size(); ++d) {
    sizes.push_back(r.Pick(1, operand[d]));
    program.parameters.push_back("s32[]");
    starts += fmt::format(", p{}", d + 1);
  }
  program.root = fmt::format("{} dynamic-slice(p0{}), dynamic_slice_sizes={}", F32(sizes), starts,
                             List(sizes));
  return program;
}

Program DynamicUpdateSlice(RandomOp& r) {
  const Dims operand = r.Sizes(r.Pick(1, 2), 1, 5);
  Dims sizes;
  Program program{{F32(operand), ""}, "", ""};
  std::string starts;
  for (size_t d = 0; d < operand.size(); ++d) {
    sizes.push_back(r.Pick(1, operand[d]));
    program.parameters.push_back("s32[]");
    starts += fmt::format(", p{}", d + 2);
  }
  program.parameters[1] = F32(sizes);
  program.root = fmt::format("{} dynamic-update-slice(p0, p1{})", F32(operand), starts);
  return program;
}

struct GatherText {
  Dims operand, indices, windows;
  std::string attributes;
};

// Offsets behind or before the batch dimensions, some slices collapsed, batching now and then.
GatherText RandomGather(RandomOp& r, bool is_scatter) {
  GatherText g;
  const int64_t rank = r.Pick(1, 3);
  g.operand = r.Sizes(rank, is_scatter ? 4 : 1, 5);
  const bool has_batching = rank > 1 && r.Flip();
  std::vector<int64_t> map, collapsed, batching, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (has_batching && d == 0) {
      batching.push_back(0);
      sizes.push_back(1);
      continue;
    }
    if (r.Flip() || map.empty()) map.push_back(d);
    const bool is_collapsed = r.Flip();
    if (is_collapsed) collapsed.push_back(d);
    // Starts of up to 3 keep a scatter's window inside.
    const int64_t largest =
        is_scatter ? g.operand[static_cast<size_t>(d)] - 3 : g.operand[static_cast<size_t>(d)];
    sizes.push_back(is_collapsed ? 1 : r.Pick(1, std::max<int64_t>(1, largest)));
  }
  Dims batch;
  if (has_batching) batch.push_back(g.operand[0]);
  for (int64_t size : r.Sizes(r.Pick(has_batching ? 0 : 1, 1), 1, 3)) batch.push_back(size);
  g.indices = batch;
  g.indices.push_back(static_cast<int64_t>(map.size()));
  Dims offsets;
  for (int64_t d = 0; d < rank; ++d) {
    const bool is_gone = std::ranges::find(collapsed, d) != collapsed.end() ||
                         std::ranges::find(batching, d) != batching.end();
    if (!is_gone) offsets.push_back(sizes[static_cast<size_t>(d)]);
  }
  const bool offsets_first = r.Flip();
  const int64_t first = offsets_first ? 0 : static_cast<int64_t>(batch.size());
  std::vector<int64_t> offset_dims(offsets.size());
  std::iota(offset_dims.begin(), offset_dims.end(), first);
  g.windows = offsets_first ? offsets : batch;
  const Dims& rest = offsets_first ? batch : offsets;
  g.windows.insert(g.windows.end(), rest.begin(), rest.end());
  g.attributes =
      is_scatter ? fmt::format(
                       "update_window_dims={}, inserted_window_dims={}, "
                       "scatter_dims_to_operand_dims={}, index_vector_dim={}, to_apply=add",
                       List(offset_dims), List(collapsed), List(map), batch.size())
                 : fmt::format(
                       "offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
                       "index_vector_dim={}, slice_sizes={}",
                       List(offset_dims), List(collapsed), List(map), batch.size(), List(sizes));
  if (has_batching) {
    g.attributes += is_scatter ? ", input_batching_dims={0}, scatter_indices_batching_dims={0}"
                               : ", operand_batching_dims={0}, start_indices_batching_dims={0}";
  }
  return g;
}

Program Gather(RandomOp& r) {
  const GatherText g = RandomGather(r, /*is_scatter=*/false);
  return {{F32(g.operand), Text("s32", g.indices)},
          fmt::format("{} gather(p0, p1), {}", F32(g.windows), g.attributes),
          ""};
}

Program Scatter(RandomOp& r) {
  const GatherText g = RandomGather(r, /*is_scatter=*/true);
  return {{F32(g.operand), Text("s32", g.indices), F32(g.windows)},
          fmt::format("{} scatter(p0, p1, p2), {}", F32(g.operand), g.attributes),
          kAdd};
}

bool OfIndices(bool, int64_t operand) { return operand > 0; }
bool OfWindow(bool, int64_t operand) { return operand != 1; }

constexpr ProgramKind kPrograms[] = {
    {"dynamic_slice", DynamicSlice, 150, OfIndices},
    // The window that is overwritten is not taken from the operand's map.
    {"dynamic_update_slice", DynamicUpdateSlice, 150, OfWindow},
    {"gather", Gather, 250, OfIndices},
    {"scatter", Scatter, 250, OfOperand<1>},
};

}  // namespace

std::span<const ProgramKind> IndexingPrograms() { return kPrograms; }

}  // namespace hlo::testing

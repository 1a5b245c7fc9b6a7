// Collectives of a participant alone: the local part of their maps.
#include "testing/index_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hlo::testing {

namespace {

std::string RandomShape(RandomOp& r) { return F32(r.Sizes(r.Pick(1, 3))); }

Program AllReduce(RandomOp& r) {
  const std::string shape = RandomShape(r);
  return {{shape}, shape + " all-reduce(p0), replica_groups={{0}}, to_apply=add", kAdd};
}

// Several operands, each its own result.
Program VariadicAllReduce(RandomOp& r) {
  const std::string first = RandomShape(r), second = RandomShape(r);
  return {{first, second},
          fmt::format("({}, {}) all-reduce(p0, p1), replica_groups={{{{0}}}}, to_apply=add", first,
                      second),
          kAdd};
}

Program AllGather(RandomOp& r) {
  const std::string shape = RandomShape(r);
  return {{shape}, shape + " all-gather(p0), replica_groups={{0}}, dimensions={0}", ""};
}

Program ReduceScatter(RandomOp& r) {
  const std::string shape = RandomShape(r);
  return {{shape},
          shape + " reduce-scatter(p0), replica_groups={{0}}, dimensions={0}, to_apply=add",
          kAdd};
}

Program AllToAll(RandomOp& r) {
  const std::string shape = RandomShape(r);
  return {{shape}, shape + " all-to-all(p0), replica_groups={{0}}, dimensions={0}", ""};
}

Program CollectivePermute(RandomOp& r) {
  const std::string shape = RandomShape(r);
  return {{shape}, shape + " collective-permute(p0), source_target_pairs={{0,0}}", ""};
}

Program CollectiveBroadcast(RandomOp& r) {
  const std::string shape = RandomShape(r);
  return {{shape}, shape + " collective-broadcast(p0), replica_groups={{0}}", ""};
}

constexpr ProgramKind kPrograms[] = {
    {"all_reduce", AllReduce, 40},
    {"variadic_all_reduce", VariadicAllReduce, 40},
    {"all_gather", AllGather, 40},
    {"reduce_scatter", ReduceScatter, 40},
    {"all_to_all", AllToAll, 40},
    {"collective_permute", CollectivePermute, 40},
    {"collective_broadcast", CollectiveBroadcast, 40},
};

}  // namespace

std::span<const ProgramKind> CollectivePrograms() { return kPrograms; }

}  // namespace hlo::testing

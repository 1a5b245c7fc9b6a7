// The types attribute values have. All are plain values with ==, trivially destructible; what is
// variable in length lives in the module's arena and is seen through List or string_view.
// Syntax: grammar.md 4 and 5.
#ifndef HLOKIT_IR_ATTRIBUTE_VALUES_H_
#define HLOKIT_IR_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <string_view>

#include "ir/attribute_enums.h"
#include "ir/ids.h"
#include "ir/list.h"

namespace hlo {

class Literal;
class Shape;

using IntList = List<int64_t>;
using IntListList = List<IntList>;
using BoolList = List<bool>;
using ComputationList = List<ComputationId>;
using InstructionList = List<InstructionId>;
using PrecisionList = List<Precision>;

// --- Strings -----------------------------------------------------------------------------------

// A decoded string: escapes are resolved.
using String = std::string_view;

// "String or JSON": the text as it is, whichever way it was written.
struct RawText {
  std::string_view text;
  bool operator==(const RawText&) const = default;
};

// --- Windows and dimension numbers -------------------------------------------------------------

// One dimension of a window. Dilated sizes are (n - 1) * dilation + 1.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t base_dilation = 1;    // lhs_dilate
  int64_t window_dilation = 1;  // rhs_dilate
  bool reversal = false;        // rhs_reversal

  bool operator==(const WindowDimension&) const = default;
};

struct Window {
  List<WindowDimension> dimensions;
  bool operator==(const Window&) const = default;
};

// dim_labels=LHS_RHS->OUT. A dimension that the text leaves out is kUnset.
struct ConvolutionDimensionNumbers {
  static constexpr int64_t kUnset = -1;
  int64_t input_batch = kUnset;
  int64_t input_feature = kUnset;
  IntList input_spatial;
  int64_t kernel_input_feature = kUnset;
  int64_t kernel_output_feature = kUnset;
  IntList kernel_spatial;
  int64_t output_batch = kUnset;
  int64_t output_feature = kUnset;
  IntList output_spatial;
  // The lengths of the three parts: `?` characters count too.
  int64_t input_rank = 0;
  int64_t kernel_rank = 0;
  int64_t output_rank = 0;

  bool operator==(const ConvolutionDimensionNumbers&) const = default;
};

struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};
using PaddingConfig = List<PaddingDimension>;

// [start:limit:stride]
struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceRange&) const = default;
};
using SliceRanges = List<SliceRange>;

// One operand's part of sparsity_config; absent fields are 0.
struct SparsityDescriptor {
  bool present = false;
  int64_t nonzeros = 0;  // sparsity=NxB: N non-zeros ...
  int64_t block = 0;     // ... in each block of B
  int64_t dimension = 0;
  int64_t stride = 0;
  int64_t index = 0;
  // Which fields the text gives, so that a written zero comes out again.
  bool has_sparsity = false, has_dimension = false, has_stride = false, has_index = false;
  bool operator==(const SparsityDescriptor&) const = default;
};
struct SparsityConfig {
  SparsityDescriptor lhs;
  SparsityDescriptor rhs;
  bool operator==(const SparsityConfig&) const = default;
};

// --- Devices -----------------------------------------------------------------------------------

// 0...N-1 reshaped to `dims`, transposed by `permutation` (empty: not transposed), flattened.
struct IotaDevices {
  IntList dims;
  IntList permutation;
  bool operator==(const IotaDevices&) const = default;
};

enum class DeviceOrder : uint8_t { kNone, kList, kIota };

struct MeshAxis {
  std::string_view name;
  int64_t size = 1;
  bool operator==(const MeshAxis&) const = default;
};

// mesh['x'=2,'y'=4], or maximal_mesh[device_id=5].
struct Mesh {
  List<MeshAxis> axes;
  DeviceOrder order = DeviceOrder::kNone;  // kNone: 0...N-1 in axis order
  IntList device_list;
  IotaDevices device_iota;
  bool is_maximal = false;
  int64_t maximal_device = 0;
  bool operator==(const Mesh&) const = default;
};

// 'x', or the sub-axis 'x':(pre_size)size.
struct AxisRef {
  int64_t axis = 0;      // index into Mesh::axes
  int64_t pre_size = 0;  // 0 with size 0: the whole axis
  int64_t size = 0;
  bool IsWhole() const { return size == 0; }
  bool operator==(const AxisRef&) const = default;
};

// Replica groups in any of their three spellings.
struct ReplicaGroups {
  enum class Form : uint8_t { kExplicit, kIota, kMesh };
  Form form = Form::kExplicit;
  IntListList groups;       // kExplicit; empty: one group of everybody
  IntList tile_dims;        // kIota: [groups, group size]
  IotaDevices iota;         // kIota
  Mesh mesh;                // kMesh
  List<AxisRef> mesh_axes;  // kMesh
  bool operator==(const ReplicaGroups&) const = default;
};

// --- Metadata and provenance -------------------------------------------------------------------

// Empty strings and zeros mean "not given".
struct Metadata {
  std::string_view op_type;
  std::string_view op_name;
  std::string_view source_file;
  std::string_view deduplicated_name;
  std::string_view scheduling_name;
  std::string_view metadata_payload;
  IntList profile_type;
  int32_t source_line = 0;
  int32_t source_end_line = 0;
  int32_t source_column = 0;
  int32_t source_end_column = 0;
  int32_t stack_frame_id = 0;  // 1-based into StackFrameTables::frames; 0: none
  bool operator==(const Metadata&) const = default;
};

struct FrontendAttribute {
  std::string_view key;
  std::string_view value;
  bool operator==(const FrontendAttribute&) const = default;
};
// Sorted by key, each key once.
using FrontendAttributes = List<FrontendAttribute>;

struct Statistic {
  std::string_view name;
  double value = 0;
  bool operator==(const Statistic&) const = default;
};
struct Statistics {
  int64_t visualizing_index = 0;
  List<Statistic> values;
  bool operator==(const Statistics&) const = default;
};

// The value an array came from: instruction name and index in its tuple; {} when unknown.
struct OriginalArray {
  bool known = false;
  std::string_view instruction;
  IntList index;
  bool operator==(const OriginalArray&) const = default;
};
// A tree like the instruction's shape: a leaf, or a tuple of trees.
struct OriginalValue {
  bool is_synthetic_call = false;  // origin={[synthetic_call]}
  bool is_tuple = false;
  OriginalArray leaf;
  List<OriginalValue> elements;
  bool operator==(const OriginalValue&) const = default;
};

// One of the two forms; tolerances that are not given are absent.
struct ResultAccuracy {
  bool has_tolerance = false;
  AccuracyMode mode = AccuracyMode::kDefault;
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
  bool operator==(const ResultAccuracy&) const = default;
};

// --- Shardings ---------------------------------------------------------------------------------

struct DimensionSharding {
  List<AxisRef> axes;
  bool is_open = false;  // `?`: may be sharded further
  bool operator==(const DimensionSharding&) const = default;
};

enum class ShardGroup : uint8_t { kNone, kAs, kLike };

struct ShardingLeaf {
  enum class Kind : uint8_t {
    kReplicated,
    kMaximal,
    kManual,
    kUnknown,
    kUnreduced,
    kTiled,  // devices=[...]
    kNamed,  // mesh[...]
  };
  Kind kind = Kind::kReplicated;
  int64_t maximal_device = 0;  // kMaximal

  // kTiled
  IntList tile_dims;
  DeviceOrder order = DeviceOrder::kNone;
  IntList device_list;
  IotaDevices device_iota;
  bool last_tile_dim_replicate = false;
  List<SubgroupType> last_tile_dims;

  ShardGroup group = ShardGroup::kNone;
  int64_t group_id = 0;

  // kNamed. A whole word instead of dimension shardings: `whole` says which.
  enum class Whole : uint8_t { kNone, kReplicated, kManual, kUnreduced };
  Mesh mesh;
  Whole whole = Whole::kNone;
  List<DimensionSharding> dimensions;
  List<AxisRef> replicated_axes;
  List<AxisRef> unreduced_axes;
  List<AxisRef> manual_axes;
  ShardingReduction reduction = ShardingReduction::kSum;  // of unreduced

  List<Metadata> metadata;
  bool operator==(const ShardingLeaf&) const = default;
};

struct Sharding {
  bool is_tuple = false;
  List<ShardingLeaf> leaves;  // one, or one per leaf of the shape
  bool operator==(const Sharding&) const = default;
};

struct DomainValue {
  Sharding entry;
  Sharding exit;
  bool operator==(const DomainValue&) const = default;
};

// --- Aliasing and the module header ------------------------------------------------------------

// {output index}: (operand number, {operand index})
struct OperandAlias {
  IntList output_index;
  int64_t operand = 0;
  IntList operand_index;
  bool operator==(const OperandAlias&) const = default;
};
using OperandAliases = List<OperandAlias>;

struct ParameterAlias {
  IntList output_index;
  int64_t parameter = 0;
  IntList parameter_index;
  AliasKind kind = AliasKind::kMay;
  bool operator==(const ParameterAlias&) const = default;
};
using ParameterAliases = List<ParameterAlias>;

struct BufferDonor {
  int64_t parameter = 0;
  IntList parameter_index;
  bool operator==(const BufferDonor&) const = default;
};
using BufferDonors = List<BufferDonor>;

// Shapes are interned in the module: equal shapes are the same pointer only by chance.
struct ShapeRef {
  const Shape* shape = nullptr;
  bool operator==(const ShapeRef& other) const;  // compares the shapes
};
using ShapeList = List<ShapeRef>;

struct EntryComputationLayout {
  ShapeList parameters;
  ShapeRef result;
  bool operator==(const EntryComputationLayout&) const = default;
};

struct LiteralRef {
  const Literal* literal = nullptr;
  bool operator==(const LiteralRef& other) const;  // compares the literals, bit by bit
};

struct OriginRecovery {
  OriginalArray old_array;
  OriginalArray new_array;
  bool has_module = false;
  std::string_view module_text;
  bool operator==(const OriginRecovery&) const = default;
};
using OriginRecoveryTable = List<OriginRecovery>;

struct DebugRecord {
  bool has_log_mode = false;  // true in a record of zeros, which could not be read back empty
  LogMode log_mode = LogMode::kDefault;
  int64_t callback_id = 0;
  bool partitioned = false;
  int64_t op_id = 0;
  bool operator==(const DebugRecord&) const = default;
};
struct DebugEntry {
  OriginalArray original;
  List<DebugRecord> records;
  bool operator==(const DebugEntry&) const = default;
};
using DebugAttributes = List<DebugEntry>;

}  // namespace hlo

#endif  // HLOKIT_IR_ATTRIBUTE_VALUES_H_

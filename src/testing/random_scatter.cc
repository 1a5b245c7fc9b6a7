// Random programs of one scatter whose dimensions have all the roles there are, of one array or
// several, each combined by a function of its own or of what the first is.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testing/dice.h"
#include "testing/random_program.h"
#include "testing/random_shape.h"

namespace hlo::testing {
namespace {

class BoxScatterWriter {
 public:
  explicit BoxScatterWriter(uint32_t seed) : dice_(seed) {}

  std::string Write() {
    const std::string type = RandomType();
    ChooseRoles();
    ChooseBatches();
    // Without a dimension for them vectors are single numbers.
    const bool has_vectors = index_map_.size() != 1 || dice_.Chance(70);
    const auto rank = static_cast<int64_t>(batch_sizes_.size());
    vector_dim_ = has_vectors ? dice_.Below(rank + 1) : rank;
    Sizes indices = batch_sizes_;
    if (has_vectors) {
      indices.insert(indices.begin() + vector_dim_, static_cast<int64_t>(index_map_.size()));
    }
    PlaceWindowDimensions();
    WriteArrays(type);
    const std::string shapes = fmt::format("{}", fmt::join(shapes_, ", "));
    const bool has_one = shapes_.size() == 1;
    return fmt::format(
        "HloModule random\n\nf {{\n{0}  ROOT r = {1}\n}}\n\nENTRY main {{\n{2}"
        "  n = s32[{3}] constant({{{4}}})\n  i = {5} reshape(n)\n"
        "  ROOT r = {6} scatter({7}, i, {8}), "
        "update_window_dims={{{9}}}, inserted_window_dims={{{10}}}, "
        "scatter_dims_to_operand_dims={{{11}}}, input_batching_dims={{{12}}}, "
        "scatter_indices_batching_dims={{{13}}}, index_vector_dim={14}, to_apply=f\n}}\n",
        function_, has_one ? fmt::format("{}[] copy(r0)", type) : Tuple(), parameters_,
        Count(indices), fmt::join(Starts(), ","), ShapeOf("s32", indices),
        has_one ? shapes : "(" + shapes + ")", fmt::join(operands_, ", "),
        fmt::join(update_names_, ", "), fmt::join(window_dims_, ","), fmt::join(inserted_, ","),
        fmt::join(index_map_, ","), fmt::join(batching_, ","),
        fmt::join(IndicesBatching(has_vectors), ","), vector_dim_);
  }

 private:
  static int64_t Count(const Sizes& sizes) {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    return count;
  }

  std::string RandomType() {
    return dice_.OneOf<std::string>({"f32", "s32", "bf16", "u8", "f64", "c64", "s4", "f8e5m2"});
  }

  // What an array's elements `a` and updates `b` become; `p` says whether those of the first array
  // are equal, or less.
  std::string Combination(const std::string& type, int64_t k) {
    if (dice_.Chance(10)) return fmt::format("select(p, b{0}, a{0})", k);
    if (dice_.Chance(40)) return fmt::format("copy(b{})", k);
    if (dice_.Chance(5)) return fmt::format("copy(a{})", k);
    const std::string opcode = type == "c64"
                                   ? dice_.OneOf<std::string>({"add", "multiply"})
                                   : dice_.OneOf<std::string>({"add", "maximum", "multiply"});
    return fmt::format("{1}(a{0}, b{0})", k, opcode);
  }

  // The arrays, of which there mostly is one, the first of type `type`.
  void WriteArrays(std::string type) {
    const int64_t count = dice_.Chance(70) ? 1 : 2 + dice_.Below(2);
    for (int64_t k = 0; k < count; ++k) {
      if (k > 0 && dice_.Chance(60)) type = RandomType();
      function_ += fmt::format(
          "  a{0} = {1}[] parameter({0})\n  b{0} = {1}[] parameter({2})\n{4}  r{0} = {1}[] {3}\n",
          k, type, count + k, Combination(type, k), k > 0 ? "" : FirstComparison(type));
      shapes_.push_back(ShapeOf(type, sizes_));
      scalars_.push_back(type + "[]");
      operands_.push_back(fmt::format("x{}", k));
      update_names_.push_back(fmt::format("u{}", k));
      parameters_ += fmt::format("  x{0} = {1} parameter({2})\n  u{0} = {3} parameter({4})\n", k,
                                 shapes_.back(), 2 * k, ShapeOf(type, updates_), 2 * k + 1);
    }
  }
  std::string FirstComparison(const std::string& type) {
    const auto direction = type == "c64" ? "EQ" : dice_.OneOf<std::string>({"EQ", "LT"});
    return fmt::format("  p = pred[] compare(a0, b0), direction={}\n", direction);
  }
  std::string Tuple() const {
    std::string results;
    for (size_t k = 0; k < scalars_.size(); ++k) {
      results += fmt::format("{}r{}", k == 0 ? "" : ", ", k);
    }
    return fmt::format("({}) tuple({})", fmt::join(scalars_, ", "), results);
  }

  // Of each dimension of the operand: whether windows have it, and who says where they begin.
  void ChooseRoles() {
    const bool is_large = dice_.Chance(20);
    for (int64_t d = 0, rank = 1 + dice_.Below(4); d < rank; ++d) {
      sizes_.push_back(dice_.Chance(10) ? 1 : 1 + dice_.Below(is_large ? 70 : 9));
      if (dice_.Chance(15)) {
        sizes_.back() = 1 + dice_.Below(5);
        batching_.push_back(d);
        continue;
      }
      if (dice_.Chance(50)) index_map_.push_back(d);
      if (dice_.Chance(40)) {
        inserted_.push_back(d);
      } else {
        window_sizes_.push_back(dice_.Chance(50) ? sizes_.back() : 1 + dice_.Below(sizes_.back()));
      }
    }
    dice_.Shuffle(index_map_);
  }

  // The dimensions that count windows: those of the operand, in any order, and others.
  void ChooseBatches() {
    for (const int64_t d : batching_) batch_dims_.push_back(d);
    for (int64_t more = dice_.Below(3); more > 0; --more) batch_dims_.push_back(-1);
    dice_.Shuffle(batch_dims_);
    for (const int64_t d : batch_dims_) {
      batch_sizes_.push_back(d < 0 ? 1 + dice_.Below(9) : sizes_[static_cast<size_t>(d)]);
    }
  }

  // By dimension of the operand that starts at one.
  Sizes IndicesBatching(bool has_vectors) const {
    Sizes found;
    for (const int64_t d : batching_) {
      const int64_t place = std::ranges::find(batch_dims_, d) - batch_dims_.begin();
      found.push_back(has_vectors && place >= vector_dim_ ? place + 1 : place);
    }
    return found;
  }

  // The updates: windows and their numbers, mixed.
  void PlaceWindowDimensions() {
    std::vector<int> is_window(window_sizes_.size(), 1);
    is_window.resize(window_sizes_.size() + batch_sizes_.size(), 0);
    if (dice_.Chance(50)) std::ranges::reverse(is_window);
    if (dice_.Chance(30)) dice_.Shuffle(is_window);
    size_t window = 0, batch = 0;
    for (size_t d = 0; d < is_window.size(); ++d) {
      if (is_window[d] != 0) window_dims_.push_back(static_cast<int64_t>(d));
      updates_.push_back(is_window[d] != 0 ? window_sizes_[window++] : batch_sizes_[batch++]);
    }
  }

  // In the order of the indices' elements; some lie outside.
  Sizes Starts() {
    Sizes starts;
    const auto vector = static_cast<int64_t>(index_map_.size());
    int64_t inner = 1;  // elements behind the dimension of a vector
    for (size_t d = static_cast<size_t>(vector_dim_); d < batch_sizes_.size(); ++d) {
      inner *= batch_sizes_[d];
    }
    for (int64_t i = 0; i < Count(batch_sizes_) * vector; ++i) {
      const int64_t dim = index_map_[static_cast<size_t>(i / inner % vector)];
      starts.push_back(dice_.Below(sizes_[static_cast<size_t>(dim)] + (dice_.Chance(10) ? 3 : 0)) -
                       (dice_.Chance(5) ? 1 : 0));
      if (dice_.Chance(60)) starts.back() /= 3;  // where there is room for larger windows
    }
    return starts;
  }

  Dice dice_;
  Sizes sizes_, window_sizes_, inserted_, index_map_, batching_;  // operand
  Sizes batch_dims_, batch_sizes_;  // -1: no dimension of the operand starts there
  Sizes updates_, window_dims_;
  int64_t vector_dim_ = 0;
  // By array.
  std::vector<std::string> shapes_, scalars_, operands_, update_names_;
  std::string function_, parameters_;
};

}  // namespace

std::string RandomScatterOfBoxes(uint32_t seed) { return BoxScatterWriter(seed).Write(); }

}  // namespace hlo::testing

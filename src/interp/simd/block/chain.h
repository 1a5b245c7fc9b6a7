// Chains: operations of a block whose elements stay in vector registers from one to the next. They
// run over a tile group by group; what has to wait for a later link lies in a buffer of the group.
#ifndef HLOKIT_INTERP_SIMD_BLOCK_CHAIN_H_
#define HLOKIT_INTERP_SIMD_BLOCK_CHAIN_H_

#include <cstdint>
#include <vector>

#include "interp/simd/chain/chain_kernels.h"
#include "interp/simd/loops/tile_place.h"

namespace hlo::simd {

class Chain {
 public:
  // How the elements of what a link reads or writes go with those of the tile.
  enum class Spread : uint8_t {
    kElements,  // each with its own
    kPeriod,    // those of one row with every row, as far as it goes
    kRow,       // one with the elements of each row
    kOne,       // one with all
    kBuffer,    // a buffer of the group, whose number is place.at
    kNone,      // the link has registers only
  };
  struct Link {
    LinkFunction function = nullptr;  // null: says where the link before finds something
    LinkFunction stream = nullptr;    // instead, where addresses allow it
    Spread spread = Spread::kNone;
    TilePlace place = {};
    bool is_store = false;
    int64_t fetch_distance = 0;  // elements on; not 0: the caches are asked for what is there
  };
  // A reduction of rows whose elements the chain makes, by a link (chain_kernels.h).
  struct Fold {
    Opcode opcode;
    size_t link;       // its number
    int64_t buffer;    // where its lanes are
    TilePlace init;    // one element
    TilePlace result;  // one for each row
  };
  static constexpr size_t kMaxLinks = 1024;

  // Links are all of `kernels`. `row_length` is of the rows of kPeriod, kRow and folds; 0: there
  // are none. A chain with folds goes through a row again if need be: it writes nothing that it
  // reads.
  Chain(const ChainKernels& kernels, std::vector<Link> links, std::vector<Fold> folds,
        int64_t row_length, int64_t buffer_count);

  // What Run takes: buffers, and copies of the last elements where they fill no group and cannot
  // go with those before them.
  int64_t room_byte_size() const;
  bool streams() const { return streams_; }
  size_t link_count() const { return links_.size(); }

  // `room` is aligned to 64.
  void Run(const TileArrays& arrays, const Tile& tile, std::byte* room) const;

 private:
  static constexpr int64_t kNoCopy = -1;

  void Bind(const TileArrays& arrays, const Tile& tile, std::byte* room, ChainLink* bound) const;
  bool CanRepeat(const ChainLink* bound) const;
  void RunGroups(const ChainLink* bound, int64_t count, bool can_repeat, std::byte* room) const;
  void RunRest(const ChainLink* bound, int64_t first, int64_t count, std::byte* room) const;
  void RunFolds(const ChainLink* bound, const TileArrays& arrays, const Tile& tile, int64_t row,
                std::byte* room) const;
  std::byte* CopyOf(const Fold& fold, std::byte* room) const;

  // The elements behind the last whole group, whose size is a power of two.
  int64_t RestOf(int64_t count) const { return count & (kernels_.group_size - 1); }

  const ChainKernels& kernels_;  // lives as long as the program
  std::vector<Link> links_;
  std::vector<Fold> folds_;
  std::vector<int64_t> copies_;  // by link: the copy that stands for its array, or kNoCopy
  int64_t copy_count_ = 0;
  int64_t row_length_;
  int64_t buffer_count_;
  bool streams_ = false;
};

}  // namespace hlo::simd

#endif  // HLOKIT_INTERP_SIMD_BLOCK_CHAIN_H_

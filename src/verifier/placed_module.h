// Rules say by a range of text where a finding is. What no text stands for, because it was made in
// code, gets for the time of the check a byte of its own behind the text, by which the finding
// leads back to its name.
#ifndef HLOKIT_VERIFIER_PLACED_MODULE_H_
#define HLOKIT_VERIFIER_PLACED_MODULE_H_

#include <cstdint>
#include <string>

#include "ir/module.h"
#include "support/diagnostic.h"

namespace hlo {

class PlacedModule {
 public:
  // Whether a part of `module` has no text.
  static bool IsNeeded(const Module& module);

  // Shares what it can with `module`, which must outlive it; ids are the same.
  explicit PlacedModule(const Module& module);

  const Module& module() const { return placed_; }
  // Makes a finding about the placed module one about the original: in place of bytes that it does
  // not have come notes with names.
  void Name(Diagnostic& finding) const;

 private:
  bool IsPlace(SourceRange range) const { return range.begin >= first_place_; }
  SourceRange PlaceOf(size_t index) const;
  std::string NameOf(SourceRange place) const;
  // The nearest text of the original.
  SourceRange TextOf(SourceRange place) const;
  void AddInstructions(const Module& module);
  void AddComputations(const Module& module);

  const uint32_t first_place_;
  Module placed_;
};

}  // namespace hlo

#endif  // HLOKIT_VERIFIER_PLACED_MODULE_H_

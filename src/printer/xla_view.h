// The module as XLA holds it after reading the same text. XLA's printer shows that, so comparing
// with its output takes the same changes (grammar.md 5.9, 7.3, 7.9, 10.3, 10.4, 10.11).
#ifndef HLOKIT_PRINTER_XLA_VIEW_H_
#define HLOKIT_PRINTER_XLA_VIEW_H_

#include "ir/module.h"

namespace hlo {

// A module that says what `module` says after XLA read it: names unique module-wide, callees
// first, instructions in post-order unless scheduled, stack frames renumbered, discarded
// attributes gone.
Module MakeXlaView(const Module& module);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_XLA_VIEW_H_

// Layouts that say what a program computes.
#ifndef HLOKIT_PRINTER_MEANINGFUL_LAYOUTS_H_
#define HLOKIT_PRINTER_MEANINGFUL_LAYOUTS_H_

#include <vector>

#include "ir/module.h"

namespace hlo {

// By instruction: whether the layout of its result takes part in the meaning of a `bitcast`, which
// reads memory anew. Everywhere else a layout only says where elements lie. Empty: nowhere.
std::vector<bool> MeaningfulLayouts(const Module& module);

}  // namespace hlo

#endif  // HLOKIT_PRINTER_MEANINGFUL_LAYOUTS_H_

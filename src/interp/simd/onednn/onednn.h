// Work that the simd backend leaves to oneDNN where that is installed.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_ONEDNN_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_ONEDNN_H_

namespace hlo {
struct Plan;
}  // namespace hlo

namespace hlo::simd::onednn {

// Gives a program of the library's to the steps that it does faster, or to all that it can do, as
// Plan::library_use says.
void LeaveToLibrary(Plan& plan);

// Whether the library is there.
bool IsThere();

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_ONEDNN_H_

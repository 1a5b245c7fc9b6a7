// The functions of oneDNN that are used here.
#ifndef HLOKIT_INTERP_SIMD_ONEDNN_LIBRARY_H_
#define HLOKIT_INTERP_SIMD_ONEDNN_LIBRARY_H_

#include <oneapi/dnnl/dnnl.h>

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace hlo::simd::onednn {

// All by the names that they have in C: library->dnnl_primitive_execute(...).
#define HLO_ONEDNN_FUNCTIONS(F)                          \
  F(dnnl_dilated_convolution_backward_data_desc_init)    \
  F(dnnl_dilated_convolution_backward_weights_desc_init) \
  F(dnnl_dilated_convolution_forward_desc_init)          \
  F(dnnl_engine_create)                                  \
  F(dnnl_matmul_desc_init)                               \
  F(dnnl_memory_create)                                  \
  F(dnnl_memory_desc_equal)                              \
  F(dnnl_memory_desc_get_size)                           \
  F(dnnl_memory_desc_init_by_strides)                    \
  F(dnnl_memory_desc_init_by_tag)                        \
  F(dnnl_memory_desc_init_submemory)                     \
  F(dnnl_memory_destroy)                                 \
  F(dnnl_memory_get_memory_desc)                         \
  F(dnnl_memory_set_data_handle)                         \
  F(dnnl_primitive_attr_create)                          \
  F(dnnl_primitive_attr_destroy)                         \
  F(dnnl_primitive_attr_set_scratchpad_mode)             \
  F(dnnl_primitive_create)                               \
  F(dnnl_primitive_desc_create)                          \
  F(dnnl_primitive_desc_destroy)                         \
  F(dnnl_primitive_desc_query)                           \
  F(dnnl_primitive_desc_query_md)                        \
  F(dnnl_primitive_destroy)                              \
  F(dnnl_primitive_execute)                              \
  F(dnnl_reorder_primitive_desc_create)                  \
  F(dnnl_set_max_cpu_isa)                                \
  F(dnnl_stream_create)                                  \
  F(dnnl_stream_destroy)                                 \
  F(dnnl_stream_wait)

struct Library {
#define HLO_ONEDNN_MEMBER(name) decltype(&::name) name = nullptr;
  HLO_ONEDNN_FUNCTIONS(HLO_ONEDNN_MEMBER)
#undef HLO_ONEDNN_MEMBER
  // Of the OpenMP that it is linked with.
  int (*omp_get_max_threads)() = nullptr;
  void (*omp_set_num_threads)(int) = nullptr;

  dnnl_engine_t engine = nullptr;
};

// Loads the library when it is called first. Null where it is not installed, lacks a function, or
// knows no instruction set that it is allowed (instruction_set.h).
const Library* FindLibrary();

// Calls `work`, in which the library makes primitives for one thread and runs them.
void WithOneThread(const Library& library, absl::FunctionRef<void()> work);

}  // namespace hlo::simd::onednn

#endif  // HLOKIT_INTERP_SIMD_ONEDNN_LIBRARY_H_

// Each is the body of an entry computation; the functions it may call stand before it.
#include "testing/scratch_programs.h"

#include <fmt/format.h>

#include <string_view>

namespace hlo::testing {
namespace {

constexpr std::string_view kFunctions = R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
add_bf16 { x = bf16[] parameter(0) y = bf16[] parameter(1) ROOT r = bf16[] add(x, y) }
add_c64 { x = c64[] parameter(0) y = c64[] parameter(1) ROOT r = c64[] add(x, y) }
add_and_second {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  u = f32[] parameter(2)
  v = f32[] parameter(3)
  s = f32[] add(x, u)
  ROOT r = (f32[], f32[]) tuple(s, v)
}
second { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] copy(y) }
max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] maximum(x, y) }
ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = pred[] compare(x, y), direction=GE }
less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = pred[] compare(x, y), direction=LT }
places_by_halves {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  i = u8[] parameter(2)
  j = u8[] parameter(3)
  half = f32[] constant(0.5)
  a = f32[] multiply(x, half)
  b = f32[] floor(a)
  ROOT r = pred[] compare(b, y), direction=LT
}
less_by_halves {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  half = f32[] constant(0.5)
  a = f32[] multiply(x, half)
  b = f32[] multiply(y, half)
  c = f32[] floor(a)
  d = f32[] floor(b)
  ROOT r = pred[] compare(c, d), direction=LT
}
polynomial {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  z = f32[] multiply(x, x)
  ROOT r = f32[] subtract(z, y)
}
five {
  a0 = f32[] parameter(0)
  a1 = f32[] parameter(1)
  a2 = f32[] parameter(2)
  a3 = f32[] parameter(3)
  a4 = f32[] parameter(4)
  b0 = f32[] parameter(5)
  b1 = f32[] parameter(6)
  b2 = f32[] parameter(7)
  b3 = f32[] parameter(8)
  b4 = f32[] parameter(9)
  p = f32[] multiply(b0, b1)
  r0 = f32[] add(a0, p)
  r1 = f32[] maximum(a1, b2)
  r2 = f32[] subtract(a2, b3)
  r3 = f32[] add(a3, b4)
  r4 = f32[] minimum(a4, p)
  ROOT r = (f32[], f32[], f32[], f32[], f32[]) tuple(r0, r1, r2, r3, r4)
}
)";

constexpr struct {
  std::string_view name;
  std::string_view body;
} kBodies[] = {
    {"dot_packed", R"(
  x = f32[300,400] parameter(0)
  y = f32[400,500] parameter(1)
  ROOT r = f32[300,500] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"scaled_dot_scales", R"(
  x = f8e4m3fn[200,320] parameter(0)
  y = f8e4m3fn[320,300] parameter(1)
  s = f8e8m0fnu[200,10] parameter(2)
  t = f8e8m0fnu[10,300] parameter(3)
  ROOT r = bf16[200,300] scaled-dot(x, y, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"ragged_dot_groups", R"(
  x = bf16[300,200] parameter(0)
  y = bf16[4,200,300] parameter(1)
  n = s32[4] constant({100, 3, 120, 60})
  ROOT r = f32[300,300] ragged-dot(x, y, n), lhs_contracting_dims={1}, rhs_contracting_dims={1},
    lhs_ragged_dims={0}, rhs_group_dims={0})"},
    {"dot_packed_in_parts", R"(
  x = f32[100,900] parameter(0)
  y = f32[900,1000] parameter(1)
  ROOT r = f32[100,1000] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_split_sum", R"(
  x = f32[8,3000] parameter(0)
  y = f32[3000,1500] parameter(1)
  ROOT r = f32[8,1500] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_few_rows", R"(
  x = f32[8,3000] parameter(0)
  y = f32[3000,203] parameter(1)
  ROOT r = f32[8,203] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_few_rows_packed", R"(
  x = f32[12,3000] parameter(0)
  y = f32[3000,1500] parameter(1)
  ROOT r = f32[12,1500] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_rows_by_many_columns", R"(
  x = f32[60,2050] parameter(0)
  y = f32[2050,1100] parameter(1)
  ROOT r = f32[60,1100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_rows_by_many_columns_f64", R"(
  x = f64[20,2050] parameter(0)
  y = f64[2050,1100] parameter(1)
  ROOT r = f64[20,1100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_few_columns_packed", R"(
  x = bf16[40,2000] parameter(0)
  y = bf16[3000,2000] parameter(1)
  ROOT r = bf16[40,3000] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1})"},
    {"dot_few_rows_bf16", R"(
  x = bf16[20,1000] parameter(0)
  y = bf16[1000,4000] parameter(1)
  ROOT r = bf16[20,4000] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_few_rows_s8", R"(
  x = s8[2,20,3000] parameter(0)
  y = s8[2,3000,3000] parameter(1)
  ROOT r = s32[2,20,3000] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0},
      lhs_contracting_dims={2}, rhs_contracting_dims={1})"},
    {"dot_few_columns_s8", R"(
  x = s8[4000,1024] parameter(0)
  y = s8[1024,9] parameter(1)
  ROOT r = s16[4000,9] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_of_lines_bf16", R"(
  x = bf16[40,20000] parameter(0)
  y = bf16[50,20000] parameter(1)
  ROOT r = bf16[40,50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1})"},
    {"dot_few_rows_by_uneven_lines", R"(
  x = bf16[20,768] parameter(0)
  y = bf16[5001,768] parameter(1)
  ROOT r = bf16[20,5001] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1})"},
    {"dot_few_rows_f16", R"(
  x = f16[2,64,3000] parameter(0)
  y = f16[2,3,64] parameter(1)
  ROOT r = f16[2,3,3000] dot(y, x), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
      rhs_contracting_dims={1})"},
    {"dot_of_lines_s8", R"(
  x = s8[40,9000] parameter(0)
  y = s8[50,9000] parameter(1)
  ROOT r = s32[40,50] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1})"},
    {"dot_converted", R"(
  x = f32[3000] parameter(0)
  y = s8[9000,3000] parameter(1)
  wide = f32[9000,3000] convert(y)
  ROOT r = f32[9000] dot(wide, x), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_bf16", R"(
  x = bf16[300,400] parameter(0)
  y = bf16[400,500] parameter(1)
  ROOT r = bf16[300,500] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_batch", R"(
  x = f32[64,40,100] parameter(0)
  y = f32[64,100,200] parameter(1)
  ROOT r = f32[64,40,200] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},
    rhs_contracting_dims={1})"},
    {"dot_f16", R"(
  x = f16[200,300] parameter(0)
  y = f16[300,200] parameter(1)
  ROOT r = f16[200,200] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_s8", R"(
  x = s8[200,300] parameter(0)
  y = s8[300,200] parameter(1)
  ROOT r = s32[200,200] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_complex", R"(
  x = c64[100,200] parameter(0)
  y = c64[200,100] parameter(1)
  ROOT r = c64[100,100] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_complex_infinite", R"(
  x = c64[100,200] parameter(0)
  i = f32[] constant(inf)
  b = f32[200,100] broadcast(i), dimensions={}
  z = c64[200,100] complex(b, b)
  ROOT r = c64[100,100] dot(x, z), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_complex_rows", R"(
  x = c64[3,400] parameter(0)
  y = c64[400,900] parameter(1)
  ROOT r = c64[3,900] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"dot_complex_vector", R"(
  x = c128[900] parameter(0)
  y = c128[400,900] parameter(1)
  ROOT r = c128[400] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={1})"},
    {"dot_complex_batch", R"(
  x = c64[9000,3,3] parameter(0)
  y = c64[9000,3,3] parameter(1)
  ROOT r = c64[9000,3,3] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0},
    lhs_contracting_dims={2}, rhs_contracting_dims={1})"},
    {"ragged_dot_terms", R"(
  x = bf16[40,30,50] parameter(0)
  y = bf16[40,50,100] parameter(1)
  g = s32[3] constant({10, 25, 12})
  ROOT r = bf16[3,30,100] ragged-dot(x, y, g), lhs_contracting_dims={0,2}, rhs_contracting_dims={0,1},
    lhs_ragged_dims={2}, rhs_group_dims={})"},
    {"ragged_dot_same_terms", R"(
  x = f32[40,30,50] parameter(0)
  y = f32[40,50,100] parameter(1)
  g = s32[3] constant({50, -49, 49})
  ROOT r = f32[3,30,100] ragged-dot(x, y, g), lhs_contracting_dims={0,2}, rhs_contracting_dims={0,1},
    lhs_ragged_dims={2}, rhs_group_dims={})"},
    {"ragged_dot", R"(
  x = f32[200,300] parameter(0)
  y = f32[4,300,100] parameter(1)
  g = s32[4] constant({50, 60, 40, 50})
  ROOT r = f32[200,100] ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1},
    lhs_ragged_dims={0}, rhs_group_dims={0})"},
    {"convolution", R"(
  x = f32[2,30,30,16] parameter(0)
  k = f32[3,3,16,32] parameter(1)
  ROOT r = f32[2,30,30,32] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f)"},
    {"convolution_bf16", R"(
  x = bf16[2,30,30,16] parameter(0)
  k = bf16[3,3,16,32] parameter(1)
  ROOT r = bf16[2,28,28,32] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f)"},
    {"convolution_of_long_sums", R"(
  x = bf16[16,30,29,20] parameter(0)
  y = bf16[16,30,29,24] parameter(1)
  ROOT r = bf16[3,3,20,24] convolution(x, y), window={size=30x29 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf)"},
    {"dot_of_long_sums", R"(
  x = f64[9000,64] parameter(0)
  y = f64[9000,50] parameter(1)
  ROOT r = f64[64,50] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0})"},
    {"convolution_by_infinity", R"(
  x = f32[2,30,30,16] parameter(0)
  i = f32[] constant(inf)
  k = f32[3,3,16,32] broadcast(i), dimensions={}
  ROOT r = f32[2,30,30,32] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f)"},
    {"convolution_complex", R"(
  x = c64[2,30,30,16] parameter(0)
  k = c64[3,3,16,32] parameter(1)
  ROOT r = c64[2,30,30,32] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f)"},
    {"convolution_complex_pixels", R"(
  x = c128[2,16,30,30] parameter(0)
  k = c128[32,16,3,3] parameter(1)
  ROOT r = c128[2,32,28,28] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01)"},
    {"depthwise_complex", R"(
  x = c64[2,60,60,48] parameter(0)
  k = c64[3,3,1,48] parameter(1)
  ROOT r = c64[2,60,60,48] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=48)"},
    {"depthwise_f16", R"(
  x = f16[2,60,60,48] parameter(0)
  k = f16[3,3,1,96] parameter(1)
  ROOT r = f16[2,60,60,96] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=48)"},
    {"depthwise_strides", R"(
  x = s8[2,48,60,60] parameter(0)
  k = s8[48,1,3,3] parameter(1)
  ROOT r = s32[2,48,30,30] convolution(x, k), window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01, feature_group_count=48)"},
    {"depthwise_gradient", R"(
  x = f64[2,40,40,48] parameter(0)
  k = f64[2,40,40,48] parameter(1)
  ROOT r = f64[1,3,3,48] convolution(x, k), window={size=40x40 pad=1_1x1_1}, dim_labels=f01b_i01o->b01f, batch_group_count=48)"},
    {"reduce_rows", R"(
  x = f32[300,2000] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[300] reduce(x, z), dimensions={1}, to_apply=add)"},
    {"reduce_columns", R"(
  x = f32[5000,300] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[300] reduce(x, z), dimensions={0}, to_apply=add)"},
    {"reduce_columns_bf16", R"(
  x = bf16[1000,3000] parameter(0)
  z = bf16[] constant(0)
  ROOT r = bf16[3000] reduce(x, z), dimensions={0}, to_apply=add_bf16)"},
    {"reduce_rows_c64", R"(
  x = c64[300,2000] parameter(0)
  z = c64[] constant((0, 0))
  ROOT r = c64[300] reduce(x, z), dimensions={1}, to_apply=add_c64)"},
    {"reduce_largest", R"(
  x = f32[200,300,40] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[300] reduce(x, z), dimensions={0,2}, to_apply=max)"},
    {"reduce_few_neighbours", R"(
  x = f32[30,100,20,8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[30,20] reduce(x, z), dimensions={1,3}, to_apply=add)"},
    {"block_of_totals", R"(
  x = f32[40,50,6000] parameter(0)
  z = f32[] constant(0)
  y = f32[40,50,6000] multiply(x, x)
  s = f32[] reduce(y, z), dimensions={0,1,2}, to_apply=add
  t = f32[50] reduce(y, z), dimensions={0,2}, to_apply=max
  ROOT r = (f32[], f32[50]) tuple(s, t))"},
    {"block_of_columns", R"(
  x = f32[2000,3000] parameter(0)
  z = f32[] constant(0)
  y = f32[2000,3000] multiply(x, x)
  s = f32[3000] reduce(y, z), dimensions={0}, to_apply=add
  t = f32[3000] reduce(y, z), dimensions={0}, to_apply=max
  u = f32[2000] reduce(y, z), dimensions={1}, to_apply=add
  ROOT r = (f32[3000], f32[3000], f32[2000]) tuple(s, t, u))"},
    {"block_of_long_rows", R"(
  x = f32[40,60000] parameter(0)
  z = f32[] constant(0)
  y = f32[40,60000] sine(x)
  ROOT r = f32[40] reduce(y, z), dimensions={1}, to_apply=add)"},
    {"reduce_by_function", R"(
  x = f32[300,2000] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[2000] reduce(x, z), dimensions={0}, to_apply=polynomial)"},
    {"reduce_of_five", R"(
  x = f32[30,500] parameter(0)
  z = f32[] constant(0)
  ROOT r = (f32[500], f32[500], f32[500], f32[500], f32[500])
    reduce(x, x, x, x, x, z, z, z, z, z), dimensions={0}, to_apply=five)"},
    {"reduce_window", R"(
  x = f32[200,300] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[198,298] reduce-window(x, z), window={size=3x3}, to_apply=add)"},
    {"reduce_window_bf16", R"(
  x = bf16[200,300] parameter(0)
  z = bf16[] constant(0)
  ROOT r = bf16[200,298] reduce-window(x, z), window={size=1x3}, to_apply=add_bf16)"},
    {"reduce_window_bf16_planes", R"(
  x = bf16[8,100,300] parameter(0)
  z = bf16[] constant(0)
  ROOT r = bf16[8,98,298] reduce-window(x, z), window={size=1x3x3}, to_apply=add_bf16)"},
    {"cumulative_bf16", R"(
  x = bf16[200,300] parameter(0)
  z = bf16[] constant(0)
  ROOT r = bf16[200,300] reduce-window(x, z), window={size=1x300 pad=0_0x299_0},
    to_apply=add_bf16)"},
    {"cumulative_function", R"(
  x = f32[800,300] parameter(0)
  z = f32[] constant(1)
  ROOT r = f32[800,300] reduce-window(x, z), window={size=1x300 pad=0_0x299_0},
    to_apply=polynomial)"},
    {"window_function", R"(
  x = f32[8,100,300] parameter(0)
  z = f32[] constant(1)
  ROOT r = f32[8,100,300] reduce-window(x, z), window={size=1x3x3 pad=0_0x1_1x1_1},
    to_apply=polynomial)"},
    {"window_function_of_five_arrays", R"(
  x = f32[200,300] parameter(0)
  z = f32[] constant(1)
  ROOT r = (f32[198,298], f32[198,298], f32[198,298], f32[198,298], f32[198,298])
    reduce-window(x, x, x, x, x, z, z, z, z, z), window={size=3x3}, to_apply=five)"},
    {"select_and_scatter_by_function", R"(
  x = f32[8,80,80,16] parameter(0)
  s = f32[8,40,40,16] parameter(1)
  z = f32[] constant(0)
  ROOT r = f32[8,80,80,16] select-and-scatter(x, s, z), window={size=1x2x2x1 stride=1x2x2x1},
    select=less_by_halves, scatter=second)"},
    {"select_and_scatter", R"(
  x = f32[8,40,40,16] parameter(0)
  s = f32[8,20,20,16] parameter(1)
  z = f32[] constant(0)
  ROOT r = f32[8,40,40,16] select-and-scatter(x, s, z), window={size=1x2x2x1 stride=1x2x2x1},
    select=ge, scatter=add)"},
    {"map", R"(
  x = f32[100,100] parameter(0)
  y = f32[100,100] parameter(1)
  ROOT r = f32[100,100] map(x, y), dimensions={0,1}, to_apply=polynomial)"},
    {"sort", R"(
  x = f32[8,20000] parameter(0)
  ROOT r = f32[8,20000] sort(x), dimensions={1}, to_apply=less)"},
    {"sort_alone", R"(
  x = f32[100000] parameter(0)
  ROOT r = f32[100000] sort(x), dimensions={0}, to_apply=less)"},
    {"sort_with_nan", R"(
  x = f32[50000] parameter(0)
  z = f32[50000] subtract(x, x)
  n = f32[50000] divide(z, z)
  ROOT r = f32[50000] sort(n), dimensions={0}, to_apply=less)"},
    {"sort_by_calls", R"(
  x = f32[20000] parameter(0)
  ROOT r = f32[20000] sort(x), dimensions={0}, to_apply=less_by_halves)"},
    {"sort_places_by_calls", R"(
  x = f32[40,9000] parameter(0)
  i = u8[40,9000] parameter(1)
  ROOT r = (f32[40,9000], u8[40,9000]) sort(x, i), dimensions={1}, to_apply=places_by_halves)"},
    {"topk", R"(
  x = f32[4,20000] parameter(0)
  ROOT r = (f32[4,10], s32[4,10]) topk(x), k=10, largest=true)"},
    {"fft_short", R"(
  x = c64[100,1000] parameter(0)
  ROOT r = c64[100,1000] fft(x), fft_type=FFT, fft_length={1000})"},
    {"fft_prime", R"(
  x = c64[100,1031] parameter(0)
  ROOT r = c64[100,1031] fft(x), fft_type=FFT, fft_length={1031})"},
    {"fft_real", R"(
  x = f32[50,4096] parameter(0)
  ROOT r = c64[50,2049] fft(x), fft_type=RFFT, fft_length={4096})"},
    {"fft_long", R"(
  x = c64[3,65536] parameter(0)
  ROOT r = c64[3,65536] fft(x), fft_type=IFFT, fft_length={65536})"},
    {"fft_long_prime", R"(
  x = c64[2,10007] parameter(0)
  ROOT r = c64[2,10007] fft(x), fft_type=FFT, fft_length={10007})"},
    {"fft_planes", R"(
  x = c64[10,100,128] parameter(0)
  ROOT r = c64[10,100,128] fft(x), fft_type=FFT, fft_length={100,128})"},
    {"gather", R"(
  x = f32[1000,64] parameter(0)
  i = s32[20000,1] parameter(1)
  ROOT r = f32[20000,64] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,64})"},
    {"scatter", R"(
  x = f32[1000,64] parameter(0)
  i = s32[20000,1] parameter(1)
  u = f32[20000,64] parameter(2)
  ROOT r = f32[1000,64] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add)"},
    {"scatter_elements", R"(
  x = f32[1000,64] parameter(0)
  i = s32[20000,2] parameter(1)
  u = f32[20000] parameter(2)
  ROOT r = f32[1000,64] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0,1},
    scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add)"},
    {"scatter_boxes", R"(
  x = f32[100,100,100] parameter(0)
  i = s16[400,2] parameter(1)
  u = f32[400,20,100,20] parameter(2)
  ROOT r = f32[100,100,100] scatter(x, i, u), update_window_dims={1,2,3}, inserted_window_dims={},
    scatter_dims_to_operand_dims={0,2}, index_vector_dim=1, to_apply=second)"},
    {"scatter_boxes_of_arrays", R"(
  x = f32[100,100,100] parameter(0)
  i = s32[300,2] parameter(1)
  u = f32[300,10,100,10] parameter(2)
  ROOT r = (f32[100,100,100], f32[100,100,100]) scatter(x, x, i, u, u),
    update_window_dims={1,2,3}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,2},
    index_vector_dim=1, to_apply=add_and_second)"},
    {"scatter_elements_of_batches", R"(
  x = f32[64,1000] parameter(0)
  i = s32[64,1000,1] parameter(1)
  u = f32[64,1000] parameter(2)
  ROOT r = f32[64,1000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1},
    scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0},
    index_vector_dim=2, to_apply=add)"},
    {"batch_norm", R"(
  x = f32[20,30,30,100] parameter(0)
  s = f32[100] parameter(1)
  ROOT r = (f32[20,30,30,100], f32[100], f32[100]) batch-norm-training(x, s, s), epsilon=0.001,
    feature_index=3)"},
    {"cholesky", R"(
  x = f32[4,100,100] parameter(0)
  ROOT r = f32[4,100,100] cholesky(x), lower=true)"},
    {"triangular_solve", R"(
  a = f32[4,100,100] parameter(0)
  b = f32[4,100,50] parameter(1)
  ROOT r = f32[4,100,50] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE)"},
    {"cholesky_c64", R"(
  x = c64[2,300,300] parameter(0)
  ROOT r = c64[2,300,300] cholesky(x), lower=false)"},
    {"triangular_solve_large", R"(
  a = c64[2,200,200] parameter(0)
  b = c64[2,150,200] parameter(1)
  ROOT r = c64[2,150,200] triangular-solve(a, b), left_side=false, lower=true, transpose_a=ADJOINT)"},
    {"bitcast_layout", R"(
  x = f32[200,300]{1,0} parameter(0)
  ROOT r = f32[300,200]{0,1} bitcast(x))"},
    {"rng_bits", R"(
  s = u64[2] parameter(0)
  ROOT r = (u64[2], u16[100001]) rng-bit-generator(s), algorithm=rng_three_fry)"},
    {"rng", R"(
  a = f32[] constant(0)
  b = f32[] constant(1)
  ROOT r = f32[300,300] rng(a, b), distribution=rng_normal)"},
    {"block", R"(
  x = f32[100000] parameter(0)
  y = f64[100000] convert(x)
  a = f64[100000] tanh(y)
  b = f64[100000] multiply(a, y)
  c = f64[100000] exponential(b)
  d = f64[100000] subtract(c, a)
  e = f64[100000] multiply(d, b)
  ROOT r = (f32[100000], f64[100000]) tuple(x, e))"},
    {"block_update", R"(
  x = f32[100,1000] parameter(0)
  a = f32[100,1100] parameter(1)
  i = s32[] parameter(2)
  y = f32[100,1000] multiply(x, x)
  z = f32[100,1000] add(y, x)
  u = f32[100,1100] dynamic-update-slice(a, z, i, i)
  ROOT r = (f32[100,1000], f32[100,1100]) tuple(y, u))"},
    {"softmax", R"(
  x = f32[200,1000] parameter(0)
  z = f32[] constant(-inf)
  m = f32[200] reduce(x, z), dimensions={1}, to_apply=max
  b = f32[200,1000] broadcast(m), dimensions={0}
  d = f32[200,1000] subtract(x, b)
  e = f32[200,1000] exponential(d)
  o = f32[] constant(0)
  s = f32[200] reduce(e, o), dimensions={1}, to_apply=add
  c = f32[200,1000] broadcast(s), dimensions={0}
  ROOT r = f32[200,1000] divide(e, c))"},
    {"concatenate_mixed", R"(
  x = bf16[300,200] parameter(0)
  y = f32[300,200] parameter(1)
  ROOT r = f32[300,400] concatenate(x, y), dimensions={1})"},
    {"all_gather_mixed", R"(
  x = bf16[300,200] parameter(0)
  ROOT r = f32[300,200] all-gather(x), dimensions={0}, replica_groups={{0}})"},
    {"reduce_scatter", R"(
  x = bf16[300,200] parameter(0)
  ROOT r = bf16[300,200] reduce-scatter(x), dimensions={0}, replica_groups={{0}}, to_apply=add)"},
};

// Custom calls: a target, operands and results, and what else is said of them.
constexpr struct {
  std::string_view target;
  std::string_view operands;
  std::string_view result;
  std::string_view attributes = "";
} kCustomCalls[] = {
    {"lapack_spotrf_ffi", "f32[2,100,100]", "(f32[2,100,100], s32[2])",
     R"(, backend_config="{uplo = 85 : ui8}")"},
    {"lapack_sgetrf_ffi", "f32[2,100,120]", "(f32[2,100,120], s32[2,100], s32[2])"},
    {"LuDecomposition", "f32[2,100,100]", "(f32[2,100,100], s32[2,100], s32[2,100])"},
    {"lapack_sgeqrf_ffi", "f32[2,100,80]", "(f32[2,100,80], f32[2,80])"},
    {"lapack_sgeqp3_ffi", "f32[2,100,80] s32[2,80]", "(f32[2,100,80], s32[2,80], f32[2,80])"},
    {"lapack_sorgqr_ffi", "f32[2,100,80] f32[2,80]", "f32[2,100,80]"},
    {"lapack_sgehrd_ffi", "f32[100,100]", "(f32[100,100], f32[99], s32[])"},
    {"lapack_ssytrd_ffi", "f32[100,100]", "(f32[100,100], f32[100], f32[99], f32[99], s32[])",
     R"(, backend_config="{uplo = 85 : ui8}")"},
    {"lapack_ssyevd_ffi", "f32[2,60,60]", "(f32[2,60,60], f32[2,60], s32[2])"},
    {"lapack_cheevd_ffi", "c64[40,40]", "(c64[40,40], f32[40], s32[])"},
    {"Eigh", "f32[60,60]", "(f32[60,60], f32[60])", R"(, backend_config="0,1,100,1e-6")"},
    {"lapack_sgesdd_ffi", "f32[60,90]", "(f32[60,90], f32[60], f32[60,60], f32[90,90], s32[])"},
    {"lapack_cgesdd_ffi", "c64[60,40]", "(c64[60,40], f32[40], c64[60,40], c64[40,40], s32[])"},
    {"cusolver_gesvdj_ffi", "f32[60,40]", "(f32[60,40], f32[40], f32[60,60], f32[40,40], s32[])"},
    {"lapack_sgees_ffi", "f32[60,60]", "(f32[60,60], f32[60,60], f32[60], f32[60], s32[], s32[])"},
    {"lapack_sgeev_ffi", "f32[60,60]", "(f32[60], f32[60], c64[60,60], c64[60,60], s32[])"},
    {"lapack_cgeev_ffi", "c64[60,60]", "(c64[60], c64[60,60], c64[60,60], s32[])"},
    {"lapack_sgtsv_ffi", "f32[20000] f32[20000] f32[20000] f32[20000,1]",
     "(f32[20000], f32[20000], f32[20000], f32[20000,1], s32[])"},
    {"cusparse_gtsv2_ffi", "f32[20000] f32[20000] f32[20000] f32[20000,1]", "f32[20000,1]"},
    {"lapack_strsm_ffi", "f32[100,100] f32[100,90]", "f32[100,90]"},
    {"__onednn$softmax", "f32[300,400]", "f32[300,400]"},
    {"__onednn$layernorm", "bf16[300,400] f32[400] f32[400]", "bf16[300,400]"},
    {"__cudnn$norm", "f32[300,400] f32[400] f32[400]",
     "(f32[300,400], f32[300,1], f32[300,1], u8[0])",
     R"(, backend_config={"kind":"LAYER_FWD_TRAIN","epsilon":0.001})"},
    {"__cudnn$norm", "f32[300,400] f32[400] f32[300,400] f32[300,1] f32[300,1]",
     "(f32[300,400], f32[400], f32[400], u8[0])", R"(, backend_config={"kind":"LAYER_BWD"})"},
    {"__cublas$gemm", "bf16[200,300] bf16[300,250]", "bf16[200,250]",
     R"(, backend_config={"alpha_real":2})"},
    {"__cublas$lt$matmul", "f32[200,300] f32[300,250] f32[200,250] f32[250]",
     "(f32[200,250], u8[0])", R"(, backend_config={"beta":1,"epilogue":"BIAS_RELU"})"},
    {"__cublas$gemm", "c64[100,150] c64[150,120] c64[100,120]", "c64[100,120]",
     R"(, backend_config={"beta":1})"},
    {"__cublas$lt$matmul$f8", "f8e4m3fn[200,300] f8e4m3fn[300,250] f32[] f32[]", "f16[200,250]"},
    {"__op$block_scaled_dot",
     "f8e4m3fn[200,320] f8e4m3fn[100,320] f8e8m0fnu[200,10] "
     "f8e8m0fnu[100,10]",
     "f32[200,100]"},
    {"__cudnn$convForward", "f32[1,20,20,8] f32[3,3,8,16]", "(f32[1,20,20,16], u8[0])",
     ", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"__cudnn$convBackwardInput", "bf16[1,20,20,16] bf16[3,3,8,16]", "(bf16[1,20,20,8], u8[0])",
     ", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"__cudnn$convBackwardFilter", "f32[1,20,20,8] f32[1,20,20,16]", "(f32[3,3,8,16], u8[0])",
     ", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"__cudnn$convBiasActivationForward", "f32[1,20,20,8] f32[3,3,8,16] f32[16] f32[1,20,20,16]",
     "(f32[1,20,20,16], u8[0])",
     R"(, window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, )"
     R"(backend_config={"side_input_scale":1,"activation_mode":"kRelu"})"},
    {"TopK", "f32[4,20000]", "(f32[4,10], s32[4,10])"},
    {"PartialReduce", "f32[2,10000] f32[]", "f32[2,16]",
     R"(, called_computations={less}, backend_config={"reduction_dim":1})"},
};

std::string CallText(std::string_view target, std::string_view operands, std::string_view result,
                     std::string_view attributes) {
  std::string body, names;
  for (int k = 0; !operands.empty(); ++k) {
    const size_t end = std::min(operands.find(' '), operands.size());
    body += fmt::format("\n  x{} = {} parameter({})", k, operands.substr(0, end), k);
    names += fmt::format("{}x{}", k == 0 ? "" : ", ", k);
    operands.remove_prefix(std::min(end + 1, operands.size()));
  }
  return body + fmt::format("\n  ROOT r = {} custom-call({}), custom_call_target=\"{}\"{}", result,
                            names, target, attributes);
}

}  // namespace

std::vector<NamedProgram> ScratchPrograms() {
  std::vector<NamedProgram> programs;
  const auto add = [&](std::string_view name, std::string_view body) {
    programs.push_back({std::string(name), fmt::format("HloModule program\n{}ENTRY main {{{}\n}}\n",
                                                       kFunctions, body)});
  };
  for (const auto& program : kBodies) add(program.name, program.body);
  for (const auto& call : kCustomCalls) {
    add(call.target, CallText(call.target, call.operands, call.result, call.attributes));
  }
  return programs;
}

}  // namespace hlo::testing

// Odd functions that go to 1, in the registers of AVX-512: the error function and the hyperbolic
// tangent of f32. From 0 to where they are 1 they are cut into pieces of one length, each of which
// has a polynomial around its middle; a vector holds a coefficient of 16 of them, so finding those
// of 16 arguments is an instruction. That of the first piece has no constant term, so small results
// are as exact as large ones. The pieces were fitted at Chebyshev's points. Compiled once for each
// instruction set (the guard toggles).
#if defined(HLOKIT_INTERP_SIMD_VECTOR_ODD_PIECES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLOKIT_INTERP_SIMD_VECTOR_ODD_PIECES_INL_H_
#undef HLOKIT_INTERP_SIMD_VECTOR_ODD_PIECES_INL_H_
#else
#define HLOKIT_INTERP_SIMD_VECTOR_ODD_PIECES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hlo::simd {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3
// Piece k is where k is the integer next to x / step; from `end` on the function is 1.
template <int kPieces, int kDegree>
struct Pieces {
  float step, end;
  alignas(64) float coefficients[kDegree + 1][kPieces];
};

// clang-format off
constexpr Pieces<16, 5> kErfPieces = {0.25f, 3.875f, {
    {0, 0x1.1af54ep-2f, 0x1.0a7ef6p-1f, 0x1.6c1c98p-1f, 0x1.af767ap-1f, 0x1.d8865ep-1f,
     0x1.eea556p-1f, 0x1.f92d08p-1f, 0x1.fd9ae2p-1f, 0x1.ff4048p-1f, 0x1.ffcaa8p-1f,
     0x1.fff2dp-1f, 0x1.fffd1ap-1f, 0x1.ffff7p-1f, 0x1.ffffe8p-1f, 0x1.fffffcp-1f},
    {0x1.20dd76p+0f, 0x1.0f5d16p+0f, 0x1.c1efcap-1f, 0x1.492e42p-1f, 0x1.a911fp-2f,
     0x1.e4653p-3f, 0x1.e72372p-4f, 0x1.b0553p-5f, 0x1.529b9ep-6f, 0x1.d4143ap-8f,
     0x1.1d8318p-9f, 0x1.3360dp-11f, 0x1.2408fp-13f, 0x1.e9b6p-16f, 0x1.6a599p-18f,
     0x1.d93764p-21f},
    {0x1.a79d88p-23f, -0x1.0f5ba2p-2f, -0x1.c1eep-2f, -0x1.edc46ep-2f, -0x1.a9121ap-2f,
     -0x1.2ecp-2f, -0x1.6d5bfap-3f, -0x1.7a4bd6p-4f, -0x1.529bc4p-5f, -0x1.0749b8p-6f,
     -0x1.64dd6ep-8f, -0x1.a695cep-10f, -0x1.b5f20cp-12f, -0x1.8dbcacp-14f, -0x1.3cdff4p-16f,
     -0x1.bb478cp-19f},
    {-0x1.812a72p-2f, -0x1.3c96bp-2f, -0x1.2bf594p-3f, 0x1.b6ddc8p-6f, 0x1.1b6034p-3f,
     0x1.571cbep-3f, 0x1.1c2a5ap-3f, 0x1.7149a2p-4f, 0x1.8b0bdcp-5f, 0x1.63efc6p-6f,
     0x1.119d02p-7f, 0x1.69cc4ep-9f, 0x1.9db016p-11f, 0x1.9a97f6p-13f, 0x1.62bba6p-15f,
     0x1.0b571ep-17f},
    {0x1.00691cp-12f, 0x1.021e9p-3f, 0x1.748dbep-3f, 0x1.3351a8p-3f, 0x1.1bd098p-4f,
     -0x1.7318f2p-8f, -0x1.69a6b6p-5f, -0x1.885478p-5f, -0x1.1a1468p-5f, -0x1.39c54cp-6f,
     -0x1.1caf06p-7f, -0x1.b024cp-9f, -0x1.1654eap-10f, -0x1.330062p-12f, -0x1.23bb22p-14f,
     -0x1.dfbefcp-17f},
    {0x1.c73bc6p-4f, 0x1.4659aap-4f, 0x1.e82d32p-8f, -0x1.b0a364p-5f, -0x1.19edaap-4f,
     -0x1.81ced4p-5f, -0x1.eac212p-7f, 0x1.a8da2p-8f, 0x1.aa4ec4p-7f, 0x1.5cb6p-7f,
     0x1.91bbap-8f, 0x1.6b30aap-9f, 0x1.0ce208p-10f, 0x1.4d3aa8p-12f, 0x1.5e2afp-14f,
     0x1.3aa7e4p-16f},
}};
constexpr Pieces<32, 6> kTanhPieces = {0.28125f, 8.8515625f, {
    {0, 0x1.18a39ap-2f, 0x1.05087p-1f, 0x1.60260ap-1f, 0x1.9e5cb6p-1f, 0x1.c5fce8p-1f,
     0x1.de1eb6p-1f, 0x1.ec6acp-1f, 0x1.f4bfd6p-1f, 0x1.f98f24p-1f, 0x1.fc51f6p-1f,
     0x1.fde668p-1f, 0x1.fecd6cp-1f, 0x1.ff513ap-1f, 0x1.ff9c64p-1f, 0x1.ffc73cp-1f,
     0x1.ffdfa8p-1f, 0x1.ffed92p-1f, 0x1.fff58p-1f, 0x1.fffa04p-1f, 0x1.fffc98p-1f,
     0x1.fffe0ep-1f, 0x1.fffee4p-1f, 0x1.ffff5ep-1f, 0x1.ffffa4p-1f, 0x1.ffffccp-1f,
     0x1.ffffe2p-1f, 0x1.ffffeep-1f, 0x1.fffff6p-1f, 0x1.fffffap-1f, 0x1.fffffcp-1f,
     0x1.fffffep-1f},
    {0x1p+0f, 0x1.d98b36p-1f, 0x1.7aeae8p-1f, 0x1.0dcbbp-1f, 0x1.615002p-2f, 0x1.b5cdfp-3f,
     0x1.06129cp-3f, 0x1.33560cp-4f, 0x1.64108ap-5f, 0x1.999f4ap-6f, 0x1.d553fap-7f,
     0x1.0c3e6cp-7f, 0x1.3238b8p-8f, 0x1.5d4f9cp-9f, 0x1.8e4a9p-10f, 0x1.c60708p-11f,
     0x1.02bec8p-11f, 0x1.26e376p-12f, 0x1.5010aep-13f, 0x1.7efb44p-14f, 0x1.b470eep-15f,
     0x1.f15bep-16f, 0x1.1b636cp-16f, 0x1.42f0dap-17f, 0x1.700356p-18f, 0x1.a3602p-19f,
     0x1.dde7fep-20f, 0x1.104d88p-20f, 0x1.364e9cp-21f, 0x1.619d84p-22f, 0x1.92f7c8p-23f,
     0x1.cb3558p-24f},
    {-0x1.ac689cp-24f, -0x1.038f7p-2f, -0x1.825df8p-2f, -0x1.732028p-2f, -0x1.1defacp-2f,
     -0x1.8432f8p-3f, -0x1.e9763p-4f, -0x1.2794c4p-4f, -0x1.5c3d9p-5f, -0x1.947822p-6f,
     -0x1.d1f472p-7f, -0x1.0b24c4p-7f, -0x1.31815ap-8f, -0x1.5cd86p-9f, -0x1.8dfd12p-10f,
     -0x1.c5d4bp-11f, -0x1.02ae7p-11f, -0x1.26d8d8p-12f, -0x1.5009c8p-13f, -0x1.7ef6cap-14f,
     -0x1.b46e06p-15f, -0x1.f159fcp-16f, -0x1.1b62cep-16f, -0x1.42f074p-17f, -0x1.700314p-18f,
     -0x1.a35ff6p-19f, -0x1.dde7e2p-20f, -0x1.104d8p-20f, -0x1.364e96p-21f, -0x1.619d8p-22f,
     -0x1.92f7c4p-23f, -0x1.cb3556p-24f},
    {-0x1.55532ap-2f, -0x1.e91d92p-3f, -0x1.bd207cp-5f, 0x1.2d8d52p-4f, 0x1.c68ddcp-4f,
     0x1.8c90bap-4f, 0x1.1a5c7cp-4f, 0x1.6ba9aep-5f, 0x1.bbccfep-6f, 0x1.06d704p-6f,
     0x1.32298p-7f, 0x1.6143d2p-8f, 0x1.956e72p-9f, 0x1.cfe222p-10f, 0x1.08ebb2p-10f,
     0x1.2e4a34p-11f, 0x1.58bc6ep-12f, 0x1.89042ap-13f, 0x1.bff9eap-14f, 0x1.fe9198p-15f,
     0x1.22efa8p-15f, 0x1.4b8e42p-16f, 0x1.79d6dp-17f, 0x1.ae9428p-18f, 0x1.eaad42p-19f,
     0x1.17949ep-19f, 0x1.3e99eap-20f, 0x1.6b114cp-21f, 0x1.9dbd5cp-22f, 0x1.d77bd8p-23f,
     0x1.0ca4b8p-23f, 0x1.32230ap-24f},
    {-0x1.08a8bcp-12f, 0x1.33119cp-3f, 0x1.3a4d1ap-3f, 0x1.1f6e5ep-4f, 0x1.ac5074p-9f,
     -0x1.73504p-6f, -0x1.9215b4p-6f, -0x1.3165bp-6f, -0x1.93c708p-7f, -0x1.f2d80ap-8f,
     -0x1.2949f6p-8f, -0x1.5b7184p-9f, -0x1.91a124p-10f, -0x1.cd682ep-11f, -0x1.081d94p-11f,
     -0x1.2dc454p-12f, -0x1.586594p-13f, -0x1.88cbe4p-14f, -0x1.bfd588p-15f, -0x1.fe7a26p-16f,
     -0x1.22e826p-16f, -0x1.4b898p-17f, -0x1.79d3dcp-18f, -0x1.ae9264p-19f, -0x1.eaac4ap-20f,
     -0x1.179466p-20f, -0x1.3e99e4p-21f, -0x1.6b116ap-22f, -0x1.9dbd94p-23f, -0x1.d77c28p-24f,
     -0x1.0ca4eap-24f, -0x1.322348p-25f},
    {0x1.183304p-3f, 0x1.e1cc58p-5f, -0x1.5d3d68p-5f, -0x1.f09ddep-5f, -0x1.069c0ep-5f,
     -0x1.f1291cp-8f, 0x1.61ca48p-9f, 0x1.389e18p-8f, 0x1.05258cp-8f, 0x1.65720ap-9f,
     0x1.c08cbp-10f, 0x1.0d68f4p-10f, 0x1.3c2a0ep-11f, 0x1.6e4c3ep-12f, 0x1.a55864p-13f,
     0x1.e2b53cp-14f, 0x1.13dedep-14f, 0x1.3ae9d4p-15f, 0x1.67374p-16f, 0x1.999408p-17f,
     0x1.d2e3b6p-18f, 0x1.0a12ep-18f, 0x1.2f3d6p-19f, 0x1.5994f6p-20f, 0x1.89d39p-21f,
     0x1.c0ccb4p-22f, 0x1.ff7132p-23f, 0x1.2369acp-23f, 0x1.4c15cep-24f, 0x1.7a6fp-25f,
     0x1.af401cp-26f, 0x1.eb7042p-27f},
    {-0x1.6cab76p-6f, -0x1.21eb78p-4f, -0x1.30fff4p-5f, 0x1.4ea7d2p-7f, 0x1.2e70a4p-6f,
     0x1.460f5p-7f, 0x1.83fe48p-9f, 0x1.ad7c7ep-17f, -0x1.7ff7d6p-11f, -0x1.6f0e7ep-11f,
     -0x1.05d196p-11f, -0x1.4e54a6p-12f, -0x1.95059p-13f, -0x1.dd67b8p-14f, -0x1.15365ep-14f,
     -0x1.3f4ae4p-15f, -0x1.6e1024p-16f, -0x1.a296dp-17f, -0x1.ddf176p-18f, -0x1.10a086p-18f,
     -0x1.36df94p-19f, -0x1.626374p-20f, -0x1.93ee98p-21f, -0x1.cc5c68p-22f, -0x1.0652c2p-22f,
     -0x1.2af22cp-23f, -0x1.54ad0ap-24f, -0x1.843a36p-25f, -0x1.ba69eap-26f, -0x1.f82958p-27f,
     -0x1.1f4362p-27f, -0x1.475b1p-28f},
}};
// clang-format on

template <int kDegree>
HWY_INLINE __m512 CoefficientOf(const Pieces<16, kDegree>& pieces, int power, __m512i numbers) {
  return _mm512_permutexvar_ps(numbers, _mm512_load_ps(pieces.coefficients[power]));
}
template <int kDegree>
HWY_INLINE __m512 CoefficientOf(const Pieces<32, kDegree>& pieces, int power, __m512i numbers) {
  const float* row = pieces.coefficients[power];
  return _mm512_permutex2var_ps(_mm512_load_ps(row), numbers, _mm512_load_ps(row + 16));
}

template <int kPieces, int kDegree>
HWY_INLINE __m512 ByPieces(const Pieces<kPieces, kDegree>& pieces, __m512 x) {
  const __m512 end = _mm512_set1_ps(pieces.end);
  // NaN stays, being the second operand.
  const __m512 y = _mm512_min_ps(end, _mm512_abs_ps(x));
  // A sum whose last bits are the number of the piece: floats from 2^23 on are integers.
  const __m512 shift = _mm512_set1_ps(0x1.8p23f);
  const __m512 shifted = _mm512_fmadd_ps(y, _mm512_set1_ps(1 / pieces.step), shift);
  const __m512i numbers = _mm512_castps_si512(shifted);
  const __m512 t = _mm512_fnmadd_ps(_mm512_sub_ps(shifted, shift), _mm512_set1_ps(pieces.step), y);
  __m512 value = CoefficientOf(pieces, kDegree, numbers);
  for (int power = kDegree; power-- > 0;) {
    value = _mm512_fmadd_ps(value, t, CoefficientOf(pieces, power, numbers));
  }
  value = _mm512_mask_mov_ps(value, _mm512_cmp_ps_mask(y, end, _CMP_EQ_OQ), _mm512_set1_ps(1));
  return _mm512_or_ps(value, _mm512_and_ps(x, _mm512_set1_ps(-0.0f)));
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace hlo::simd
HWY_AFTER_NAMESPACE();

#endif  // HLOKIT_INTERP_SIMD_VECTOR_ODD_PIECES_INL_H_

// What a thread does that looks again and again for what another one is about to do.
#ifndef HLOKIT_SUPPORT_RELAX_H_
#define HLOKIT_SUPPORT_RELAX_H_

namespace hlo {

// Tells the processor, not the system: whoever shares the core gets more of it.
inline void Relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace hlo

#endif  // HLOKIT_SUPPORT_RELAX_H_

// What the thread sanitizer has to hear of a thread that changes between stacks, to tell accesses
// on one of them from those on another. Without that sanitizer nothing is done.
#ifndef HLOKIT_INTERP_REPLICA_FOLLOWED_FIBER_H_
#define HLOKIT_INTERP_REPLICA_FOLLOWED_FIBER_H_

#if defined(__SANITIZE_THREAD__)
#define HLO_FOLLOWS_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HLO_FOLLOWS_FIBERS 1
#endif
#endif

#ifdef HLO_FOLLOWS_FIBERS
#include <sanitizer/tsan_interface.h>
#endif

namespace hlo {

class FollowedFiber {
 public:
#ifdef HLO_FOLLOWS_FIBERS
  // The stack that the thread is on.
  void BecomeCurrent() { handle_ = __tsan_get_current_fiber(); }
  // A stack that nothing has run on yet.
  void BecomeNew() { handle_ = __tsan_create_fiber(0); }
  // The very next thing is the change to it.
  void Enter() const { __tsan_switch_to_fiber(handle_, 0); }
  // One that was new, when it is left for ever.
  void End() { __tsan_destroy_fiber(handle_); }

 private:
  void* handle_ = nullptr;
#else
  void BecomeCurrent() {}
  void BecomeNew() {}
  void Enter() const {}
  void End() {}
#endif
};

}  // namespace hlo

#endif  // HLOKIT_INTERP_REPLICA_FOLLOWED_FIBER_H_

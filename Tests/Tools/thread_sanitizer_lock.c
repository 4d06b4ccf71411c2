// Preloaded into a program that the thread sanitizer watches, tells it of the locks of Swift's Mutex. For Linux.
//
// A lock that is free is taken by atomics in the code of the caller, which the sanitizer sees. One that is held is
// waited for in libswiftSynchronization, which is not built with the sanitizer: what such a lock protects would be
// reported as a race.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *mutex

// Methods of Synchronization._MutexHandle (Swift 6.0 to 6.3): _lockSlow(UInt32), _tryLockSlow() -> Bool, _unlockSlow().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void unlock(SELF) __asm__(UNLOCK);

// Not there in programs without the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lock(uint32_t thread, SELF) {
  SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  real(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF) {
  SWIFT bool (*real)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
  bool is_taken = real(mutex);
  if (is_taken && __tsan_acquire) __tsan_acquire(mutex);
  return is_taken;
}

SWIFT void unlock(SELF) {
  SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  real(mutex);
}

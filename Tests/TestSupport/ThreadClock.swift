import Foundation

#if canImport(CDispatch)
  // Where timespec comes from, by the rules of member imports on Linux.
  import CDispatch
#endif

/// Seconds of the processor that this thread has used: what it computed, not what it waited for others.
public var threadSeconds: Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
}

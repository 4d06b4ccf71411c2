import Foundation
import Synchronization

/// Files and folders that are being written beside the place that they will take, and must not stay
/// behind when the command is ended before.
enum Drafts {
  /// C strings, for a signal handler may not ask for memory.
  private static let paths = Mutex<[UnsafeMutablePointer<CChar>]>([])
  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// Remembers a file, or an empty folder before the files that come into it.
  static func watch(_ path: String) {
    _ = listening
    paths.withLock { paths in
      if let copy = strdup(path) { paths.append(copy) }
    }
  }

  /// Forgets one that is complete, or removed.
  static func forget(_ path: String) {
    paths.withLock { paths in
      guard let index = paths.lastIndex(where: { strcmp($0, path) == 0 }) else { return }
      free(paths.remove(at: index))
    }
  }

  /// Removes all that are remembered, the last first.
  ///
  /// A signal handler calls it, at any moment: it waits for nothing and asks for nothing. Where the
  /// signal meets a draft that is just being remembered, they stay behind.
  static func remove() {
    _ = paths.withLockIfAvailable { paths in
      var index = paths.count
      while index > 0 {
        index -= 1
        if unlink(paths[index]) != 0 { rmdir(paths[index]) }
      }
    }
  }

  /// Removes them when a signal comes, which then ends the command as it would have; once.
  private static let listening: Void = {
    for number in endings {
      let earlier = signal(number) { number in
        remove()
        // It is held back until the handler returns.
        signal(number, SIG_DFL)
        raise(number)
      }
      // As nohup has it.
      if isIgnoring(earlier) { signal(number, SIG_IGN) }
    }
  }()

  private static func isIgnoring(_ action: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

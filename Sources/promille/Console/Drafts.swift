import Dispatch
import Foundation
import Synchronization

/// Files and folders that are being written beside the place that they will take, and must not stay
/// behind when the command is ended before.
enum Drafts {
  private static let paths = Mutex<Set<String>>([])
  private static let signals = Mutex<[any DispatchSourceSignal]>([])

  /// Remembers a file or folder.
  static func watch(_ path: String) {
    paths.withLock { _ = $0.insert(path) }
    signals.withLock { sources in
      if sources.isEmpty { sources = [SIGINT, SIGTERM, SIGHUP].compactMap(source) }
    }
  }

  /// Forgets one that is complete, or removed.
  static func forget(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }

  /// Removes all that are remembered.
  static func remove() {
    paths.withLock { paths in
      for path in paths { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  /// Removes them when a signal comes, and then lets it end the command as it would have; nil where
  /// whoever started the command has it ignored.
  private static func source(_ number: Int32) -> (any DispatchSourceSignal)? {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0, !action.isIgnored else { return nil }
    // A queue whose threads no fit takes.
    let source = DispatchSource.makeSignalSource(
      signal: number, queue: .global(qos: .userInteractive))
    source.setEventHandler {
      remove()
      signal(number, SIG_DFL)
      // Some threads, and all of a process that was started so, have it blocked.
      var itself = sigset_t()
      sigemptyset(&itself)
      sigaddset(&itself, number)
      pthread_sigmask(SIG_UNBLOCK, &itself, nil)
      raise(number)
    }
    source.activate()
    // A source is told of signals; it does not keep them from ending the process.
    signal(number, SIG_IGN)
    return source
  }
}

extension sigaction {
  fileprivate var isIgnored: Bool {
    #if canImport(Darwin)
      let handler = __sigaction_u.__sa_handler
    #else
      let handler = __sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

import Foundation
import Synchronization

/// A reader who has gone before the end, as `head` does.
///
/// The command then ends as others do, by the signal and without a word. It is not left to the
/// system, because files that have been begun would stay behind.
enum BrokenPipe {
  private static let drafts = Mutex<Set<String>>([])

  /// Lets writing fail instead of ending the command at once.
  static func expect() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Remembers a file that must not stay behind.
  static func watch(_ draft: String) {
    drafts.withLock { _ = $0.insert(draft) }
  }

  /// Forgets a file that is complete, or removed.
  static func forget(_ draft: String) {
    drafts.withLock { _ = $0.remove(draft) }
  }

  /// Ends the command if this is why a result could not be written.
  static func endIfCause(of error: any Error) {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain, cause.code == Int(EPIPE) else { return }
    drafts.withLock { for draft in $0 { unlink(draft) } }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}

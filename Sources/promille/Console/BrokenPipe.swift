import Foundation

/// A reader who has gone before the end, as `head` does.
///
/// The command then ends as others do, by the signal and without a word. It is not left to the
/// system, because files that have been begun would stay behind.
enum BrokenPipe {
  /// Lets writing fail instead of ending the command at once.
  static func expect() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Ends the command if this is why a result could not be written.
  static func endIfCause(of error: any Error) {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain, cause.code == Int(EPIPE) else { return }
    Drafts.remove()
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}

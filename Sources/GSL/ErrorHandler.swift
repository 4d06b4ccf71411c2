internal import CGSL

/// GSL's global error handler, which calls `abort()` until somebody switches it off.
///
/// Every entry point of this module calls ``disable()`` before its first GSL call; errors then
/// come back as status codes and become ``GSLError``.
enum ErrorHandler {
  /// A static `let` runs once, whichever thread comes first.
  private static let isDisabled: Bool = {
    gsl_set_error_handler_off()
    return true
  }()

  /// Makes sure that a GSL error cannot end the process.
  static func disable() {
    _ = isDisabled
  }
}

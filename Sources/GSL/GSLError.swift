internal import CGSL

/// An error reported by GSL, or by this module's checks of arguments before GSL is called.
///
/// The codes, names and messages are those of GSL's `gsl_errno.h`.
package struct GSLError: Error, Hashable, Sendable {
  /// GSL's number for this kind of error, such as 4 for `GSL_EINVAL`.
  package let code: Int32

  /// The cause in this call; empty if GSL does not state it.
  package let reason: String

  /// Creates an error from a GSL status code.
  package init(code: Int32, reason: String = "") {
    self.code = code
    self.reason = reason
  }

  /// The symbolic name of the code in GSL's headers, such as `"GSL_EINVAL"`.
  ///
  /// A code that GSL does not define is named `"GSL_UNKNOWN"`.
  package var name: String {
    let index = Int(code) + 2
    return "GSL_" + (Self.names.indices.contains(index) ? Self.names[index] : "UNKNOWN")
  }

  /// GSL's own text for the code, from `gsl_strerror`.
  package var message: String {
    String(cString: gsl_strerror(code))
  }

  /// The names, in the order of the codes, from -2.
  private static let names = [
    "CONTINUE", "FAILURE", "SUCCESS", "EDOM", "ERANGE", "EFAULT", "EINVAL", "EFAILED", "EFACTOR",
    "ESANITY", "ENOMEM", "EBADFUNC", "ERUNAWAY", "EMAXITER", "EZERODIV", "EBADTOL", "ETOL",
    "EUNDRFLW", "EOVRFLW", "ELOSS", "EROUND", "EBADLEN", "ENOTSQR", "ESING", "EDIVERGE", "EUNSUP",
    "EUNIMPL", "ECACHE", "ETABLE", "ENOPROG", "ENOPROGJ", "ETOLF", "ETOLX", "ETOLG", "EOF",
  ]
}

extension GSLError: CustomStringConvertible {
  /// Name, GSL's message and the reason in one line.
  package var description: String {
    reason.isEmpty ? "\(name): \(message)" : "\(name): \(message): \(reason)"
  }
}

extension GSLError {
  /// Creates an error for an invalid argument.
  static func invalid(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_EINVAL), reason: reason)
  }

  /// Creates an error for an array of the wrong length.
  static func badLength(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_EBADLEN), reason: reason)
  }

  /// Creates an error for memory that could not be allocated.
  static func outOfMemory(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_ENOMEM), reason: reason)
  }
}

/// GSL's global error handler, which calls `abort()` unless it is switched off.
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

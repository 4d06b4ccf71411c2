internal import CGSL

/// A refusal by GSL, or by this module on GSL's behalf before any harm is done.
///
/// The codes, names and messages are those of GSL's `gsl_errno.h`.
public struct GSLError: Error, Hashable, Sendable {
  /// GSL's number for this kind of error, such as 4 for `GSL_EINVAL`.
  public let code: Int32

  /// What was wrong in this very call, or the empty string if GSL did not say.
  public let reason: String

  /// Creates an error from a GSL status code.
  ///
  /// - Parameters:
  ///   - code: a value of GSL's error enumeration.
  ///   - reason: what was wrong in this very call, as a sentence without a full stop.
  public init(code: Int32, reason: String = "") {
    self.code = code
    self.reason = reason
  }

  /// The symbolic name of the code in GSL's headers, such as `"GSL_EINVAL"`.
  ///
  /// A code that GSL does not define is named `"GSL_UNKNOWN"`.
  public var name: String {
    Self.names[code] ?? "GSL_UNKNOWN"
  }

  /// GSL's own text for the code, from `gsl_strerror`.
  public var message: String {
    String(cString: gsl_strerror(code))
  }

  private static let names: [Int32: String] = [
    -2: "GSL_CONTINUE",
    -1: "GSL_FAILURE",
    0: "GSL_SUCCESS",
    1: "GSL_EDOM",
    2: "GSL_ERANGE",
    3: "GSL_EFAULT",
    4: "GSL_EINVAL",
    5: "GSL_EFAILED",
    6: "GSL_EFACTOR",
    7: "GSL_ESANITY",
    8: "GSL_ENOMEM",
    9: "GSL_EBADFUNC",
    10: "GSL_ERUNAWAY",
    11: "GSL_EMAXITER",
    12: "GSL_EZERODIV",
    13: "GSL_EBADTOL",
    14: "GSL_ETOL",
    15: "GSL_EUNDRFLW",
    16: "GSL_EOVRFLW",
    17: "GSL_ELOSS",
    18: "GSL_EROUND",
    19: "GSL_EBADLEN",
    20: "GSL_ENOTSQR",
    21: "GSL_ESING",
    22: "GSL_EDIVERGE",
    23: "GSL_EUNSUP",
    24: "GSL_EUNIMPL",
    25: "GSL_ECACHE",
    26: "GSL_ETABLE",
    27: "GSL_ENOPROG",
    28: "GSL_ENOPROGJ",
    29: "GSL_ETOLF",
    30: "GSL_ETOLX",
    31: "GSL_ETOLG",
    32: "GSL_EOF",
  ]
}

extension GSLError: CustomStringConvertible {
  /// Name, GSL's message and the reason in one line.
  public var description: String {
    reason.isEmpty ? "\(name): \(message)" : "\(name): \(message): \(reason)"
  }
}

extension GSLError {
  /// An argument that cannot be used.
  static func invalid(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_EINVAL), reason: reason)
  }

  /// An array whose length does not fit.
  static func badLength(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_EBADLEN), reason: reason)
  }

  /// Memory that the system did not give.
  static func outOfMemory(_ reason: String) -> GSLError {
    GSLError(code: Int32(GSL_ENOMEM), reason: reason)
  }
}

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

import AlcoholKinetics
import ArgumentParser
import Estimation

/// Whether the errors of neighbouring readings go together, by name, the time constant behind a colon
/// if it is not to be estimated.
struct CorrelationChoice: CustomStringConvertible {
  let correlation: ErrorCorrelation
  /// As it was given.
  let description: String

  /// Each error for itself.
  static let none = CorrelationChoice()

  private init() {
    correlation = .independent
    description = correlation.name
  }

  init(parsing argument: String) throws {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts.first, parts.count) {
    case ("none", 1): correlation = .independent
    case ("exponential", 1): correlation = .exponential(time: nil)
    case ("exponential", _):
      guard let minutes = Double(parts[1]), minutes > 0, minutes.isFinite else {
        throw ValidationError("'\(parts[1])' is not a positive number of minutes.")
      }
      correlation = .exponential(time: Hours(minutes: minutes))
    default:
      throw ValidationError("choose none, exponential, or exponential:MIN.")
    }
    description = argument
  }
}

import AlcoholKinetics
import ArgumentParser
import Estimation

/// A parameter that is held at a value, as `NAME=VALUE`.
struct FixedParameter {
  let parameter: FitParameter
  /// In the library's unit.
  let value: Double
  /// As it was given.
  let text: String

  init(parsing argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw ValidationError("it must be NAME=VALUE, for example ka=18.")
    }
    parameter = try FitParameter(argument: parts[0])
    value = try parameter.value(ofArgument: parts[1])
    text = argument
  }
}

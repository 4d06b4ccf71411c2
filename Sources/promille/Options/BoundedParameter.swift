import AlcoholKinetics
import ArgumentParser
import Estimation

/// The range in which a parameter is looked for, as `NAME=LOW:HIGH`.
struct BoundedParameter {
  let parameter: FitParameter
  /// In the library's unit.
  let range: ClosedRange<Double>
  /// As it was given.
  let text: String

  init(parsing argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let ends = parts.last?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard parts.count == 2, ends.count == 2 else {
      throw ValidationError("it must be NAME=LOW:HIGH, for example ka=0.5:30.")
    }
    parameter = try FitParameter(argument: parts[0])
    let low = try parameter.value(ofArgument: ends[0])
    let high = try parameter.value(ofArgument: ends[1])
    guard low < high else { throw ValidationError("\(ends[0]) is not below \(ends[1]).") }
    range = low...high
    text = argument
  }
}

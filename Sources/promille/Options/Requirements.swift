import ArgumentParser
import Reporting
import StudyData
import StudyFiles

extension Sequence {
  /// Refuses values of an option that may be repeated, but not for the same thing.
  func requireDifferent(_ option: String, _ name: (Element) -> String) throws {
    var names: Set<String> = []
    for value in self where !names.insert(name(value)).inserted {
      throw ValidationError("\(option) names \(name(value)) twice.")
    }
  }
}

/// Refuses what the library would refuse, before anything is read.
func refusing<Failure: Error>(_ check: () throws(Failure) -> Void) throws {
  do throws(Failure) {
    try check()
  } catch {
    let reason = "\(error)"
    throw ValidationError(reason.hasSuffix(".") ? reason : reason + ".")
  }
}

/// Checks of options, which all refuse in the same words. An option that was not given passes.
extension ParsableArguments {
  /// Refuses options that do not go together.
  func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    if !holds { throw ValidationError(message()) }
  }

  func require(_ option: String, _ value: Int?, in range: ClosedRange<Int>) throws {
    guard let value else { return }
    try require(
      range.contains(value),
      "\(option) is \(value); it must be from \(range.lowerBound) to \(range.upperBound).")
  }

  func require(_ option: String, _ value: Double?, in range: ClosedRange<Double>) throws {
    guard let value else { return }
    let low = NumberStyle.exact(range.lowerBound)
    let high = NumberStyle.exact(range.upperBound)
    try require(
      range.contains(value), "\(option) is \(value); it must be from \(low) to \(high).")
  }

  func requirePositive(_ option: String, _ value: Double?) throws {
    guard let value else { return }
    try require(
      value > 0 && value.isFinite, "\(option) is \(value); it must be a positive number.")
  }

  /// Refuses negative numbers, and what is no number.
  func requireNotNegative(_ option: String, _ value: Double?) throws {
    guard let value else { return }
    try require(value >= 0 && value.isFinite, "\(option) is \(value); it must be 0 or more.")
  }

  /// Refuses what is no confidence level; a small number is probably meant as the error rate.
  func requireLevel(_ level: Double) throws {
    try require(
      level >= 0.5 && level < 1,
      "--level is \(level); it must be from 0.5 to below 1, for example 0.95.")
  }
}

/// Reads numbers of options as people write them: with a decimal comma, and with a unit where the option is a measure.
enum WrittenValue {
  /// A number without a unit.
  static func number(_ text: String) throws -> Double {
    guard let quantity = ParsedQuantity(text) else { throw notANumber(text) }
    if let unit = quantity.unit {
      throw ValidationError(
        "it is a number, and its unit \(unit.debugDescription) is stated elsewhere.")
    }
    return quantity.number
  }

  static func weight(_ text: String) throws -> Double { try value(text, of: .weight) }
  static func height(_ text: String) throws -> Double { try value(text, of: .height) }
  static func age(_ text: String) throws -> Double { try value(text, of: .age) }

  private static func value(
    _ text: String, of measure: ParsedQuantity.Measure
  ) throws -> Double {
    guard let quantity = ParsedQuantity(text), let value = quantity.value(of: measure) else {
      throw ValidationError(
        "it is in \(measure.unit) or has its unit behind it: \(measure.examples).")
    }
    return value
  }

  private static func notANumber(_ text: String) -> ValidationError {
    ValidationError(
      "it is a number, such as 0.95 or 0,95\(text.contains(",") ? "; not with a comma between thousands" : "")."
    )
  }
}

import ArgumentParser
import StudyData
import StudyFiles

/// Reads numbers of options as people write them: with a decimal comma, and with a unit where the option is a measure.
enum WrittenValue {
  /// A number without a unit.
  static func number(_ text: String) throws -> Double {
    guard let quantity = WrittenQuantity(text) else { throw notANumber(text) }
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
    _ text: String, of measure: WrittenQuantity.Measure
  ) throws -> Double {
    guard let quantity = WrittenQuantity(text), let value = quantity.value(of: measure) else {
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

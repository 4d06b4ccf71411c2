import ArgumentParser
import Estimation

/// An error model by name, its parameters behind a colon if they are not to be estimated.
struct ErrorModelChoice: CustomStringConvertible {
  let model: ErrorModel
  /// As it was given.
  let description: String

  /// Errors of one size, which is estimated.
  static let additive = ErrorModelChoice(.additive(sd: nil))

  private init(_ model: ErrorModel) {
    self.model = model
    description = model.name
  }

  init(parsing argument: String) throws {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let values = try parts.dropFirst().flatMap(Self.values)
    switch (parts.first, values.count) {
    case ("additive", 0...1): model = .additive(sd: values.first)
    case ("proportional", 0...1): model = .proportional(cv: values.first)
    case ("combined", 0): model = .combined(nil)
    case ("combined", 2): model = .combined(CombinedError(sd: values[0], cv: values[1]))
    case ("instrument", 0): model = .instrument
    case ("additive", _), ("proportional", _), ("combined", _), ("instrument", _):
      throw ValidationError(
        "additive:SD and proportional:CV take one value, combined:SD,CV two, instrument none.")
    default:
      throw ValidationError("choose additive, proportional, combined or instrument.")
    }
    description = argument
  }

  private static func values(_ list: Substring) throws -> [Double] {
    try list.split(separator: ",", omittingEmptySubsequences: false).map { text in
      guard let value = Double(text), value > 0, value.isFinite else {
        throw ValidationError("'\(text)' is not a positive number.")
      }
      return value
    }
  }
}

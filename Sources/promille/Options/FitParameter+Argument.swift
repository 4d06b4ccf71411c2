import AlcoholKinetics
import ArgumentParser
import Estimation

extension FitParameter {
  /// All names, for help and messages.
  static let names = allCases.sorted().map(\.rawValue).joined(separator: ", ")

  /// The parameter of a name on the command line.
  init(argument name: some StringProtocol) throws {
    guard let parameter = FitParameter(rawValue: String(name)) else {
      throw ValidationError("there is no parameter '\(name)'; choose from \(Self.names).")
    }
    self = parameter
  }

  /// The value that a text on the command line stands for. There a lag is in min, as all times are;
  /// the library has it in h.
  func value(ofArgument text: some StringProtocol) throws -> Double {
    guard let value = Double(text), value.isFinite, value > 0 || (value == 0 && self == .lag) else {
      let wanted = self == .lag ? "a number of min, 0 or more" : "a positive number"
      throw ValidationError("'\(text)' is not a value of \(rawValue); it must be \(wanted).")
    }
    return self == .lag ? Hours(minutes: value).value : value
  }
}

import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

extension FitParameter {
  /// All names, for help and messages.
  static let names = allCases.map(\.rawValue).joined(separator: ", ")

  /// What unit each has on the command line, as in "ka and ke in 1/h".
  static let unitsInWords: String = {
    let units = allCases.map(\.reportedUnit).filter { !$0.isEmpty }
    let different = units.indices.filter { units.firstIndex(of: units[$0]) == $0 }.map { units[$0] }
    return different.map { unit in
      let names = allCases.filter { $0.reportedUnit == unit }.map(\.rawValue)
      return names.joined(separator: " and ") + " in \(unit)"
    }.joined(separator: ", ")
  }()

  /// What each is held at unless something else is said.
  static let usualValuesInWords = allCases.compactMap { parameter in
    parameter.traits.usualValue.map { "\(parameter.rawValue)=\(parameter.text($0))" }
  }.joined(separator: ", ")

  /// Where each is looked for unless told otherwise.
  static let boundsInWords = allCases.map { parameter in
    let bounds = parameter.defaultBounds
    return
      "\(parameter.rawValue)=\(parameter.text(bounds.lowerBound)):\(parameter.text(bounds.upperBound))"
  }.joined(separator: ", ")

  /// The parameter of a name on the command line.
  init(argument name: some StringProtocol) throws {
    guard let parameter = FitParameter(rawValue: String(name)) else {
      throw ValidationError("there is no parameter '\(name)'; choose from \(Self.names).")
    }
    self = parameter
  }

  /// The value that a text on the command line stands for, in the library's unit.
  func value(ofArgument text: some StringProtocol) throws -> Double {
    guard let value = Double(text), allows(value) else {
      let wanted =
        switch (traits.isTime, traits.canBeZero) {
        case (true, _): "a number of min, 0 or more"
        case (false, true): "0 or a positive number"
        case (false, false): "a positive number"
        }
      throw ValidationError("'\(text)' is not a value of \(rawValue); it must be \(wanted).")
    }
    return self.value(reported: value)
  }

  /// A value as the command line has it.
  private func text(_ value: Double) -> String { NumberStyle.exact(reportedValue(value)) }
}

extension EliminationModel {
  /// How ethanol is eliminated by each model, for help.
  static let ratesInWords = allCases.map { "\($0.rawValue) \($0.kinetics.rate)" }
    .joined(separator: ", ")

  /// What is estimated of each model unless told otherwise.
  static let estimatesInWords = allCases.map { model in
    let names = model.defaultEstimate.sorted().map(\.rawValue).joined(separator: ",")
    return model == .widmark ? names : "\(model.rawValue) \(names)"
  }.joined(separator: "; ")
}

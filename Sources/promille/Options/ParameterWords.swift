import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

extension FitParameter {
  /// The unit of each on the command line, as in "ka and ke in 1/h".
  static let unitsInWords: String = {
    let units = allCases.map(\.reportedUnit).filter { !$0.isEmpty }
    let different = units.indices.filter { units.firstIndex(of: units[$0]) == $0 }.map { units[$0] }
    return different.map { unit in
      let names = allCases.filter { $0.reportedUnit == unit }.map(\.rawValue)
      return names.joined(separator: " and ") + " in \(unit)"
    }.joined(separator: ", ")
  }()

  /// The default value at which each is held.
  static let usualValuesInWords = allCases.compactMap { parameter in
    parameter.traits.usualValue.map { StatedValue(parameter, $0).text }
  }.joined(separator: ", ")

  /// The values of predictions for parameters without an option of their own.
  static let otherTypicalTexts: String = {
    let values = EliminationModel.allCases.flatMap { model in
      TypicalKinetics.fasted.values(
        of: model, for: nil, given: [.ka: 1, .beta: 1, .lag: 0, .gain: 1]
      )
      .filter { ![.ka, .beta, .lag, .gain].contains($0.key) }
    }
    return values.sorted { $0.key < $1.key }.map { StatedValue($0.key, $0.value).text }
      .joined(separator: ", ") + "; lag by --food unless --ka is given"
  }()

  /// The values of predictions and of fits that hold it, by food.
  var typicalTexts: String {
    [TypicalKinetics.fasted, .fed].map { typical in
      let values = Sex.allCases.compactMap {
        typical.values(of: .widmark, for: $0)[self].map {
          NumberStyle.exact(($0 * 1e4).rounded() / 1e4)
        }
      }
      let texts = values.first == values.last ? values.prefix(1) : values[...]
      return "\(typical.rawValue) " + texts.joined(separator: " or ")
    }.joined(separator: ", ") + ", nacar-2021 "
      + (TypicalKinetics.nacar2021.values(of: .widmark, for: nil)[self].map(NumberStyle.exact) ?? "")
  }

  /// The range in which each is looked for by default.
  static let boundsInWords = allCases.map { StatedRange($0, $0.defaultBounds).text }
    .joined(separator: ", ")
}

extension CompletionKind {
  static var parameters: CompletionKind { .list(FitParameter.allNames) }
  /// Completions for NAME=VALUE: the names of parameters.
  static var assignedParameters: CompletionKind {
    .list(FitParameter.allNames.map { $0 + "=" })
  }
}

extension EliminationModel {
  /// The rate of elimination of each model, for help.
  static let ratesInWords = allCases.map { "\($0.rawValue) \($0.kinetics.rate)" }
    .joined(separator: ", ")

  /// The parameters that are estimated by default, by model.
  static let estimatesInWords = allCases.map { model in
    let names = model.defaultEstimate.sorted().map(\.rawValue).joined(separator: ",")
    return model == .widmark ? names : "\(model.rawValue) \(names)"
  }.joined(separator: "; ")
}

import AlcoholKinetics
import Estimation
import Foundation
import Validation

extension PredictionOptions {
  /// What predictions were made with, in lines for people: k_a and beta, or what stands for it, and B
  /// where some method's r depends on it.
  var sourceLines: [String] {
    [kineticsLine] + [spreadLine, Self.waterLine(of: methods)].compactMap(\.self)
  }

  private var kineticsLine: String {
    switch parameters {
    case .given:
      let name = model == .widmark ? "" : "\(model.title). "
      return "\(name)Predicted with \(givenValues)."
    case .fitted:
      return
        "With \(model.kineticSymbols) fitted to the same readings for each r: the best agreement "
        + "possible, not a prediction."
    case .leftOut:
      return "Predicted with the median \(model.kineticSymbols) of all other subjects' fits, for "
        + "each r."
    }
  }

  /// The values of absorption and elimination in words, and what they are typical of if they were not given.
  ///
  /// Where what subjects had eaten decides and may differ between them, both are told.
  var givenValues: String {
    guard case .given(let given) = parameters else { return "" }
    if let typical { return givenValues(typical, given) }
    let kinds = FoodState.allCases.map { givenValues(TypicalKinetics(of: $0), given) }
    guard kinds.count(where: { $0 == kinds.first }) < kinds.count else { return kinds[0] }
    return kinds.joined(separator: "; ") + ", by what the study says of each subject"
  }

  private func givenValues(
    _ typical: TypicalKinetics, _ given: [FitParameter: Double]
  ) -> String {
    let (men, women) = (
      typical.values(of: model, for: .male, given: given),
      typical.values(of: model, for: .female, given: given)
    )
    let values = ([.ka, .lag] + model.defaultEstimate.subtracting([.ka]).sorted())
      .compactMap { (parameter: FitParameter) -> String? in
        guard let value = men[parameter], parameter != .lag || value > 0 else { return nil }
        let number = { (value: Double) in
          NumberStyle.exact((parameter.reportedValue(value) * 1e4).rounded() / 1e4)
        }
        let unit = parameter == .lag ? parameter.reportedUnit : parameter.unit
        let text = "\(parameter.symbol) \(number(value)) \(unit)"
        if parameter == .ka {
          return text + " (half-life \(NumberStyle.significant(2).format(60 * log(2) / value)) min)"
        }
        guard let other = women[parameter], other != value else { return text }
        return text + " (women \(number(other)))"
      }
    let list = values.inWords
    let isGiven = given[.ka] != nil && (model != .widmark || given[.beta] != nil)
    guard !isGiven else { return list + " for all subjects" }
    return list
      + (typical == .nacar2021
        ? ", the values of Nacar (2021)" : ", typical of \(typical.rawValue) people")
  }

  /// The source of intervals of predictions; nil where there are none.
  private var spreadLine: String? {
    if case .fitted = parameters { return nil }
    let symbols = spreadParameters(of: typical ?? .fasted).map(\.symbol)
    let between =
      symbols.isEmpty ? "" : "\(symbols.joined(separator: ", ")) between people, and of "
    return "90 % intervals: the spread of \(between)r about its method (CV 12 to 15 %)."
  }

  /// Which methods' r depends on the water content of blood, and on which basis it is; nil if none.
  static func waterLine(of methods: [any RFactorMethod]) -> String? {
    let ofWater = methods.compactMap { $0 as? any BodyWaterMethod }
    guard let content = ofWater.first?.bloodWater.content else { return nil }
    let names = ofWater.map(\.name).joined(separator: ", ")
    let basis =
      switch content {
      case BloodWater.perLitre.content: " (for g/L; use 0.80 for g/kg)"
      case BloodWater.perKilogram.content: " (for g/kg)"
      default: " (usual: 0.80 for g/kg, 0.844 for g/L)"
      }
    return "r of \(names): body water / (B x weight), B \(NumberStyle.exact(content))\(basis)."
  }
}

import AlcoholKinetics
import Foundation
import Validation

extension PredictionOptions {
  /// What predictions were made with, in lines for people: k_a and beta, or what stands for it, and B
  /// where some method's r depends on it.
  var sourceLines: [String] { [kineticsLine] + [Self.waterLine(of: methods)].compactMap(\.self) }

  /// Where k_a and beta came from.
  private var kineticsLine: String {
    switch parameters {
    case .given:
      let name = model == .widmark ? "" : "\(model.title). "
      return "\(name)Predicted with \(givenValues) for all subjects."
    case .fitted:
      return
        "With \(model.kineticSymbols) fitted to the same readings for each r: the best agreement "
        + "possible, not a prediction."
    case .leftOut:
      return "Predicted with the median \(model.kineticSymbols) of all other subjects' fits, for "
        + "each r."
    }
  }

  /// The values that are the same for everybody, in words.
  var givenValues: String {
    guard case .given(let given) = parameters else { return "" }
    let values = model.defaultEstimate.sorted().compactMap { parameter in
      (given[parameter] ?? parameter.traits.usualValue).map { value in
        let text = "\(parameter.symbol) \(NumberStyle.exact(value)) \(parameter.unit)"
        guard parameter == .ka else { return text }
        return text + " (half-life \(NumberStyle.significant(2).format(60 * log(2) / value)) min)"
      }
    }
    return values.dropLast().joined(separator: ", ") + " and " + (values.last ?? "")
  }

  /// Which methods' r depends on the water content of blood, and on which basis it is; nil if none.
  static func waterLine(of methods: [any RFactorMethod]) -> String? {
    let ofWater = methods.compactMap { $0 as? any BodyWaterMethod }
    guard let content = ofWater.first?.bloodWater.content else { return nil }
    let names = ofWater.map(\.name).joined(separator: ", ")
    let basis =
      switch content {
      case BloodWater.perLitre.content: " (for g/L; use 0.80 for g/kg)"
      case BloodWater.perKilogram.content: " (for g/kg; use 0.844 for g/L)"
      default: " (usual: 0.80 for g/kg, 0.844 for g/L)"
      }
    return "r of \(names): body water / (B x weight), B \(NumberStyle.exact(content))\(basis)."
  }
}

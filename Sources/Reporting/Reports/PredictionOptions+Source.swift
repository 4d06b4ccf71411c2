import AlcoholKinetics
import Foundation
import Validation

extension PredictionOptions {
  /// What predictions were made with, in lines for people: k_a and beta, and B where some method's r
  /// depends on it.
  var sourceLines: [String] { [kineticsLine] + [Self.waterLine(of: methods)].compactMap(\.self) }

  /// Where k_a and beta came from.
  private var kineticsLine: String {
    switch parameters {
    case .given(let ka, let beta):
      let halfLife = NumberStyle.significant(2).format(60 * log(2) / ka.value)
      return "Predicted with k_a \(NumberStyle.exact(ka.value)) /h (half-life \(halfLife) min) and "
        + "beta \(NumberStyle.exact(beta.value)) g/kg/h for all subjects."
    case .fitted:
      return
        "With k_a and beta fitted to the same readings for each r: the best agreement possible, not "
        + "a prediction."
    case .leftOut:
      return "Predicted with the median k_a and beta of all other subjects' fits, for each r."
    }
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

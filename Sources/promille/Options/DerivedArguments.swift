import AlcoholKinetics
import ArgumentParser
import Estimation

/// Which quantities a fit tells beside its parameters.
struct DerivedArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also report quantities of the fitted curve, each with an interval made by --interval: all, or any of "
        + DerivedQuantity.namesInWords
        + ". all includes time-to-threshold if --threshold is given.",
      valueName: "names"), transform: DerivedList.init(parsing:))
  var derived: DerivedList?

  @Option(
    name: .customLong("threshold"),
    help: ArgumentHelp(
      "Also report when the fitted curve comes to this concentration in g/kg for good.",
      valueName: "g/kg"))
  var thresholdGPerKg: Double?

  func validate() throws {
    try requireNotNegative("--threshold", thresholdGPerKg)
    guard
      derived?.isAll ?? true || derived?.names.contains(.timeToThreshold) != true
        || thresholdGPerKg != nil
    else {
      throw ValidationError(
        "--derived time-to-threshold needs a threshold; add --threshold, in g/kg.")
    }
  }

  var options: DerivedOptions { DerivedList.options(derived, thresholdGPerKg) }
}

extension DerivedQuantity {
  static let namesInWords = allCases.map(\.rawValue).joined(separator: ", ")
}

struct DerivedList: TypedValue {
  let names: Set<DerivedQuantity>
  /// Whether all were asked for, whatever they are.
  let isAll: Bool

  static let all = DerivedList(names: Set(DerivedQuantity.allCases), isAll: true)

  private init(names: Set<DerivedQuantity>, isAll: Bool) {
    self.names = names
    self.isAll = isAll
  }

  init(parsing argument: String) throws {
    isAll = argument == "all"
    guard !isAll, argument != "none" else {
      names = isAll ? Set(DerivedQuantity.allCases) : []
      return
    }
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    names = Set(
      try parts.map { part in
        guard let quantity = DerivedQuantity(rawValue: String(part)) else {
          throw ValidationError(
            "\"\(part)\" is not a derived quantity; use all, or any of "
              + DerivedQuantity.namesInWords + ".")
        }
        return quantity
      })
    guard names.count == parts.count else {
      throw ValidationError("a quantity is named twice.")
    }
  }

  /// What was typed, in the order of results.
  var text: String {
    if isAll { return "all" }
    let known = DerivedQuantity.allCases.filter(names.contains).map(\.rawValue)
    return known.isEmpty ? "none" : known.joined(separator: ",")
  }

  /// The options as the library takes them; a threshold asks for the time to it.
  static func options(_ list: DerivedList?, _ threshold: Double?) -> DerivedOptions {
    var names = list?.names ?? []
    if threshold == nil {
      names.remove(.timeToThreshold)
    } else {
      names.insert(.timeToThreshold)
    }
    return DerivedOptions(names, threshold: GramsPerKilogram(threshold ?? 0))
  }
}

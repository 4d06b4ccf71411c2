public import AlcoholKinetics
import Statistics

/// A parameter of a population model, normally distributed on the log scale.
public enum PopulationParameter: Hashable, Sendable {
  /// One of the model's own.
  case kinetic(FitParameter)
  /// The clearance k_e r of first-order elimination, per kg of body weight: in the unit of r, per h.
  case clearance

  /// The symbol that the literature uses.
  public var symbol: String {
    switch self {
    case .kinetic(let parameter): parameter.symbol
    case .clearance: "CL"
    }
  }

  /// The unit of the values; empty for the gain.
  public var unit: String {
    switch self {
    case .kinetic(let parameter): parameter.unit
    case .clearance: "kg/kg/h"
    }
  }
  /// The unit in reports and files: a lag is in min.
  public var reportedUnit: String {
    switch self {
    case .kinetic(let parameter): parameter.reportedUnit
    case .clearance: unit
    }
  }

  /// A value in ``reportedUnit``.
  public func reportedValue(_ value: Double) -> Double {
    switch self {
    case .kinetic(let parameter): parameter.reportedValue(value)
    case .clearance: value
    }
  }

  /// The value of a number in ``reportedUnit``.
  public func value(reported number: Double) -> Double {
    switch self {
    case .kinetic(let parameter): parameter.value(reported: number)
    case .clearance: number
    }
  }

  /// All parameters, in the order of results.
  static let all = FitParameter.allCases.map(PopulationParameter.kinetic) + [.clearance]

  /// The default initial typical value of a search.
  var firstValue: Double {
    switch self {
    case .kinetic(let parameter): parameter.traits.typicalValue
    case .clearance: 0.1
    }
  }
}

extension PopulationParameter: RawRepresentable, Comparable, Codable {
  /// The parameter of a name; nil if there is none.
  public init?(rawValue: String) {
    if rawValue == "cl" {
      self = .clearance
    } else if let parameter = FitParameter(rawValue: rawValue) {
      self = .kinetic(parameter)
    } else {
      return nil
    }
  }

  /// The name.
  public var rawValue: String {
    switch self {
    case .kinetic(let parameter): parameter.rawValue
    case .clearance: "cl"
    }
  }

  /// In the order of results; the clearance is last.
  public static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.kinetic(let left), .kinetic(let right)): left < right
    case (.kinetic, .clearance): true
    default: false
    }
  }
}

/// The parameters of a population model and the kinetic parameters of a curve, whose logarithms are sums and differences of
/// theirs.
struct Structure: Hashable, Sendable {
  let model: EliminationModel
  let parameters: [PopulationParameter]
  /// The kinetic parameters that follow from ``parameters``.
  let kinetic: [FitParameter]
  /// The matrix from the logarithms of the parameters to those of the kinetic parameters.
  let map: Dense

  /// Whether both lists are the same.
  let isPlain: Bool

  init(
    _ model: EliminationModel, _ parameters: [PopulationParameter]
  ) throws(Problem) {
    let sorted = Set(parameters).sorted()
    guard !sorted.isEmpty else { throw .badOptions("no parameter is left to estimate") }
    var kinetic: [FitParameter] = sorted.compactMap {
      if case .kinetic(let parameter) = $0 { parameter } else { nil }
    }
    for parameter in kinetic where !model.parameters.contains(parameter) {
      throw .badOptions("the \(model.rawValue) model has no \(parameter.rawValue)")
    }
    var rows: [FitParameter: [PopulationParameter: Double]] = Dictionary(
      uniqueKeysWithValues: kinetic.map { ($0, [.kinetic($0): 1]) })
    if sorted.contains(.clearance) {
      let ke = FitParameter.ke
      guard model.parameters.contains(ke) else {
        throw .badOptions("only the \(EliminationModel.firstOrder.rawValue) model has a clearance")
      }
      switch (kinetic.contains(ke), kinetic.contains(.r)) {
      case (false, true): rows[ke] = [.clearance: 1, .kinetic(.r): -1]
      case (true, false): rows[.r] = [.clearance: 1, .kinetic(ke): -1]
      default:
        throw .badOptions("a clearance stands beside r or beside ke, from which the other follows")
      }
      kinetic = rows.keys.sorted()
    }
    self.model = model
    self.parameters = sorted
    self.kinetic = kinetic
    isPlain = !sorted.contains(.clearance)
    var map = Dense(kinetic.count, sorted.count)
    for (row, parameter) in kinetic.enumerated() {
      for (column, term) in sorted.enumerated() {
        map[row, column] = rows[parameter]?[term] ?? 0
      }
    }
    self.map = map
  }

  var count: Int { parameters.count }

  /// The logarithms of the kinetic parameters.
  func kinetic(_ logarithms: [Double]) -> [Double] { map * logarithms }

  /// The covariance of the logarithms of the kinetic parameters.
  func kinetic(_ covariance: Dense) -> Dense { map * (covariance * map.transposed) }
}

import RealModule

/// A parameter of the model that a fit can estimate or hold fixed.
///
/// All but the lag are positive and estimated as logarithms, so that no step leads below zero and
/// intervals suit what is never symmetric. The lag can be zero and is estimated as it is.
public enum FitParameter: String, CaseIterable, Comparable, Hashable, Sendable {
  /// The absorption rate constant k_a, in 1/h.
  case ka
  /// The elimination rate beta, in g/kg/h; Widmark's model only.
  case beta
  /// The distribution factor r, in kg/kg.
  case r
  /// The time between drinking and the start of absorption, in h.
  case lag
  /// What the instrument shows for a concentration of 1.
  case gain
  /// The largest rate of elimination V_max, in g/kg/h; Michaelis-Menten model only.
  case vmax
  /// The concentration K_m at which elimination has half that rate, in g/kg; Michaelis-Menten model
  /// only.
  case km

  /// The order of results: k_a, beta, r, lag, gain, V_max, K_m.
  public static func < (left: Self, right: Self) -> Bool {
    left.position < right.position
  }

  /// Where the parameter stands among all.
  var position: Int {
    switch self {
    case .ka: 0
    case .beta: 1
    case .r: 2
    case .lag: 3
    case .gain: 4
    case .vmax: 5
    case .km: 6
    }
  }

  /// The symbol that the literature uses.
  public var symbol: String {
    switch self {
    case .ka: "k_a"
    case .beta: "beta"
    case .r: "r"
    case .lag: "lag"
    case .gain: "gain"
    case .vmax: "V_max"
    case .km: "K_m"
    }
  }

  /// The unit of the values; empty for the gain.
  public var unit: String {
    switch self {
    case .ka: "/h"
    case .beta, .vmax: "g/kg/h"
    case .r: "kg/kg"
    case .lag: "h"
    case .gain: ""
    case .km: "g/kg"
    }
  }

  /// Where a fit looks unless told otherwise, in the parameter's unit.
  ///
  /// Wide enough to hold everybody, and narrow enough that beyond it nothing would change: at
  /// k_a 1000 /h half a drink is absorbed in two and a half seconds.
  public var defaultBounds: ClosedRange<Double> {
    switch self {
    case .ka: 1e-3...1e3
    case .beta, .vmax: 1e-3...10
    case .r: 0.01...10
    case .lag: 0...3
    case .gain: 0.01...100
    case .km: 1e-3...5
    }
  }
}

extension FitParameter {
  /// Whether the fit works with the logarithm.
  package var isLogarithmic: Bool { self != .lag }

  /// The coordinate in which the fit works, of a value.
  package func coordinate(of value: Double) -> Double {
    isLogarithmic ? .log(value) : value
  }

  /// The value at a coordinate.
  package func value(at coordinate: Double) -> Double {
    isLogarithmic ? .exp(coordinate) : coordinate
  }

  /// Turns the standard error of the coordinate into that of the value (delta method).
  func standardError(ofCoordinate error: Double, at value: Double) -> Double {
    isLogarithmic ? error * value : error
  }
}

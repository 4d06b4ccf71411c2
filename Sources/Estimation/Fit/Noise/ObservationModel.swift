public import AlcoholKinetics
import GSL
import RealModule
package import StudyData

/// The distribution of a reading about its prediction, with its limit of detection, as shared by fits, populations,
/// posteriors and forecasts.
///
/// The standard deviation sigma of a reading follows from its prediction f:
///
///     sigma^2 = a^2 + (b l)^2.
///
/// l is f, unless errors are purely proportional (a = 0). Then it has the lower bound
/// F = ``ErrorModel/concentrationFloor``: with u = f / 2 F below 1 it is
///
///     l = 2 F (1/2 + u^3 - u^4 / 2),
///
/// which has continuous second derivatives. With max(f, F) the likelihood would have a kink wherever a prediction crosses
/// F, and searches would not converge there.
///
/// A reading y adds ln sigma^2 + ((y - f) / sigma)^2 to -2 ln L without ln 2 pi, and one below its limit L
/// -2 ln Phi((L - f) / sigma) (M3, Beal 2001).
public struct ObservationModel: Hashable, Sendable {
  /// The standard deviation a at zero, in g/kg.
  public var sd: Double
  /// The coefficient of variation b at high concentrations.
  public var cv: Double

  /// Creates a model from its two parameters.
  public init(sd: Double, cv: Double) {
    self.sd = sd
    self.cv = cv
  }

  /// A parameter by its name.
  package subscript(parameter: ResidualParameter) -> Double {
    get { parameter == .sd ? sd : cv }
    set {
      switch parameter {
      case .sd: sd = newValue
      case .cv: cv = newValue
      }
    }
  }

  /// The constant ln 2 pi that -2 ln L omits for each reading.
  package static let constant = Double.log(2 * .pi)

  /// Returns the level l of a purely proportional error and its derivative by the prediction.
  @usableFromInline
  package static func level(of prediction: Double) -> (level: Double, slope: Double) {
    let twice = 2 * ErrorModel.concentrationFloor
    guard prediction < twice else { return (prediction, 1) }
    let u = prediction / twice
    let square = u * u
    return (twice * (0.5 + square * u * (1 - 0.5 * u)), square * (3 - 2 * u))
  }

  /// Returns sigma^2 at eight predictions, and its derivatives by them, with an a and a b for each.
  ///
  /// - Parameter isFloored: Whether a is zero.
  @inlinable @inline(__always)
  package static func variance(
    of prediction: Lanes, sd: Lanes, cv: Lanes, isFloored: Bool
  ) -> (variance: Lanes, slope: Lanes) {
    var level = prediction
    var slope = Lanes(repeating: 1)
    if isFloored {
      for lane in 0..<Lanes.scalarCount {
        let bent = Self.level(of: prediction[lane])
        level[lane] = bent.level
        slope[lane] = bent.slope
      }
    }
    let proportional = cv * cv
    return (sd * sd + proportional * level * level, 2 * proportional * level * slope)
  }

  /// True if errors are purely proportional.
  package var isFloored: Bool { sd == 0 }

  /// sigma^2 at a prediction.
  package func variance(at prediction: Double) -> Double {
    let level = isFloored ? Self.level(of: prediction).level : prediction
    return sd * sd + cv * cv * level * level
  }

  /// sigma at a prediction, in g/kg.
  package func deviation(at prediction: Double) -> Double {
    guard sd > 0 else { return cv * Self.level(of: prediction).level }
    return cv > 0 ? variance(at: prediction).squareRoot() : sd
  }
}

extension ObservationModel {
  /// Takes the errors from the instrument of a study: a^2 = d^2 / 12 and b^2 = e^2 / 3, d being the smallest step of the
  /// display, in the unit of the readings, and e the declared relative accuracy; 0 for a value that is not stated.
  package init(_ instrument: Instrument?, unit: ConcentrationUnit, _ factors: ConversionFactors) {
    let step = instrument?.resolution.map {
      unit.bloodConcentration(of: $0, using: factors).value
    }
    sd = (step ?? 0) / 12.0.squareRoot()
    cv = (instrument?.relativeAccuracy ?? 0) / 3.0.squareRoot()
  }

  /// True if any error is stated.
  package var isStated: Bool { sd > 0 || cv > 0 }

  /// The lower bound of an estimated standard deviation at zero, in g/kg: that of rounding to the last digit, or
  /// ``ErrorModel/smallestSD``.
  var smallestSD: Double { sd > 0 ? sd : ErrorModel.smallestSD }
}

// MARK: - Likelihood

extension ObservationModel {
  /// The contribution of a reading to -2 ln L for eight predictions.
  @usableFromInline
  package struct Terms {
    /// The contribution, without the ln sigma^2 of a quantified reading.
    @usableFromInline package var cost: Lanes
    /// Its derivative by the prediction, sigma's part included.
    @usableFromInline package var slope: Lanes
    /// The expected half of its second derivative (Almquist, Leander & Jirstrand 2015).
    @usableFromInline package var information: Lanes

    @inlinable @inline(__always)
    init(cost: Lanes, slope: Lanes, information: Lanes) {
      self.cost = cost
      self.slope = slope
      self.information = information
    }
  }

  /// Returns the contribution of a reading to -2 ln L.
  ///
  /// - Parameters:
  ///   - distance: The measured concentration, or the limit, minus the prediction, in g/kg.
  ///   - isCensored: Whether the reading was below its limit.
  ///   - variance: sigma^2.
  ///   - rise: The derivative of sigma^2 by the prediction.
  @inlinable @inline(__always)
  package static func terms(
    _ distance: Lanes, isCensored: Bool, _ variance: Lanes, rise: Lanes
  ) -> Terms {
    if isCensored {
      let sigma = variance.squareRoot()
      let z = distance / sigma
      let hazard = z.map { BelowLimit.hazard($0) }
      let change = -1 / sigma - z * rise / (variance + variance)
      return Terms(
        cost: z.map { BelowLimit.cost($0) }, slope: -2 * hazard * change,
        information: hazard * (hazard + z) * change * change)
    }
    let precision = 1 / variance
    let relative = rise * precision
    return Terms(
      cost: distance * distance * precision,
      slope: relative - distance * precision * (2 + distance * relative),
      information: precision + 0.5 * relative * relative)
  }
}

/// The censored likelihood of a reading below its limit of detection.
@usableFromInline
package enum BelowLimit {
  /// -2 ln Phi(z).
  ///
  /// - Parameter z: The limit minus the prediction, in standard deviations.
  @usableFromInline
  package static func cost(_ z: Double) -> Double { -2 * StandardNormal.logLowerTail(z) }

  /// The inverse Mills ratio phi(z) / Phi(z), half the slope at which the cost falls.
  @usableFromInline
  package static func hazard(_ z: Double) -> Double { StandardNormal.inverseMillsRatio(z) }

  /// Returns the residual whose square is the cost, for a prediction x = -z standard deviations above the limit.
  static func residual(_ x: Double) -> Double { cost(-x).squareRoot() }

  /// Returns the derivative of the residual by x.
  static func slope(_ x: Double) -> Double {
    let residual = residual(x)
    // Far below the limit the reading was certain to be censored and carries no information.
    return residual > 0 ? hazard(-x) / residual : 0
  }

  /// Returns half the second derivative of the cost by x, lambda (lambda + z) at z = -x.
  static func information(_ x: Double) -> Double {
    let lambda = hazard(-x)
    return max(0, lambda * (lambda - x))
  }
}

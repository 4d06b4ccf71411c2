import AlcoholKinetics
public import Estimation
import RealModule

/// A reason not to rely on a population fit, or on a part of it.
public enum PopulationWarning: Hashable, Sendable {
  /// The search ended before it converged, or where the gradient is not zero.
  case notConverged
  /// The likelihood has no curvature at its maximum, so that there are no standard errors.
  case noStandardErrors
  /// Only one start found the minimum; with the lowest OFV of the others.
  case singleStart(lowestOther: Double?)
  /// The interval of a typical value is unlimited or spans more than a factor of 100.
  case notIdentifiable(PopulationParameter, Interval?)
  /// The whole interval of a typical value is outside the plausible range, by the warning of a single subject's fit.
  case implausible(FitWarning)
  /// A typical value is at a bound.
  case atBound(PopulationParameter)
  /// A variance was estimated as zero.
  case varianceAtZero(PopulationFit.Boundary)
  /// The EBEs are nearly zero relative to omega; with the eta shrinkage in percent.
  case shrunk(PopulationParameter, percent: Double)

  /// The stable code of the warning.
  public var code: String {
    switch self {
    case .notConverged: "W_NOT_CONVERGED"
    case .noStandardErrors: "W_NO_STANDARD_ERRORS"
    case .singleStart: "W_SINGLE_START"
    case .notIdentifiable: "W_NOT_IDENTIFIABLE"
    case .implausible(let warning): warning.code
    case .atBound: "W_AT_BOUND"
    case .varianceAtZero: "W_VARIANCE_AT_ZERO"
    case .shrunk: "W_SHRINKAGE"
    }
  }
}

extension PopulationWarning: CustomStringConvertible {
  /// The finding and the remedy.
  public var description: String {
    switch self {
    case .notConverged:
      return "the search did not end in a minimum; try other --starts, or estimate fewer parameters"
    case .noStandardErrors:
      return
        "no standard errors: the likelihood has no curvature at its maximum; estimate fewer parameters"
    case .singleStart(let lowestOther):
      return "only one start found this minimum; "
        + (lowestOther.map {
          "the next ended at OFV \($0.roundedToThousandths). There may be a lower one"
        }
          ?? "no second start was tried")
        + "; try more --starts"
    case .notIdentifiable(let parameter, let interval):
      let name = parameter.rawValue
      let unit = parameter.reportedUnit
      let ends =
        interval.flatMap {
          $0.low > 1e-6 && $0.high < 1e6
            ? "its 95 % interval reaches from \(parameter.reportedValue($0.low).rounded(digits: 2)) to "
              + "\(parameter.reportedValue($0.high).rounded(digits: 2))\(unit.isEmpty ? "" : " \(unit)")"
            : nil
        } ?? "its 95 % interval has no end"
      return
        "the readings do not determine the typical \(name): \(ends). Estimate fewer parameters, or measure more people "
        + "more often"
    case .implausible(let warning): return "the typical \(warning)"
    case .atBound(let parameter):
      return
        "the typical \(parameter.rawValue) is at an end of its range; its interval is meaningless, and the others are "
        + "conditional on this value. Widen the range, or fix \(parameter.rawValue)"
    case .varianceAtZero(let boundary):
      let name = boundary.parameter.rawValue
      let units = boundary.level.units
      let limit =
        boundary.high.map {
          "a variance of ln \(name) up to \($0.rounded(digits: 2)) is possible (95 %)"
        } ?? "how large it may be is not known"
      return
        "the readings do not show that \(units) differ in \(name): its variance is zero, but \(limit). Let "
        + "\(name) be the same for all \(units), or measure more of them"
    case .shrunk(let parameter, let percent):
      let name = parameter.rawValue
      return
        "the random effects of \(name) shrank by \(percent.rounded(digits: 3)) %: the readings do not distinguish anybody's "
        + "\(name) from the typical one. Let it be the same for everybody"
    }
  }
}

extension PopulationFit {
  /// The warnings about the fit; empty if nothing was estimated.
  public var warnings: [PopulationWarning] {
    guard estimatedCount > 0 else { return [] }
    var warnings = [PopulationWarning]()
    if !isConverged { warnings.append(.notConverged) }
    if starts.count(where: isAtBest) < 2 {
      let others = starts.filter { !isAtBest($0) }.compactMap(\.objective)
      warnings.append(.singleStart(lowestOther: others.min()))
    }
    if isUncertaintyWanted {
      if hasStandardErrors {
        warnings += unknownValues.map { .notIdentifiable($0, typicalInterval($1)) }
      } else {
        warnings.append(.noStandardErrors)
      }
    }
    warnings += outsideRanges.map(PopulationWarning.implausible)
    warnings += boundParameters.map(PopulationWarning.atBound)
    warnings += boundaries.map(PopulationWarning.varianceAtZero)
    for (parameter, percent) in zip(model.random, etaShrinkage)
    where percent > Self.largestShrinkage
      && !boundaries.contains(where: { $0.level == .person && $0.parameter == parameter })
    {
      warnings.append(.shrunk(parameter, percent: percent))
    }
    return warnings
  }

  /// The status of the fit; nil if nothing was estimated.
  ///
  /// It is `ok` if a second start found the same minimum (``sameObjective``), the gradient is zero there (a further step
  /// would lower the OFV by less than that), all standard errors exist, every typical value is known to a factor of 100, and
  /// no variance is at zero or completely shrunk. It is `implausible` if a typical value is outside its plausible range.
  public var status: FitStatus? {
    guard estimatedCount > 0 else { return nil }
    if !isConverged { return .notConverged }
    if !outsideRanges.isEmpty { return .implausible }
    return warnings.isEmpty ? .ok : .undetermined
  }

  /// Warnings about typical values whose whole interval is outside the range of the literature.
  private var outsideRanges: [FitWarning] {
    let ranges: [(FitParameter, ClosedRange<Double>, Double, FitWarning)] = [
      (.ka, PlausibleRange.ka, 1, .kaRange),
      (.beta, PlausibleRange.betaPerLitre, model.factors.bloodDensityKgPerL, .betaRange),
      (.r, PlausibleRange.r, 1, .rRange),
    ]
    return ranges.compactMap { parameter, range, unit, warning in
      // Without an interval a value may still be in range.
      guard let index = model.parameters.firstIndex(of: .kinetic(parameter)),
        model.rFactor == nil || parameter != .r, let interval = typicalInterval(index)
      else { return nil }
      let isBelow = interval.high * unit < range.lowerBound
      let isAbove = interval.low * unit > range.upperBound
      return isBelow || isAbove ? warning : nil
    }
  }

  /// The parameters whose typical values are within 1 % of a bound, relative to the range on the log scale.
  private var boundParameters: [PopulationParameter] {
    zip(model.parameters, values.typical).compactMap { parameter, logarithm in
      guard let range = model.bounds[parameter] else { return nil }
      let low = Double.log(range.lowerBound)
      let high = Double.log(range.upperBound)
      let share = (logarithm - low) / (high - low)
      return 0.01...0.99 ~= share ? nil : parameter
    }
  }

  /// The estimated typical values whose interval spans more than ``largestRatio``, with their indices.
  private var unknownValues: [(PopulationParameter, Int)] {
    model.parameters.enumerated().compactMap { index, parameter in
      guard uncertainty?.typical[index] != nil else { return nil }
      let isKnown =
        typicalInterval(index).map { $0.low > 0 && $0.high < Self.largestRatio * $0.low } ?? false
      return isKnown ? nil : (parameter, index)
    }
  }

  /// A typical value is undetermined if its 95 % interval spans more than this factor.
  static let largestRatio = 100.0

  /// With an eta shrinkage above this, in percent, EBEs are rounding errors.
  static let largestShrinkage = 99.0

  private var hasStandardErrors: Bool {
    guard let uncertainty else { return false }
    return uncertainty.conditionNumber.isFinite
      && (uncertainty.typical + uncertainty.residual).allSatisfy { $0?.isFinite ?? true }
      && uncertainty.coefficients.allSatisfy(\.isFinite)
  }
}

extension Double {
  fileprivate var roundedToThousandths: String { ((1000 * self).rounded() / 1000).description }
}

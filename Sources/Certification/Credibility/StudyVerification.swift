import AlcoholKinetics
public import Estimation
public import StudyData

/// What was checked of the calculations on the very series that a report is about.
public struct StudyVerification: Codable, Hashable, Sendable {
  /// How the least-squares engine solves NIST's problems, here and now.
  public let solver: NISTCertification
  /// How far the fitted curves are from an integration.
  public let curves: CurveVerification
  /// How the fits compare with those of GSL alone; nil where they are GSL's themselves.
  public let engines: EngineComparison?

  /// Checks the fits that a report shows.
  ///
  /// - Throws: ``/Estimation/SeriesFailure/solver(_:)`` if GSL could not be run.
  public init(
    of fits: [StudyFit], in study: Study, options: FitOptions, jobs: Int
  ) throws(SeriesFailure) {
    solver = try NISTCertification()
    curves = CurveVerification(of: fits)
    engines =
      options.engine == .gsl
      ? nil
      : try EngineComparison(
        study.name, of: fits, instrument: study.instrument, options: options, jobs: jobs)
  }
}

/// How far curves in closed form are from the same model integrated step by step by GSL.
public struct CurveVerification: Codable, Hashable, Sendable {
  /// No curve may be farther from the integrated one, in g/kg: two orders below the fourth decimal, and as
  /// many above what an integration of ten hours accumulates.
  public static let allowedDifference = 1e-9

  /// How many curves were integrated.
  public private(set) var curves = 0
  /// At how many readings they were compared.
  public private(set) var points = 0
  /// The largest difference between the two, in g/kg.
  public private(set) var largestDifference = 0.0
  /// How many curves GSL could not follow.
  public private(set) var missed = 0

  /// Whether every curve was integrated and none is farther than ``allowedDifference``.
  public var isPassed: Bool { missed == 0 && largestDifference <= Self.allowedDifference }

  /// Integrates the curve of every fit, and compares at its readings.
  public init(of fits: [StudyFit]) {
    for fit in fits {
      guard let parameters = try? fit.result.get().parameters,
        let regimen = try? fit.series.regimen()
      else { continue }
      take(regimen, parameters, fit.series.readings.map(\.time))
    }
  }

  private mutating func take(_ regimen: Regimen, _ parameters: ModelParameters, _ times: [Hours]) {
    guard let curve = try? parameters.curve(of: regimen),
      let integrated = IntegratedCurve(regimen, parameters)
    else { return }
    guard let concentrations = try? integrated.concentrations(at: times) else {
      missed += 1
      return
    }
    curves += 1
    points += times.count
    for (time, concentration) in zip(times, concentrations) {
      // A difference that is no number must not pass for none.
      let difference = abs(curve.concentration(at: time).value - concentration)
      largestDifference = difference.isNaN ? .infinity : max(largestDifference, difference)
    }
  }
}

public import AlcoholKinetics
import RealModule
import StudyData

/// Where the k_a and beta of a prediction come from. r always comes from the r-factor method.
public enum PredictionParameters: Hashable, Sendable {
  /// The same values for everybody.
  case given(ka: PerHour, beta: GramsPerKilogramHour)
  /// Each series' own fit with r fixed to the method's.
  ///
  /// k_a and beta are fitted anew to the same readings for each r, and make up for much of what is
  /// wrong with it: this tells how well the readings can be met with that r, not how well they would
  /// have been predicted, for which there is ``leftOut(starts:)``.
  case fitted(starts: Int)
  /// The mean of all other subjects' fits: what one could have predicted without having measured
  /// this one.
  ///
  /// The mean is that of the logarithms, which are what a fit estimates. Fits that did not end in
  /// a minimum are left out.
  case leftOut(starts: Int)

  /// k_a 18 /h and beta 0.15 g/kg/h, the values of Nacar (2021).
  public static let thesis = PredictionParameters.given(ka: 18, beta: 0.15)

  /// The parameters for each series of a study in order, or why there are none.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if there is no start.
  func resolved(
    for study: Study, by method: any RFactorMethod, _ options: PredictionOptions, jobs: Int
  ) throws(SeriesFailure) -> [Result<KineticParameters, SeriesFailure>] {
    switch self {
    case .given(let ka, let beta):
      return study.series.map { series in
        Result { () throws(SeriesFailure) in
          try series.requireUsable()
          return try method.parameters(for: series.subject, ka: ka, beta: beta)
        }
      }
    case .fitted(let starts):
      return try fits(of: study, method, options, starts, jobs).map { fit in
        Result { () throws(SeriesFailure) in try fit.result.get().kinetics }
      }
    case .leftOut(let starts):
      let others = MeanKinetics(of: try fits(of: study, method, options, starts, jobs))
      return study.series.map { series in
        Result { () throws(SeriesFailure) in
          try series.requireUsable()
          let (ka, beta) = try others.mean(without: series.subject.id)
          return try method.parameters(for: series.subject, ka: ka, beta: beta)
        }
      }
    }
  }

  private func fits(
    of study: Study, _ method: any RFactorMethod, _ options: PredictionOptions, _ starts: Int,
    _ jobs: Int
  ) throws(SeriesFailure) -> [StudyFit] {
    try StudyFit.fits(
      of: study,
      options: FitOptions(
        rFactor: method, selection: options.selection, starts: StartDesign(count: starts),
        interval: nil, factors: options.factors),
      jobs: jobs)
  }
}

/// The geometric means of the k_a and beta of several fits, leaving out each subject in turn.
private struct MeanKinetics {
  /// Fits and the sums of their logarithms.
  private struct Sums {
    var count = 0
    var logKa = 0.0
    var logBeta = 0.0
  }

  private var all = Sums()
  private var own: [String: Sums] = [:]

  init(of fits: [StudyFit]) {
    for fit in fits {
      guard let value = try? fit.result.get(), value.isConverged,
        let kinetics = try? value.kinetics
      else { continue }
      Self.add(kinetics, to: &all)
      Self.add(kinetics, to: &own[fit.series.subject.id, default: Sums()])
    }
  }

  private static func add(_ kinetics: KineticParameters, to sums: inout Sums) {
    sums.count += 1
    sums.logKa += .log(kinetics.ka.value)
    sums.logBeta += .log(kinetics.beta.value)
  }

  func mean(
    without subject: String
  ) throws(SeriesFailure) -> (ka: PerHour, beta: GramsPerKilogramHour) {
    let left = own[subject] ?? Sums()
    let count = Double(all.count - left.count)
    guard count > 0 else { throw .noOtherFit }
    return (
      ka: PerHour(.exp((all.logKa - left.logKa) / count)),
      beta: GramsPerKilogramHour(.exp((all.logBeta - left.logBeta) / count))
    )
  }
}

public import AlcoholKinetics
import RealModule
import StudyData

/// Where the k_a and beta of a prediction come from. r always comes from the r-factor method.
public enum PredictionParameters: Hashable, Sendable {
  /// The same values for everybody.
  case given(ka: PerHour, beta: GramsPerKilogramHour)
  /// Each series' own fit with r fixed to the method's, so that methods differ by r alone.
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
    for study: Study, by method: any RFactorMethod, factors: ConversionFactors
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
      return try fits(of: study, method, factors, starts).map { fit in
        Result { () throws(SeriesFailure) in try fit.result.get().kinetics }
      }
    case .leftOut(let starts):
      let fits = try fits(of: study, method, factors, starts)
      return study.series.map { series in
        Result { () throws(SeriesFailure) in
          try series.requireUsable()
          let mean = try MeanKinetics(of: fits, without: series.subject.id)
          return try method.parameters(for: series.subject, ka: mean.ka, beta: mean.beta)
        }
      }
    }
  }

  private func fits(
    of study: Study, _ method: any RFactorMethod, _ factors: ConversionFactors, _ starts: Int
  ) throws(SeriesFailure) -> [StudyFit] {
    try StudyFit.fits(
      of: study,
      options: FitOptions(
        rFactor: method, starts: StartDesign(count: starts), interval: nil, factors: factors))
  }
}

/// The geometric mean of the k_a and beta of several fits.
private struct MeanKinetics {
  let ka: PerHour
  let beta: GramsPerKilogramHour

  init(of fits: [StudyFit], without subject: String) throws(SeriesFailure) {
    let others = fits.filter { $0.series.subject.id != subject }
      .compactMap { try? $0.result.get() }
      .filter(\.isConverged)
      .compactMap { try? $0.kinetics }
    guard !others.isEmpty else { throw .noOtherFit }
    let count = Double(others.count)
    ka = PerHour(.exp(others.map { .log($0.ka.value) }.reduce(0, +) / count))
    beta = GramsPerKilogramHour(.exp(others.map { .log($0.beta.value) }.reduce(0, +) / count))
  }
}

public import AlcoholKinetics
import Estimation
import StudyData

/// Where the parameters of absorption and elimination of a prediction come from, k_a and beta with
/// Widmark's model. r always comes from the r-factor method.
public enum PredictionParameters: Codable, Hashable, Sendable {
  /// The same values for everybody, in the parameters' units; what is not among them is typical
  /// (``PredictionOptions/typical``).
  case given([FitParameter: Double])
  /// Each series' own fit with r fixed to the method's.
  ///
  /// k_a and beta are fitted anew to the same readings for each r, and make up for much of what is
  /// wrong with it: this tells how well the readings can be met with that r, not how well they would
  /// have been predicted, for which there is ``leftOut(starts:)``.
  case fitted(starts: Int)
  /// The median of all other subjects' fits: what one could have predicted without having measured
  /// this one.
  ///
  /// A subject counts once, by the mean of the logarithms over its series. A fit at a limit of the
  /// search counts as beyond all others, however far: where absorption was not sampled, k_a runs to
  /// that limit, and a mean would follow. Fits that did not end in a minimum are left out.
  case leftOut(starts: Int)

  /// Typical values for everybody: ``PredictionOptions/typical``.
  public static let typical = PredictionParameters.given([:])

  /// The same values of Widmark's model for everybody.
  public static func given(ka: PerHour, beta: GramsPerKilogramHour) -> PredictionParameters {
    .given([.ka: ka.value, .beta: beta.value])
  }

  /// For each method the parameters for each series of a study in order, or why there are none.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` if there is no start.
  func resolved(
    for study: Study, _ options: PredictionOptions, jobs: Int
  ) throws(SeriesFailure) -> [[Result<ModelParameters, SeriesFailure>]] {
    // A method at a time, so that one fitter serves all series.
    try options.methods.map { method throws(SeriesFailure) in
      try resolved(for: study, by: method, options, jobs)
    }
  }

  private func resolved(
    for study: Study, by method: any RFactorMethod, _ options: PredictionOptions, _ jobs: Int
  ) throws(SeriesFailure) -> [Result<ModelParameters, SeriesFailure>] {
    switch self {
    case .given(let values):
      let kinetics = GivenKinetics(values, options)
      return study.series.map { kinetics.parameters(of: $0, by: method) }
    case .fitted(let starts):
      return try Self.fits(of: study, method, options, starts, jobs).map { fit in
        Result { () throws(SeriesFailure) in try fit.result.get().parameters }
      }
    case .leftOut(let starts):
      return LeftOutKinetics(of: try Self.fits(of: study, method, options, starts, jobs))
        .parameters(of: study, options.model, by: method)
    }
  }

  /// Fits with which a method predicts: r by the method, absorption and elimination estimated.
  static func fits(
    of study: Study, _ method: any RFactorMethod, _ options: PredictionOptions, _ starts: Int,
    _ jobs: Int
  ) throws(SeriesFailure) -> [StudyFit] {
    try StudyFit.fits(of: study, options: fitOptions(method, options, starts), jobs: jobs)
  }

  /// What such fits are told.
  static func fitOptions(
    _ method: any RFactorMethod, _ options: PredictionOptions, _ starts: Int
  ) -> FitOptions {
    FitOptions(
      model: options.model, rFactor: method, selection: options.selection,
      starts: StartDesign(count: starts), engine: options.engine, interval: nil,
      factors: options.factors)
  }
}

/// Kinetic parameters that do not depend on readings, worked out once for subjects who share them.
struct GivenKinetics {
  private typealias Shared = Result<ModelParameters, KineticsError>

  private let options: PredictionOptions
  /// With any r, by what is typical and by sex; women, men and those of whom it is not known.
  private let shared: [[Shared]]

  private static let sexes: [Sex?] = [.female, .male, nil]

  init(_ given: [FitParameter: Double], _ options: PredictionOptions) {
    self.options = options
    shared = TypicalKinetics.allCases.map { typical in
      Self.sexes.map { sex in
        var values = typical.values(of: options.model, for: sex, given: given)
        values[.r] = 1
        return Result { [values] () throws(KineticsError) in
          try ModelParameters(options.model, values)
        }
      }
    }
  }

  private func shared(_ typical: TypicalKinetics, _ sex: Sex?) -> Shared {
    let row = TypicalKinetics.allCases.firstIndex(of: typical) ?? 0
    return shared[row][sex == .female ? 0 : sex == .male ? 1 : 2]
  }

  /// The parameters of a series for each method.
  func parameters(of series: Series) -> [Result<ModelParameters, SeriesFailure>] {
    options.methods.map { parameters(of: series, by: $0) }
  }

  /// The parameters of a series, r by a method.
  func parameters(
    of series: Series, by method: any RFactorMethod
  ) -> Result<ModelParameters, SeriesFailure> {
    Result { () throws(SeriesFailure) in
      try series.requireUsable()
      return try parameters(of: series.subject, by: method)
    }
  }

  private func parameters(
    of subject: Subject, by method: any RFactorMethod
  ) throws(SeriesFailure) -> ModelParameters {
    let r: RFactor
    do { r = try method.rFactor(for: subject) } catch { throw .rFactor(error) }
    let shared = shared(options.typical(of: subject), subject.sex)
    do { return try shared.get().with(r) } catch { throw .kinetics(error) }
  }
}

public import AlcoholKinetics
public import Estimation
package import StudyData

/// The r that one method estimates for a subject, against the r that was observed.
///
/// All r are in kg/kg.
public struct RComparison: Codable, Hashable, Sendable {
  /// The outcome of a comparison.
  public enum Status: String, CaseIterable, Sendable {
    /// Both r are known.
    case ok
    /// The method has no formula for the subject.
    case notApplicable = "not-applicable"
    /// One of the r is not known.
    case failed
  }

  public let subject: Subject
  public let rFactor: String
  /// The r that was observed, or the reason why there is none.
  @CodedResult package private(set) var observed: Result<RFactor, SeriesFailure>
  /// The r that the method estimates, or the reason why there is none.
  @CodedResult package private(set) var estimated: Result<RFactor, SeriesFailure>

  /// The outcome of the comparison.
  public var status: Status {
    if case .failure(let failure) = estimated, failure.isMethodNotDefined { return .notApplicable }
    return error == nil ? .failed : .ok
  }

  /// The estimated r minus the observed one; nil unless both are known.
  public var error: RFactor? {
    guard let observed = try? observed.get(), let estimated = try? estimated.get() else {
      return nil
    }
    return estimated - observed
  }

  /// Why there is no error; nil if there is one.
  public var failure: SeriesFailure? {
    switch (estimated, observed) {
    case (.failure(let failure), _) where status == .notApplicable: failure
    case (_, .failure(let failure)), (.failure(let failure), _): failure
    case (.success, .success): nil
    }
  }

  /// Compares every method on every subject of a study, subject by subject.
  package static func comparisons(
    of study: EstimateStudy, by methods: [any RFactorMethod] = RFactorMethods.all()
  ) -> [RComparison] {
    study.subjects.flatMap { estimate in
      methods.map { RComparison(of: estimate, by: $0) }
    }
  }

  private init(of estimate: SubjectEstimate, by method: any RFactorMethod) {
    subject = estimate.subject
    rFactor = method.name
    observed = Result { () throws(SeriesFailure) in try estimate.requireObservedR() }
    estimated = Result { () throws(SeriesFailure) in try estimate.rFactor(by: method) }
  }
}

extension SubjectEstimate {
  fileprivate func requireObservedR() throws(SeriesFailure) -> RFactor {
    if let firstError { throw .badData(firstError) }
    guard let observedR else { throw .estimateMissing(columns: missingColumns) }
    return observedR
  }

  fileprivate func rFactor(by method: any RFactorMethod) throws(SeriesFailure) -> RFactor {
    if let firstError { throw .badData(firstError) }
    do { return try method.rFactor(for: subject) } catch { throw .problem(error) }
  }

  /// The columns missing for the observed r.
  private var missingColumns: [String] {
    let needed = [
      ("c0_g_per_kg", c0 == nil), ("ethanol_g", ethanol == nil),
      ("weight_kg", subject.weight == nil),
    ]
    return needed.filter(\.1).map(\.0)
  }
}

/// Errors of one method's r against the observed r over the subjects of a study.
///
/// Methods may be defined for different subjects (Ulrich's for men only): compare their summaries
/// by sex, or where the counts are equal.
package struct RComparisonSummary: Codable, Hashable, Sendable {
  package let rFactor: String
  /// The sex of the subjects; nil for all of them.
  package let sex: Sex?
  /// The errors of r, estimated minus observed, in kg/kg; nil if there are none.
  package let errors: Sample?
  /// The mean error in kg/kg, with its interval over subjects.
  package let bias: EstimatedValue?
  package let mae: EstimatedValue?
  package let rmse: EstimatedValue?

  /// Summarises each method over all subjects and, on request, over those of each sex.
  ///
  /// Methods are in the order of the comparisons. Every method has a summary for each sex in the
  /// study, even without a formula for it.
  package static func summaries(
    of comparisons: [RComparison], bySex: Bool = false, bootstrap: Bootstrap
  ) -> [RComparisonSummary] {
    let sexes = Set(comparisons.compactMap(\.subject.sex))
    let groups: [Sex?] = [nil] + (bySex ? Sex.allCases.filter(sexes.contains) : [])
    let drafts = comparisons.grouped(by: \.rFactor).flatMap { method, ofMethod in
      groups.map { sex in
        let group = ofMethod.filter { sex == nil || $0.subject.sex == sex }
        return (method: method, sex: sex, errors: group.compactMap(\.error?.value))
      }
    }
    let intervals = bootstrap.intervals(
      of: drafts.map { draft in
        ErrorTotals.statistics(of: draft.errors.map { ErrorTotals(of: [$0]) })
      })
    return zip(drafts, intervals).map {
      RComparisonSummary($0.method, $0.sex, errors: $0.errors, $1)
    }
  }

  private init(_ rFactor: String, _ sex: Sex?, errors: [Double], _ intervals: [Interval?]) {
    self.rFactor = rFactor
    self.sex = sex
    self.errors = Sample(errors)
    let statistics = self.errors.map { EstimatedValue.statistics(of: $0, intervals) }
    bias = statistics?[0]
    mae = statistics?[1]
    rmse = statistics?[2]
  }
}

/// The blood to breath ratio of one subject: C0 of blood over C0 of breath.
///
/// It is a ratio of volumes, ethanol in a volume of blood over ethanol in as much breath, as
/// `ConversionFactors.bloodBreathRatio` is: C0 of blood in g/kg becomes g/L by the
/// density of blood, C0 of breath in mg/L becomes g/L.
package struct BloodBreathRatio: Codable, Hashable, Sendable {
  package let subject: Subject
  /// The ratio, volume by volume, a pure number.
  package let value: Double

  /// The ratio of an estimate; nil if it has an error or a C0 is missing.
  package init?(of estimate: SubjectEstimate, using factors: ConversionFactors) {
    guard estimate.firstError == nil, let blood = estimate.c0, let breath = estimate.c0BreathMgPerL
    else { return nil }
    subject = estimate.subject
    value = blood.value * factors.bloodDensityKgPerL / (breath / 1000)
  }

  /// The ratios of all subjects of a study that have one, in order.
  package static func ratios(
    of study: EstimateStudy, using factors: ConversionFactors = ConversionFactors()
  ) -> [BloodBreathRatio] {
    study.subjects.compactMap { BloodBreathRatio(of: $0, using: factors) }
  }
}

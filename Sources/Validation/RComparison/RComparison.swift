public import AlcoholKinetics
public import Estimation
public import StudyData

/// The r that one method estimates for a subject, against the r that was observed.
///
/// All r are in kg/kg.
public struct RComparison: Sendable {
  /// What can be said about the method's r.
  public enum Status: String, CaseIterable, Sendable {
    /// Both r are known.
    case ok
    /// The method has no formula for the subject.
    case notApplicable = "not-applicable"
    /// One of the r is not known.
    case failed
  }

  /// Who.
  public let subject: Subject
  /// Name of the r-factor method.
  public let rFactor: String
  /// The r that was observed, or the reason why there is none.
  public let observed: Result<RFactor, SeriesFailure>
  /// The r that the method estimates, or the reason why there is none.
  public let estimated: Result<RFactor, SeriesFailure>

  /// What can be said about the method's r.
  public var status: Status {
    if case .failure(.rFactor(.notDefined)) = estimated { return .notApplicable }
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
  public static func comparisons(
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
    do throws(RFactorError) {
      return try method.rFactor(for: subject)
    } catch {
      throw .rFactor(error)
    }
  }

  /// What the observed r needs and the study does not tell.
  private var missingColumns: [String] {
    let needed = [
      ("c0_g_per_kg", c0 == nil), ("ethanol_g", ethanol == nil),
      ("weight_kg", subject.weight == nil),
    ]
    return needed.filter(\.1).map(\.0)
  }
}

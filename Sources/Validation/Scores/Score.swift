public import AlcoholKinetics
public import Estimation
public import StudyData

/// The prediction of one r-factor method, or one given model, for a series, compared with the
/// readings: a row of a study's scores, which are an array, series by series.
public struct Score: Codable, Hashable, Sendable {
  /// The outcome for the time to sobriety.
  public enum TimeStatus: String, CaseIterable, Sendable {
    /// Predicted and measured times can be compared.
    case ok
    /// The curve is predicted never to be above the threshold.
    case predictedNeverAbove = "predicted-never-above"
    /// The predicted curve ends above the threshold: the time is only bounded below.
    case predictedLater = "predicted-later"
    /// No reading is above the threshold.
    case neverAbove = "never-above"
    /// The last reading is still above the threshold.
    case notReached = "not-reached"
    case noReadings = "no-readings"
    /// The method has no formula for the subject.
    case notApplicable = "not-applicable"
    case failed
  }

  /// The outcome for the curve.
  public enum CurveStatus: String, CaseIterable, Sendable {
    /// The curve can be compared with the readings.
    case ok
    case noReadings = "no-readings"
    /// A given model has a time to sobriety and no curve, or none that covers a reading.
    case noCurve = "no-curve"
    /// The method has no formula for the subject.
    case notApplicable = "not-applicable"
    case failed
  }

  public let series: Series
  /// Name of the r-factor method, or of the model whose predictions were computed elsewhere.
  public let method: String
  /// Whether the prediction was computed elsewhere.
  public let isGiven: Bool
  /// The parameters of the prediction; nil without one, and for given models.
  public let parameters: ModelParameters?
  /// The time to sobriety, or the reason why there is none.
  @CodedResult package private(set) var prediction: Result<SobrietyPrediction, SeriesFailure>
  /// The time measured by the readings.
  public let measured: MeasuredSobriety
  /// The concentration at or below which somebody counts as sober.
  public let threshold: SobrietyThreshold
  /// Reasons to doubt the measured time.
  public let doubts: [SobrietyDoubt]
  /// The agreement of curve and readings, nil without either or if only times are scored; or the
  /// reason why there is no curve.
  @CodedResult package private(set) var curve: Result<CurveAgreement?, SeriesFailure>
  /// The use of each reading of the series: those that a fit would not use are not compared.
  public let uses: [ReadingUse]
  /// Warnings about the curve.
  public let warnings: [FitWarning]

  init(
    _ series: Series, by method: String, isGiven: Bool = false, parameters: ModelParameters? = nil,
    time: Result<SobrietyPrediction, SeriesFailure>, _ evidence: SobrietyEvidence,
    curve: Result<CurveAgreement?, SeriesFailure> = .success(nil), warnings: [FitWarning] = []
  ) {
    self.series = series
    self.method = method
    self.isGiven = isGiven
    self.parameters = parameters
    prediction = time
    measured = evidence.measured
    threshold = evidence.threshold
    doubts = evidence.doubts
    self.curve = curve
    uses = evidence.uses
    self.warnings = warnings
  }

  /// The agreement of curve and readings, if both are there.
  public var agreement: CurveAgreement? { try? curve.get() }

  public var curveStatus: CurveStatus {
    switch curve {
    case .success(let agreement):
      agreement != nil ? .ok : uses.contains(where: \.isUsed) ? .noCurve : .noReadings
    case .failure(let failure) where failure.isMethodNotDefined: .notApplicable
    case .failure: .failed
    }
  }

  public var timeStatus: TimeStatus {
    let predicted: SobrietyPrediction.Outcome
    switch prediction {
    case .failure(let failure) where failure.isMethodNotDefined: return .notApplicable
    case .failure: return .failed
    case .success(let prediction): predicted = prediction.outcome
    }
    switch measured {
    case .noReadings: return .noReadings
    case .neverAbove: return .neverAbove
    case .notReached: return .notReached
    case .reached:
      switch predicted {
      case .neverAbove: return .predictedNeverAbove
      case .laterThan: return .predictedLater
      case .at: return .ok
      }
    }
  }

  /// Returns the use of each reading of the series that some method predicts for, once for a series
  /// that several methods are compared on.
  public static func uses(in scores: [Score]) -> [ReadingUse] {
    scores.filter { $0.curve.failure == nil }.grouped(by: \.series.key)
      .flatMap { $0.values[0].uses }
  }
}

// MARK: - Errors of the time

extension Score {
  /// The error of the predicted time as an interval; nil without a prediction, or if nothing is
  /// known of the measured time.
  package var error: SobrietyError? {
    guard let prediction = try? prediction.get(), let measured = measured.minutes else {
      return nil
    }
    return SobrietyError(
      predicted: prediction.minutes, measured: measured, interval: prediction.interval)
  }

  /// Whether the predicted interval overlaps that between the two readings at the crossing; nil unless both are known.
  public var agreesWithInterval: Bool? {
    guard let predicted = (try? prediction.get())?.interval,
      case .reached(let lastAbove, let first) = measured
    else { return nil }
    return predicted.low <= first.minutes && predicted.high >= lastAbove.minutes
  }

  /// The deviation from the measured time, taken as the middle of the two readings between which the
  /// threshold was crossed; nil unless both times are known.
  package var deviation: SobrietyDeviation? { deviation(from: measured.middle) }

  /// The deviation from the first reading at or below the threshold, as in Nacar (2021): half the distance of
  /// two readings late on average, so that predictions seem that much earlier than they are.
  package var deviationFromFirstBelow: SobrietyDeviation? { deviation(from: measured.first) }

  /// The deviation from the last reading above the threshold: the earliest time consistent with the readings.
  package var deviationFromLastAbove: SobrietyDeviation? {
    measured.first == nil ? nil : deviation(from: measured.lastAbove)
  }

  private func deviation(from measured: Hours?) -> SobrietyDeviation? {
    guard let predicted = (try? prediction.get())?.time, let measured else { return nil }
    return SobrietyDeviation(predicted: predicted, measured: measured)
  }

  /// The deviation from the nearest time consistent with the readings: zero between the limits of the
  /// measured time, otherwise the distance from the nearer limit. Somebody never above the threshold was
  /// sober at the first reading at the latest, somebody still above it after the last at the earliest;
  /// a curve that is never above predicts sobriety from the start.
  ///
  /// Nil if nothing is known of the measured time or there is no predicted one.
  package var deviationFromInterval: SobrietyDeviation? {
    guard measured != .noReadings, let prediction = try? prediction.get() else { return nil }
    let predicted: Hours
    switch prediction.outcome {
    case .neverAbove: predicted = 0
    case .at(let time): predicted = time
    case .laterThan: return nil
    }
    let notBefore = max(predicted, measured.ends.above ?? predicted)
    let nearest = min(notBefore, measured.ends.below ?? notBefore)
    return SobrietyDeviation(predicted: predicted, measured: nearest)
  }
}

extension SobrietyThreshold {
  /// Returns the distinct thresholds of the measured times, in ascending order.
  public static func used(in scores: [Score]) -> [SobrietyThreshold] {
    let measured = scores.filter { $0.measured.knowledge != .unknown }
    return Set(measured.map(\.threshold)).sorted {
      ($0.concentration, $0.origin.rawValue) < ($1.concentration, $1.origin.rawValue)
    }
  }
}

/// The deviation of a predicted time to sobriety from the measured one.
///
/// Signs are predicted minus measured: positive if the subject was sober earlier than predicted.
package struct SobrietyDeviation: Hashable, Sendable {
  /// Predicted time since the first drink.
  package let predicted: Hours
  /// Measured time since the first drink.
  package let measured: Hours

  package var minutes: Double { (predicted - measured).minutes }

  /// The error in percent of the measured time; nil if that is zero.
  package var percentOfMeasured: Double? { percent(of: measured) }

  /// The error in percent of the predicted time, as Nacar (2021) states it; nil if that is zero.
  package var percentOfPredicted: Double? { percent(of: predicted) }

  private func percent(of time: Hours) -> Double? {
    time == 0 ? nil : 100 * ((predicted - measured) / time)
  }
}

// MARK: - Series

/// The subject and occasion that identify a series.
struct SeriesKey: Hashable {
  let subject: String
  let occasion: String?
}

extension Series {
  var key: SeriesKey { SeriesKey(subject: subject.id, occasion: occasion) }
}

extension Result where Failure == SeriesFailure {
  /// Why there is no result; nil if there is one.
  package var failure: SeriesFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

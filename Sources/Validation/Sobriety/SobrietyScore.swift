import AlcoholKinetics
public import Estimation
public import StudyData

/// Predicted and measured time to sobriety of one series, by one r-factor method or given model.
public struct SobrietyScore: Codable, Hashable, Sendable {
  public enum Status: String, CaseIterable, Sendable {
    /// Predicted and measured times can be compared.
    case ok
    /// The curve is predicted never to be above the threshold.
    case predictedNeverAbove = "predicted-never-above"
    /// The predicted curve ends above the threshold: only that the prediction is later is known.
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

  public let series: Series
  /// Name of the r-factor method, or of the model whose predictions were computed elsewhere.
  public let method: String
  /// The prediction, or the reason why there is none.
  @CodedResult public private(set) var prediction: Result<SobrietyPrediction, SeriesFailure>
  /// What the readings say.
  public let measured: MeasuredSobriety
  /// At or below which concentration somebody counts as sober.
  public let threshold: SobrietyThreshold
  /// Why the measured time rests on little; empty if it does not.
  public internal(set) var doubts: [SobrietyDoubt] = []
  /// Whether the prediction was computed elsewhere.
  public internal(set) var isGiven = false

  /// Why there is no prediction; nil if there is one.
  var failure: SeriesFailure? { prediction.failure }

  /// Whether the predicted interval and the readings between which the threshold was crossed have a time in common;
  /// nil unless there are both.
  public var agreesWithInterval: Bool? {
    guard let predicted = (try? prediction.get())?.interval,
      case .reached(let lastAbove, let first) = measured
    else { return nil }
    return predicted.low <= first.minutes && predicted.high >= lastAbove.minutes
  }

  public var status: Status {
    let predicted: SobrietyPrediction.Outcome
    switch prediction {
    case .failure(.rFactor(.notDefined)): return .notApplicable
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

  /// What is known of the error of the prediction; nil without a prediction, or if nothing is known of
  /// the measured time.
  public var error: SobrietyError? {
    guard let prediction = try? prediction.get(), let measured = measured.minutes else {
      return nil
    }
    return SobrietyError(
      predicted: prediction.minutes, measured: measured, interval: prediction.interval)
  }

  /// By how much the prediction misses the measured time, taken as the middle of the two readings between
  /// which the threshold was crossed; nil unless both times are known.
  public var deviation: SobrietyDeviation? { deviation(from: measured.middle) }

  /// The same against the first reading at or below the threshold, as in Nacar (2021): half the distance of
  /// two readings late on average, so that predictions seem that much earlier than they are.
  public var deviationFromFirstBelow: SobrietyDeviation? { deviation(from: measured.first) }

  /// The same against the last reading above the threshold: the other end of what the readings leave open.
  public var deviationFromLastAbove: SobrietyDeviation? {
    measured.first == nil ? nil : deviation(from: measured.lastAbove)
  }

  private func deviation(from measured: Hours?) -> SobrietyDeviation? {
    guard let predicted = (try? prediction.get())?.time, let measured else { return nil }
    return SobrietyDeviation(predicted: predicted, measured: measured)
  }

  /// By how much the prediction misses what the readings leave open at least: nothing where it lies
  /// between the limits of the measured time, otherwise the way to the nearer of them, which is then
  /// the measured time. Somebody who was never above the threshold was sober at the first reading at
  /// the latest, somebody still above it after the last at the earliest; a curve that is never above
  /// predicts sobriety from the start.
  ///
  /// Nil if nothing is known of the measured time or there is no predicted one.
  public var deviationFromInterval: SobrietyDeviation? {
    guard let prediction = try? prediction.get() else { return nil }
    let predicted: Hours
    switch prediction.outcome {
    case .neverAbove: predicted = 0
    case .at(let time): predicted = time
    case .laterThan: return nil
    }
    guard measured != .noReadings else { return nil }
    let notBefore = max(predicted, measured.ends.above ?? predicted)
    let nearest = min(notBefore, measured.ends.below ?? notBefore)
    return SobrietyDeviation(predicted: predicted, measured: nearest)
  }
}

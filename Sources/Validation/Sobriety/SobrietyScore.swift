import AlcoholKinetics
public import StudyData

/// Predicted and measured time to sobriety of one series, by one r-factor method.
public struct SobrietyScore: Sendable {
  /// What can be said about the prediction.
  public enum Status: String, CaseIterable, Sendable {
    /// Predicted and measured times can be compared.
    case ok
    /// The curve is predicted never to be above the threshold.
    case predictedNeverAbove = "predicted-never-above"
    /// No reading is above the threshold.
    case neverAbove = "never-above"
    /// The last reading is still above the threshold.
    case notReached = "not-reached"
    /// There are no readings to compare with.
    case noReadings = "no-readings"
    /// The method has no formula for the subject.
    case notApplicable = "not-applicable"
    /// There is no prediction.
    case failed
  }

  /// What stands in the place of a method's name for predictions from outside.
  public static let givenCurve = "given-curve"

  /// The series.
  public let series: Series
  /// Name of the r-factor method, or ``givenCurve``.
  public let rFactor: String
  /// The prediction, or the reason why there is none.
  public let prediction: Result<SobrietyPrediction, SeriesFailure>
  /// What the readings say.
  public let measured: MeasuredSobriety

  /// What can be said about the prediction.
  public var status: Status {
    let predicted: Hours?
    switch prediction {
    case .failure(.rFactor(.notDefined)): return .notApplicable
    case .failure: return .failed
    case .success(let prediction): predicted = prediction.time
    }
    switch measured {
    case .noReadings: return .noReadings
    case .neverAbove: return .neverAbove
    case .notReached: return .notReached
    case .reached: return predicted == nil ? .predictedNeverAbove : .ok
    }
  }

  /// By how much the prediction misses the measured time, taken as the first reading at or below the
  /// threshold; nil unless both times are known.
  public var deviation: SobrietyDeviation? {
    guard let predicted = (try? prediction.get())?.time, let measured = measured.first else {
      return nil
    }
    return SobrietyDeviation(predicted: predicted, measured: measured)
  }

  /// By how much the prediction misses what the readings leave open: nothing where it lies between
  /// the last reading above the threshold and the first at or below it, otherwise the way to the
  /// nearer of the two, which is then the measured time.
  public var deviationFromInterval: SobrietyDeviation? {
    guard let deviation, let lastAbove = measured.lastAbove else { return nil }
    let nearest = min(max(deviation.predicted, lastAbove), deviation.measured)
    return SobrietyDeviation(predicted: deviation.predicted, measured: nearest)
  }

  /// The same against the last reading above the threshold: the other end of what the readings
  /// leave open.
  public var deviationFromLastAbove: SobrietyDeviation? {
    guard let deviation, let lastAbove = measured.lastAbove else { return nil }
    return SobrietyDeviation(predicted: deviation.predicted, measured: lastAbove)
  }
}

public import AlcoholKinetics
public import Estimation
package import StudyData

/// The curve that one r-factor method predicts for a series.
package struct MethodPrediction {
  package let parameters: ModelParameters
  package let regimen: Regimen
  package let curve: any BloodCurve
  private let spread: PredictionSpread?

  /// - Parameters:
  ///   - regimen: The drinks taken.
  ///   - spread: The variation of subjects about the parameters; nil for no intervals.
  init(
    _ parameters: ModelParameters, of regimen: Regimen, spread: PredictionSpread? = nil
  ) throws(SeriesFailure) {
    self.parameters = parameters
    self.spread = spread
    self.regimen = regimen
    do { curve = try parameters.curve(of: regimen) } catch { throw .problem(error) }
    guard !curve.hasFailed else { throw .nothingPredicted }
  }

  /// The predictions of all methods for a series, with their parameters for it.
  ///
  /// - Parameter spreads: The variation of subjects about them; nil for no intervals.
  package static func all(
    of series: Series, _ parameters: [Result<ModelParameters, SeriesFailure>],
    _ spreads: PredictionSpreads?
  ) -> [Result<MethodPrediction, SeriesFailure>] {
    let regimen = Result { () throws(SeriesFailure) in try series.regimen() }
    return parameters.enumerated().map { method, parameters in
      Result { () throws(SeriesFailure) in
        let parameters = try parameters.get()
        return try MethodPrediction(
          parameters, of: try regimen.get(),
          spread: spreads?.spread(ofMethod: method, for: series.subject))
      }
    }
  }

  /// The 90 % band of the curve at some times, in g/kg; nil if no variation is known, as for fits.
  func band(at times: [Hours]) -> [Interval]? {
    band { person in
      guard let curve = try? person.curve(of: regimen), !curve.hasFailed else { return nil }
      return times.map { curve.concentration(at: $0).value }
    }
  }

  /// The 90 % band of concentrations between subjects with the same prediction, by curves computed
  /// by a closure.
  package func band(_ concentrations: (ModelParameters) -> [Double]?) -> [Interval]? {
    spread?.band(about: parameters, concentrations)
  }

  /// The time until which 95 % of subjects with the same prediction are above a threshold; nil
  /// without a spread, or if some of the others stay above it.
  package func lastAbove(_ threshold: GramsPerKilogram) -> Hours? {
    let high = spread?.soberMinutes(about: parameters, of: regimen, threshold: threshold)?.high
    return high.flatMap { $0.isFinite ? (regimen.start ?? 0) + Hours(minutes: $0) : nil }
  }

  /// The predicted time to sobriety since the first drink.
  ///
  /// - Throws: ``SeriesFailure/neverSober(threshold:)`` if the curve never falls to the threshold, as only
  ///   Widmark's does to 0.
  func sobriety(threshold: GramsPerKilogram) throws(SeriesFailure) -> SobrietyPrediction {
    var prediction = try SobrietyPrediction(
      of: curve, threshold: threshold, start: regimen.start ?? 0)
    prediction.interval = spread?.soberMinutes(
      about: parameters, of: regimen, threshold: threshold)
    return prediction
  }
}

/// A predicted time to sobriety, and its interval.
public struct SobrietyPrediction: Codable, Hashable, Sendable {
  /// When a predicted concentration falls to the threshold for good, since the first drink.
  public enum Outcome: Codable, Hashable, Sendable {
    /// It is never above the threshold: sober from the start.
    case neverAbove
    /// At this time.
    case at(Hours)
    /// Later than this time, at which the known curve ends.
    case laterThan(Hours)
  }

  public let outcome: Outcome
  /// The 90 % prediction interval over subjects with the same prediction, in min since the first
  /// drink; the upper end is infinite if some never fall to the threshold. Nil if the parameters
  /// are fitted to the same readings, without variation, and for given models without limits.
  public internal(set) var interval: Interval?
  /// The nominal coverage of ``interval``.
  public internal(set) var level = PredictionSpread.level
  /// The two points of a given curve between which it falls to the threshold; nil for other predictions.
  public internal(set) var step: Step?

  /// Two neighbouring points of a given curve.
  public struct Step: Codable, Hashable, Sendable {
    /// The time between them.
    public let width: Hours
    /// The largest error of linear interpolation between them in the time, if the curve falls from
    /// one to the other.
    public let largestError: Hours
  }

  /// The time at which the concentration falls to the threshold for good, since the first drink;
  /// nil if it is never above, or if the time is only bounded below.
  public var time: Hours? {
    guard case .at(let time) = outcome else { return nil }
    return time
  }

  /// The limits of the time, in min since the first drink; the upper end may be infinite.
  var minutes: Interval {
    switch outcome {
    case .neverAbove: Interval(low: 0, high: 0)
    case .at(let time): Interval(low: time.minutes, high: time.minutes)
    case .laterThan(let time): Interval(low: time.minutes, high: .infinity)
    }
  }
}

extension SobrietyPrediction {
  /// Finds the time in a curve.
  ///
  /// - `threshold`: The concentration at or below which somebody counts as sober.
  /// - `start`: The time of the first drink, on the clock of the curve.
  /// - Throws: `SeriesFailure.neverSober(threshold:)` if the curve never falls to the threshold, and
  ///   `SeriesFailure.nothingPredicted` if it could not be computed.
  public init(
    of curve: any BloodCurve, threshold: GramsPerKilogram, start: Hours
  ) throws(SeriesFailure) {
    guard !curve.hasFailed else { throw .nothingPredicted }
    if let time = curve.timeToThreshold(threshold) {
      self.init(outcome: .at(time - start))
    } else if (curve.peak?.concentration ?? 0) > threshold {
      throw .neverSober(threshold: threshold)
    } else {
      self.init(outcome: .neverAbove)
    }
  }
}

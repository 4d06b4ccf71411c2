public import AlcoholKinetics

/// The prediction of one series by a model that was computed elsewhere.
public struct GivenPrediction: Codable, Hashable, Sendable {
  /// The prediction, in the form in which the model gives it.
  public enum Content: Codable, Hashable, Sendable {
    /// Concentrations over time.
    case curve(GivenCurve)
    /// Times to sobriety, each to a threshold.
    case times([GivenTime])
    /// Rows that cannot be used, for the reason that the first finding states.
    indirect case unusable(Diagnostic)
    /// The model has no row for the series.
    case missing
  }

  /// The name of the model.
  public let model: String
  public let content: Content
  /// The share of subjects for whom limits are stated to hold, between 0 and 1.
  public let level: Double

  /// The level of limits that state none.
  public static let usualLevel = 0.9

  /// Describes a prediction.
  public init(model: String, _ content: Content, level: Double = usualLevel) {
    self.model = model
    self.content = content
    self.level = level
  }
}

/// A curve that was computed elsewhere, at some times.
public struct GivenCurve: Codable, Hashable, Sendable {
  /// Times on the clock of the series, in ascending order.
  public let times: [Hours]
  /// The concentration at each time, in ``unit``.
  public let values: [Double]
  /// The lower limit at each time, in ``unit``; nil without limits.
  public let low: [Double]?
  /// The upper limit at each time, in ``unit``; nil without limits.
  public let high: [Double]?
  public let unit: ConcentrationUnit

  /// Describes a curve.
  ///
  /// - `times`: Different times in ascending order.
  /// - `values`: As many concentrations; so many limits, too, if there are any.
  public init(
    times: [Hours], values: [Double], low: [Double]? = nil, high: [Double]? = nil,
    unit: ConcentrationUnit
  ) {
    self.times = times
    self.values = values
    self.low = low
    self.high = high
    self.unit = unit
  }
}

/// A time to sobriety that was computed elsewhere, since the first drink.
public struct GivenTime: Codable, Hashable, Sendable {
  /// The time since the first drink; 0 for a curve that is never above the threshold.
  public let time: Hours
  /// The lower limit; nil without limits.
  public let low: Hours?
  /// The upper limit; nil without limits.
  public let high: Hours?
  /// The threshold that it is the time to, as a reading; nil if it is the time to whatever threshold is used.
  public let threshold: Reading?

  /// Describes a time.
  public init(_ time: Hours, low: Hours? = nil, high: Hours? = nil, threshold: Reading? = nil) {
    self.time = time
    self.low = low
    self.high = high
    self.threshold = threshold
  }
}

extension Series {
  /// The series with its readings as the curve of a model.
  package func asPrediction(by model: String) -> GivenPrediction {
    if let error = firstError { return GivenPrediction(model: model, .unusable(error)) }
    let used = readings.filter { !$0.isExcluded }
    guard let unit = used.first?.unit else { return GivenPrediction(model: model, .missing) }
    return GivenPrediction(
      model: model,
      .curve(GivenCurve(times: used.map(\.time), values: used.map(\.value), unit: unit)))
  }
}

// MARK: - With the series of a study

/// Gives the predictions of a model series by series.
package protocol PredictionSupply: AnyObject {
  func prediction(of series: Series) throws -> GivenPrediction
  /// All findings, complete after the last series.
  func findings() throws -> [Diagnostic]
  var inputs: [InputDigest] { get }
}

extension StudyStream {
  /// The stream whose series have the predictions of models.
  package consuming func with(_ supplies: [any PredictionSupply]) -> StudyStream {
    supplies.isEmpty
      ? self
      : StudyStream(
        name: name, title: title, instrument: instrument, isLive: isLive,
        SeriesWithPredictions(self, supplies))
  }
}

/// Adds predictions to the series of a stream.
private final class SeriesWithPredictions: SeriesSource {
  private var stream: StudyStream
  private let supplies: [any PredictionSupply]
  private var supplyFindings: [Diagnostic] = []
  private var hasEnded = false

  init(_ stream: StudyStream, _ supplies: [any PredictionSupply]) {
    self.stream = stream
    self.supplies = supplies
  }

  var count: Int? { stream.count }
  var findings: [Diagnostic] { stream.diagnostics + supplyFindings }
  var inputs: [InputDigest] { stream.inputs + supplies.flatMap(\.inputs) }

  func next() throws -> Series? {
    guard var series = try stream.next() else {
      if !hasEnded {
        hasEnded = true
        supplyFindings = try supplies.flatMap { try $0.findings() }
      }
      return nil
    }
    series.predictions = try supplies.map { try $0.prediction(of: series) }
    return series
  }
}

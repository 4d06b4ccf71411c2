import AlcoholKinetics
public import StudyData

/// Predicts curves on a grid of times, as CSV.
public struct SimulatedCurves: Sendable {
  /// The curves of one series.
  public struct Curves: Sendable {
    /// Whose they are.
    public let series: Series
    /// The rows of CSV, method by method.
    public let text: String
    /// How many methods were asked.
    public let methods: Int
    /// Why there is no curve by a method, for each by which there is none.
    public let reasons: [String]
    /// How many of these are failures; that a method has no formula for somebody is none.
    public let failures: Int
  }

  /// The header of the CSV.
  public static let head = "subject,occasion,r_factor,time_min,bac_g_per_kg\n"
  /// Two years of minutes are more than anybody stays drunk.
  private static let mostPoints = 2_000_000

  private let options: PredictionOptions
  private let everyMinutes: Double
  private let end: Double?

  /// Prepares to predict.
  ///
  /// - Parameters:
  ///   - options: The methods, and k_a and beta.
  ///   - everyMinutes: Minutes between two points.
  ///   - end: Where curves end, in min on the clock of the series; nil for the first point that is
  ///     sober for good.
  public init(options: PredictionOptions, everyMinutes: Double, end: Double?) {
    self.options = options
    self.everyMinutes = everyMinutes
    self.end = end
  }

  /// Predicts the curves of every series of a stream, in order.
  ///
  /// - Returns: What was found in the study as a whole.
  /// - Throws: What the stream and `consume` throw.
  public func forEach(
    of stream: sending StudyStream, _ consume: @escaping @Sendable (Curves) throws -> Void
  ) throws -> [Diagnostic] {
    try options.checkForStreams()
    return try ParallelStream.map(stream, jobs: 1) {
    } _: { _, series in
      curves(of: series)
    } consume: {
      try consume($0)
    }
  }

  private func curves(of series: Series) -> Curves {
    var text = CSVText()
    var reasons: [String] = []
    var failures = 0
    let study = Study(name: "", series: [series])
    do throws(SeriesFailure) {
      _ = try MethodPrediction.map(study, options) { series, method, prediction in
        do throws(SeriesFailure) {
          append(try prediction.get(), of: series, method.name, to: &text)
        } catch {
          reasons.append("\(series.subject.id), \(method.name): \(error.code): \(error)")
          if case .rFactor(.notDefined) = error { return }
          failures += 1
        }
      }
    } catch {
      reasons.append("\(error)")
      failures += 1
    }
    return Curves(
      series: series, text: text.string, methods: options.methods.count, reasons: reasons,
      failures: failures)
  }

  private func append(
    _ prediction: MethodPrediction, of series: Series, _ method: String, to text: inout CSVText
  ) {
    let start = min(0, prediction.regimen.start ?? 0)
    let sober = prediction.curve.timeToThreshold(0) ?? start
    let last = end.map { Hours(minutes: $0) } ?? sober
    let steps = max(0, ((last - start).minutes / everyMinutes))
    let count = min(Self.mostPoints, Int(end == nil ? steps.rounded(.up) : steps) + 1)
    guard let grid = try? TimeGrid(start: start, everyMinutes: everyMinutes, count: count) else {
      return
    }
    let curve = CurveEngine(grid)
      .concentrations(of: prediction.regimen, prediction.parameters)
    for (index, value) in curve.enumerated() {
      text.appendField(series.subject.id)
      text.appendField(series.occasion ?? "")
      text.appendField(method)
      text.append(grid.time(index).minutes)
      text.end()
      text.append(value)
      text.end(isLastOfRow: true)
    }
  }
}

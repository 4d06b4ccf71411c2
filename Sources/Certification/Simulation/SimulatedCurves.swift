package import AlcoholKinetics
package import Estimation
package import Reporting
package import StudyData
import StudyFiles
package import Validation

/// Predicts curves on a grid of times, as CSV.
package struct SimulatedCurves: Sendable {
  package struct Curves: Sendable {
    package let series: Series
    /// One curve for each method that has one.
    package let curves: [Curve]
    package let methods: Int
    /// The reason for each missing curve.
    package let reasons: [String]
    /// The number of failures among them; a method without a formula for the subject is none.
    package let failures: Int
  }

  package struct Curve: Sendable {
    package let rFactor: String
    package let grid: TimeGrid
    package let concentrations: [Double]
    /// The 90 % band between people with the same prediction; empty unless requested, and without known variation.
    package let band: [Interval]
  }

  /// The header of the CSV.
  package var head: String {
    "subject,occasion,r_factor,time_min,bac_g_per_kg"
      + (withBand ? ",bac_low_g_per_kg,bac_high_g_per_kg\n" : "\n")
  }
  /// Nearly four years of minutes: more than anybody stays drunk.
  private static let mostPoints = 2_000_000

  /// The concentration at which curves end that approach zero without reaching it.
  package static let traces: GramsPerKilogram = 0.001

  private let options: PredictionOptions
  private let everyMinutes: Double
  private let end: Double?
  private let withBand: Bool

  /// - Parameters:
  ///   - options: The methods, and k_a and beta.
  ///   - everyMinutes: Minutes between two points.
  ///   - end: Where curves end, in min on the clock of the series; nil for the first point that is
  ///     sober for good.
  ///   - withBand: Whether each curve comes with its 90 % band, which costs 64 curves more; it ends no earlier
  ///     than the band.
  package init(
    options: PredictionOptions, everyMinutes: Double, end: Double?, withBand: Bool = false
  ) {
    self.withBand = withBand
    self.options = options
    self.everyMinutes = everyMinutes
    self.end = end
  }

  /// Predicts the curves of every series of a stream, in order.
  ///
  /// - Returns: The diagnostics of the study as a whole.
  /// - Throws: Errors of the stream and of `consume`.
  package func forEach(
    of stream: sending StudyStream, _ consume: @escaping @Sendable (Curves) throws -> Void
  ) throws -> [Diagnostic] {
    let kinetics = try Kinetics(options)
    let spreads = PredictionSpreads(options)
    return try ParallelStream.map(stream, jobs: 1) {
      kinetics.fitters()
    } _: { fitters, series in
      curves(
        of: series,
        MethodPrediction.all(of: series, kinetics.parameters(of: series, nil, fitters), spreads))
    } consume: {
      try consume($0)
    }
  }

  private func curves(
    of series: Series, _ predictions: [Result<MethodPrediction, SeriesFailure>]
  ) -> Curves {
    var curves: [Curve] = []
    var reasons: [String] = []
    var failures = 0
    for (method, prediction) in zip(options.methods, predictions) {
      do throws(SeriesFailure) {
        curves.append(try curve(of: try prediction.get(), by: method.name))
      } catch {
        reasons.append("\(series.subject.id), \(method.name): \(error.code): \(error)")
        if error.isMethodNotDefined { continue }
        failures += 1
      }
    }
    return Curves(
      series: series, curves: curves, methods: options.methods.count, reasons: reasons,
      failures: failures)
  }

  private func curve(
    of prediction: MethodPrediction, by method: String
  ) throws(SeriesFailure) -> Curve {
    let start = min(0, prediction.regimen.start ?? 0)
    let curve = prediction.curve
    let level: GramsPerKilogram = curve.timeToThreshold(0) == nil ? Self.traces : 0
    var sober = curve.timeToThreshold(level) ?? start
    if withBand, end == nil { sober = max(sober, prediction.lastAbove(level) ?? sober) }
    let last = end.map { Hours(minutes: $0) } ?? sober
    let steps = max(0, ((last - start).minutes / everyMinutes))
    // A Double, because tiny steps or a very late end could overflow an integer.
    let count = (end == nil ? steps.rounded(.up) : steps.rounded(.down)) + 1
    guard count <= Double(Self.mostPoints) else { throw .curveTooLong(most: Self.mostPoints) }
    let grid: TimeGrid
    do throws(Problem) {
      grid = try TimeGrid(start: start, everyMinutes: everyMinutes, count: Int(count))
    } catch {
      throw .problem(error)
    }
    let engine = CurveEngine(grid)
    return Curve(
      rFactor: method, grid: grid,
      concentrations: prediction.parameters.concentrations(of: prediction.regimen, on: engine),
      band: withBand
        ? prediction.band { $0.concentrations(of: prediction.regimen, on: engine) } ?? [] : [])
  }
}

extension SimulatedCurves {
  /// The rows of CSV, method by method.
  package func text(of curves: Curves) -> String {
    var text = CSVText()
    let series = curves.series
    for curve in curves.curves {
      for (index, value) in curve.concentrations.enumerated() {
        text.appendField(series.subject.id)
        text.appendField(series.occasion ?? "")
        text.appendField(curve.rFactor)
        text.append(curve.grid.time(index).minutes)
        text.end()
        text.append(value)
        text.end(isLastOfRow: !withBand)
        guard withBand else { continue }
        let ends = curve.band.indices.contains(index) ? curve.band[index] : nil
        if let ends { text.append(ends.low) }
        text.end()
        if let ends { text.append(ends.high) }
        text.end(isLastOfRow: true)
      }
    }
    return text.string
  }
}

extension TerminalPlot {
  /// The curves that r-factor methods predict for a series, each in its own digit.
  package init(_ curves: SimulatedCurves.Curves) {
    let marks = Array("123456789")
    let shown = zip(curves.curves, marks)
    let names = shown.map { "\($1) \($0.rFactor)" }.joined(separator: ", ")
    self.init(
      title: "\(curves.series.label): \(names) (g/kg, hours on the clock of the drinks)",
      layers: shown.reversed().map { curve, mark in
        Layer(
          mark: mark,
          points: curve.concentrations.enumerated().map { (curve.grid.time($0).value, $1) })
      })
  }
}

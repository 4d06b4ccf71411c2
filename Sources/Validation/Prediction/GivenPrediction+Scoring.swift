import AlcoholKinetics
import Estimation
import StudyData

extension GivenPrediction {
  /// The predicted curve in blood, with its limits; nil if the model gives times alone.
  ///
  /// - Throws: `SeriesFailure` if the model has nothing for the series, or nothing that can be used.
  func curves(
    using factors: ConversionFactors
  ) throws(SeriesFailure) -> (curve: SampledCurve, low: SampledCurve?, high: SampledCurve?)? {
    switch content {
    case .missing: throw .curveMissing
    case .unusable(let finding): throw .badData(finding)
    case .times: return nil
    case .curve(let given):
      let inBlood = { (values: [Double]) in
        SampledCurve(
          times: given.times,
          concentrations: values.map { given.unit.bloodConcentration(of: $0, using: factors) })
      }
      let curve = inBlood(given.values)
      guard !curve.hasFailed else { throw .curveMissing }
      let limits = [given.low, given.high].map {
        $0.map(inBlood).flatMap { $0.hasFailed ? nil : $0 }
      }
      return (curve, limits[0], limits[1])
    }
  }

  /// The predicted time to sobriety of a series.
  ///
  /// - Throws: `SeriesFailure` if the model has none for the series, or none to this threshold.
  func sobriety(
    of series: Series, threshold: GramsPerKilogram, using factors: ConversionFactors
  ) throws(SeriesFailure) -> SobrietyPrediction {
    if let (curve, low, high) = try curves(using: factors) {
      return Self.sobriety(by: curve, low, high, level, threshold: threshold, start: series.start)
    }
    guard case .times(let times) = content else { throw .curveMissing }
    let fitting = times.first { time in
      guard let stated = time.threshold else { return true }
      let difference = stated.bloodConcentration(using: factors) - threshold
      return abs(difference.value) <= Self.sameThreshold
    }
    guard let time = fitting else { throw .otherThreshold(threshold: threshold) }
    var prediction = SobrietyPrediction(
      parameters: nil, outcome: time.time > 0 ? .at(time.time) : .neverAbove)
    if let low = time.low, let high = time.high {
      prediction.interval = Interval(low: low.minutes, high: high.minutes)
      prediction.level = level
    }
    return prediction
  }

  /// Thresholds that are nearer to each other than this, in g/kg, are one: at usual rates they are half a minute apart.
  private static let sameThreshold = 0.001

  private static func sobriety(
    by curve: SampledCurve, _ low: SampledCurve?, _ high: SampledCurve?, _ level: Double,
    threshold: GramsPerKilogram, start: Hours
  ) -> SobrietyPrediction {
    let outcome: SobrietyPrediction.Outcome
    var step: SobrietyPrediction.Step?
    switch curve.crossing(of: threshold) {
    case .neverAbove: outcome = .neverAbove
    case .laterThan(let time): outcome = .laterThan(time - start)
    case .at(let time, let after, let before):
      outcome = time > start ? .at(time - start) : .neverAbove
      step = SobrietyPrediction.Step(
        width: before - after, largestError: max(time - after, before - time))
    }
    var prediction = SobrietyPrediction(parameters: nil, outcome: outcome)
    prediction.step = step
    if let low, let high {
      prediction.interval = Interval(
        low: minutes(low.crossing(of: threshold), start).low,
        high: minutes(high.crossing(of: threshold), start).high)
      prediction.level = level
    }
    return prediction
  }

  /// Between which times a crossing lies, in min since the first drink.
  private static func minutes(_ crossing: SampledCurve.Crossing, _ start: Hours) -> Interval {
    switch crossing {
    case .neverAbove: Interval(low: 0, high: 0)
    case .at(let time, _, _):
      Interval(low: max(0, (time - start).minutes), high: max(0, (time - start).minutes))
    case .laterThan(let time): Interval(low: max(0, (time - start).minutes), high: .infinity)
    }
  }
}

/// What readers of a comparison with a given model should know of its predictions, gathered a score at a time.
public struct GivenModelCheck: Sendable {
  /// What was found.
  public struct Finding: Hashable, Sendable {
    /// The stable code.
    public let code: String
    /// What was found, and what it means.
    public let sentence: String
  }

  /// Of one model.
  private struct Counts {
    var missing: [String] = []
    var coarse = 0
    var crossings = 0
    var widest = Hours(0)
    var largestError = Hours(0)
    var uncovered = (readings: 0, series: 0)
  }

  private let models: [String]
  private var counts: [String: Counts] = [:]

  /// Steps up to so wide are fine enough.
  private static let fineStep = Hours(minutes: 15)

  /// Prepares to look at the scores of some models.
  public init(_ models: [String]) { self.models = models }

  /// Looks at a score.
  public mutating func add(_ score: SobrietyScore) {
    guard models.contains(score.method) else { return }
    var known = counts[score.method] ?? Counts()
    defer { counts[score.method] = known }
    if score.failure == .curveMissing { known.missing.append(score.series.name) }
    guard let step = (try? score.prediction.get())?.step else { return }
    known.crossings += 1
    guard step.width > Self.fineStep + .roundingSlack else { return }
    known.coarse += 1
    known.widest = max(known.widest, step.width)
    known.largestError = max(known.largestError, step.largestError)
  }

  /// Looks at a comparison with readings.
  public mutating func add(_ comparison: Comparison) {
    add(comparison.sobriety)
    guard models.contains(comparison.method), let agreement = comparison.agreement else { return }
    let used = comparison.uses.count(where: \.isUsed)
    guard agreement.errors.count < used else { return }
    counts[comparison.method, default: Counts()].uncovered.readings +=
      used - agreement.errors.count
    counts[comparison.method, default: Counts()].uncovered.series += 1
  }

  /// Everything that was found, model by model.
  public var findings: [Finding] {
    models.flatMap { model in counts[model].map { Self.findings(on: model, $0) } ?? [] }
  }

  private static func findings(on model: String, _ counts: Counts) -> [Finding] {
    var found: [Finding] = []
    if !counts.missing.isEmpty {
      let names = counts.missing.prefix(10).joined(separator: ", ")
      let rest = counts.missing.count > 10 ? " and \(counts.missing.count - 10) more" : ""
      found.append(
        Finding(
          code: "W_PREDICTION_MISSING", sentence: "\(model) has no prediction for \(names)\(rest).")
      )
    }
    if counts.coarse > 0 {
      let whole = { (time: Hours) in String(Int(time.minutes.rounded(.up))) }
      found.append(
        Finding(
          code: "W_PREDICTION_STEPS",
          sentence:
            "Where \(model) crosses the threshold, its points are up to \(whole(counts.widest)) min apart "
            + "(more than \(whole(fineStep)) min in \(counts.coarse) of \(counts.crossings) curves). The straight line "
            + "between them is off by at most \(whole(counts.largestError)) min; write the curve in finer steps."
        ))
    }
    let (readings, series) = counts.uncovered
    if readings > 0 {
      let (noun, verb) = readings == 1 ? ("reading", "lies") : ("readings", "lie")
      found.append(
        Finding(
          code: "W_PREDICTION_READINGS",
          sentence:
            "\(readings) \(noun) of \(series) series \(verb) before or after the curve of \(model) and "
            + "\(readings == 1 ? "is" : "are") not compared with it."))
    }
    return found
  }
}

extension Series {
  /// Subject, or subject and occasion, for sentences.
  fileprivate var name: String { occasion.map { "\(subject.id)/\($0)" } ?? subject.id }
}

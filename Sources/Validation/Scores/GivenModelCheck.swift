import AlcoholKinetics
import Estimation
import StudyData

/// Collects remarks on the predictions of given models, a score at a time.
package struct GivenModelCheck: Sendable {
  /// A remark on a model.
  package struct Finding: Hashable, Sendable {
    /// The stable code.
    package let code: String
    /// The finding and its meaning.
    package let sentence: String

    /// The sentence with its code, as notes carry it.
    package var remark: String { "\(code): \(sentence)" }
  }

  /// The counts of one model.
  private struct Counts {
    var missing: [String] = []
    var coarse = 0
    var crossings = 0
    var widest = Hours(0)
    var largestError = Hours(0)
    var uncovered = (readings: 0, series: 0)
    /// Predicted over measured times to sobriety, to where these are known.
    var ratios: [Double] = []
  }

  private var models: [String] = []
  private var counts: [String: Counts] = [:]

  /// Steps up to this width need no remark.
  private static let fineStep = Hours(minutes: 15)

  /// Checks scores; more may be added.
  package init(_ scores: [Score] = []) {
    for score in scores { add(score) }
  }

  /// Checks a score.
  package mutating func add(_ score: Score) {
    guard score.isGiven else { return }
    if counts[score.method] == nil { models.append(score.method) }
    var count = counts[score.method] ?? Counts()
    defer { counts[score.method] = count }
    if score.prediction.failure == .curveMissing { count.missing.append(score.series.name) }
    let used = score.uses.count(where: \.isUsed)
    if let agreement = score.agreement, agreement.errors.count < used {
      count.uncovered.readings += used - agreement.errors.count
      count.uncovered.series += 1
    }
    if let ratio = score.error?.roughRatio { count.ratios.append(ratio) }
    guard let step = (try? score.prediction.get())?.step else { return }
    count.crossings += 1
    guard step.width > Self.fineStep + .roundingSlack else { return }
    count.coarse += 1
    count.widest = max(count.widest, step.width)
    count.largestError = max(count.largestError, step.largestError)
  }

  /// The remarks so far, model by model.
  package var findings: [Finding] {
    models.flatMap { model in counts[model].map { Self.findings(on: model, $0) } ?? [] }
  }

  private static func findings(on model: String, _ counts: Counts) -> [Finding] {
    var findings: [Finding] = []
    if !counts.missing.isEmpty {
      let names = counts.missing.prefix(10).joined(separator: ", ")
      let rest = counts.missing.count > 10 ? " and \(counts.missing.count - 10) more" : ""
      findings.append(
        Finding(
          code: "W_PREDICTION_MISSING", sentence: "\(model) has no prediction for \(names)\(rest).")
      )
    }
    if let finding = scale(of: model, counts.ratios) { findings.append(finding) }
    if counts.coarse > 0 {
      let whole = { (time: Hours) in String(Int(time.minutes.rounded(.up))) }
      findings.append(
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
      findings.append(
        Finding(
          code: "W_PREDICTION_READINGS",
          sentence:
            "\(readings) \(noun) of \(series) series \(verb) before or after the curve of \(model) and "
            + "\(readings == 1 ? "is" : "are") not compared with it."))
    }
    return findings
  }

  /// Minutes in an hour, the factor between units of time.
  private static let factor = 60.0
  /// Predictions are off by less than this beside a wrong unit.
  private static let tolerance = 3.0
  /// The share of predictions that are off by the factor.
  private static let share = 0.9

  /// The remark that times are in another unit than the table says.
  private static func scale(of model: String, _ ratios: [Double]) -> Finding? {
    guard let typical = Sample(ratios)?.median else { return nil }
    let isTooSmall = typical < 1
    let wrong = isTooSmall ? 1 / factor : factor
    let off = ratios.count { (1 / tolerance...tolerance).contains($0 / wrong) }
    guard Double(off) >= share * Double(ratios.count) else { return nil }
    let times = isTooSmall ? 1 / typical : typical
    return Finding(
      code: "W_PREDICTION_SCALE",
      sentence:
        "\(off) of \(ratios.count) times by \(model) are about \(Int(times.rounded())) times too "
        + (isTooSmall
          ? "small. If they are hours, name the column sober_h, or time_h in a curve."
          : "large. If they are minutes, name the column sober_min, or time_min in a curve."))
  }
}

extension SobrietyError {
  /// Predicted over measured time by the middle of its limits, or by its only one; nil where either is the start.
  fileprivate var roughRatio: Double? {
    guard let predicted = predictedMinutes, predicted > 0, measured.low > 0 else { return nil }
    return predicted / (measured.high.isFinite ? (measured.low + measured.high) / 2 : measured.low)
  }
}

extension Series {
  /// Subject, or subject and occasion, for sentences.
  fileprivate var name: String { occasion.map { "\(subject.id)/\($0)" } ?? subject.id }
}

public import AlcoholKinetics
import StudyData

/// How many of one method's times to sobriety could be scored, and what is known of the others.
///
/// A series whose last reading is still above the threshold has no time to sobriety, but a prediction
/// before that reading is too early by at least the time between them. To pass over such series would
/// favour methods that predict too early.
public struct SobrietyCoverage: Hashable, Sendable {
  /// The method.
  public let rFactor: String
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// How many subjects the method predicts for.
  public let subjects: Int
  /// How many of them have a scored time, on one occasion at least.
  public let scoredSubjects: Int
  /// How many series the method predicts for.
  public let series: Int
  /// How many of them have a scored time.
  public let scored: Int
  /// How many series are still above the threshold at their last reading.
  public let censored: Int
  /// By how much at least the predictions before that reading are too early, in min, one for each.
  public let shortfalls: [Double]
  /// How many series were measured above the threshold but are predicted never to be.
  public let predictedNeverAbove: Int

  /// Counts for each method, in the order they were compared.
  static func all(of comparisons: [Comparison], sex: Sex?) -> [SobrietyCoverage] {
    var methods: [String] = []
    var scores: [String: [SobrietyScore]] = [:]
    for comparison in comparisons where sex == nil || comparison.series.subject.sex == sex {
      let method = comparison.rFactor
      if scores[method] == nil { methods.append(method) }
      scores[method, default: []].append(comparison.sobriety)
    }
    return methods.map { SobrietyCoverage($0, scores[$0] ?? [], sex) }
  }

  private init(_ method: String, _ scores: [SobrietyScore], _ sex: Sex?) {
    let predicted = scores.filter { (try? $0.prediction.get()) != nil }
    let scored = predicted.filter { $0.status == .ok }
    let censored = predicted.filter { $0.status == .notReached }
    rFactor = method
    self.sex = sex
    subjects = Set(predicted.map(\.series.subject.id)).count
    scoredSubjects = Set(scored.map(\.series.subject.id)).count
    series = predicted.count
    self.scored = scored.count
    self.censored = censored.count
    shortfalls = censored.compactMap(\.shortfall)
    predictedNeverAbove = predicted.count { $0.status == .predictedNeverAbove }
  }
}

extension SobrietyScore {
  /// By how much at least a prediction before the last reading above the threshold is too early, in
  /// min; nil if it is not. A curve that is never above counts as sober from the start.
  fileprivate var shortfall: Double? {
    guard let lastAbove = measured.lastAbove, let prediction = try? prediction.get() else {
      return nil
    }
    let shortfall = (lastAbove - (prediction.time ?? 0)).minutes
    return shortfall > 0 ? shortfall : nil
  }
}

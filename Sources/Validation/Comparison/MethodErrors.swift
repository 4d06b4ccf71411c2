import AlcoholKinetics
import Estimation
import StudyData

/// One unit of ranking and testing: a method on a series.
struct MethodOutcome {
  let key: SeriesKey
  let method: String
  let sex: Sex?
  /// Why the method cannot be used; nil if it can.
  let failure: SeriesFailure?
  /// The number of readings compared; 0 if not counted.
  var readings = 0
  /// Whether the prediction was computed elsewhere.
  var isGiven = false
  /// Whether the method has no formula for the subject's sex.
  var isUndefined: Bool { failure?.isMethodNotDefined == true }

  /// The outcome of a curve.
  init(ofCurve score: Score) {
    key = score.series.key
    sex = score.series.subject.sex
    method = score.method
    failure = score.curve.failure
    readings = score.agreement?.errors.count ?? 0
    isGiven = score.isGiven
  }

  /// The outcome of a time to sobriety.
  init(ofTime score: Score) {
    key = score.series.key
    sex = score.series.subject.sex
    method = score.method
    failure = score.prediction.failure
    isGiven = score.isGiven
  }

  init(_ comparison: RComparison) {
    key = SeriesKey(subject: comparison.subject.id, occasion: nil)
    sex = comparison.subject.sex
    method = comparison.rFactor
    failure = comparison.failure
  }
}

extension RankedMethods {
  /// Decides which methods are ranked. Returns the rows of ranked methods on their common series,
  /// followed by all rows of the others, which are summarised on their own.
  static func ranked<Row>(
    _ rows: [Row], requiresAllMethods: Bool, _ outcome: (Row) -> MethodOutcome
  ) -> (ranking: RankedMethods, rows: [Row]) {
    let outcomes = rows.map(outcome)
    let bySeries = outcomes.grouped(by: \.key)
    let methods = outcomes.grouped(by: \.method).map(\.key)
    let methodIndex = Dictionary(uniqueKeysWithValues: zip(methods, methods.indices))
    var isUsable = methods.map { _ in bySeries.map { _ in false } }
    var isUndefined = methods.map { _ in false }
    var isGiven = methods.map { _ in false }
    for (series, group) in bySeries.enumerated() {
      for outcome in group.values {
        guard let method = methodIndex[outcome.method] else { continue }
        isUsable[method][series] = outcome.failure == nil
        isGiven[method] = outcome.isGiven
        if outcome.isUndefined { isUndefined[method] = true }
      }
    }
    let byMethods = bySeries.indices.map { series in
      methods.indices.contains { !isGiven[$0] && isUsable[$0][series] }
    }
    let ranking = RankedMethods(
      methods.indices.map { method in
        Candidate(
          methods[method], isUsable: isUsable[method], isUndefined: isUndefined[method],
          hasGaps: isGiven[method]
            && bySeries.indices.contains { byMethods[$0] && !isUsable[method][$0] })
      },
      of: bySeries.map { key, group in
        Unit(subject: key.subject, readings: group.map(\.readings).max() ?? 0)
      }, requiresAllMethods: requiresAllMethods)
    guard !ranking.methods.isEmpty else { return (ranking, rows) }
    let names = Set(ranking.methods)
    let common = Set(ranking.series.map { bySeries[$0].key })
    let ranked = outcomes.indices.filter {
      names.contains(outcomes[$0].method) && common.contains(outcomes[$0].key)
    }
    let others = outcomes.indices.filter { !names.contains(outcomes[$0].method) }
    return (ranking, (ranked + others).map { rows[$0] })
  }
}

/// The errors of every method in one quantity, kept apart by subject.
///
/// The unit of resampling and ranking is the subject, because readings and occasions of one subject
/// are not independent.
struct MethodErrors {
  let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  let sex: Sex?
  /// The methods: ranked ones in the order of comparison, then the others.
  let methods: [String]
  /// The ranked methods, and the series they are ranked on.
  let ranking: RankedMethods

  /// Errors by method and series; nil without errors.
  private let errors: [String: [SeriesErrors?]]
  /// The series of each subject in order, as positions.
  private let series: [[Int]]
  /// The sex for which a method has no formula, where this left a subject without a prediction.
  let undefined: [String: Sex]

  /// The errors of predicted curves in concentration or peak.
  init(_ quantity: ComparedQuantity, of scores: [Score], sex: Sex?, _ ranking: RankedMethods) {
    let errors = scores.map { score in
      SeriesErrors(
        quantity.errors(of: score),
        covered: quantity == .concentration ? score.agreement?.covered : nil)
    }
    self.init(quantity, errors, of: scores.map(MethodOutcome.init(ofCurve:)), sex, ranking)
  }

  /// The expected absolute errors of predicted times, by one distribution of measured times.
  init(timesOf scores: [Score], sex: Sex?, _ ranking: RankedMethods) {
    let bySeries = scores.grouped(by: \.series.key).map(\.values)
    let expected = ExpectedTimeErrors.magnitudes(
      bySeries.map { $0.map(\.error) }, isGiven: bySeries.map { $0.map(\.isGiven) },
      of: bySeries.map { $0[0].series })
    self.init(
      .sobriety,
      expected.joined().map { magnitude in
        magnitude.flatMap { SeriesErrors([$0], areMagnitudes: true) }
      }, of: bySeries.joined().map(MethodOutcome.init(ofTime:)), sex, ranking)
  }

  /// The errors of r.
  init(of comparisons: [RComparison], sex: Sex?, _ ranking: RankedMethods) {
    let errors = comparisons.map { $0.error.flatMap { SeriesErrors([$0.value]) } }
    self.init(.r, errors, of: comparisons.map(MethodOutcome.init), sex, ranking)
  }

  /// - Parameter known: The errors of each outcome; nil without errors.
  private init(
    _ quantity: ComparedQuantity, _ known: [SeriesErrors?], of outcomes: [MethodOutcome],
    _ sex: Sex?, _ ranking: RankedMethods
  ) {
    self.quantity = quantity
    self.sex = sex
    self.ranking = ranking
    let bySeries = outcomes.indices.grouped { outcomes[$0].key }
    series = bySeries.indices.grouped { bySeries[$0].key.subject }.map(\.values)
    methods = outcomes.grouped(by: \.method).map(\.key)
    var errors = Dictionary(
      uniqueKeysWithValues: methods.map {
        ($0, [SeriesErrors?](repeating: nil, count: bySeries.count))
      })
    for (position, indices) in bySeries.map(\.values).enumerated() {
      for index in indices where known[index] != nil {
        errors[outcomes[index].method]?[position] = known[index]
      }
    }
    self.errors = errors
    undefined = outcomes.reduce(into: [:]) { undefined, outcome in
      if outcome.isUndefined { undefined[outcome.method] = outcome.sex }
    }
  }

  /// The number of subjects with errors by any method.
  var subjectCount: Int {
    series.indices.count { subject in methods.contains { hasErrors($0, subject) } }
  }

  /// The methods with errors for some subject.
  var methodsWithErrors: [String] {
    methods.filter { method in series.indices.contains { hasErrors(method, $0) } }
  }

  private func hasErrors(_ method: String, _ subject: Int) -> Bool {
    guard let bySeries = errors[method] else { return false }
    return series[subject].contains { bySeries[$0] != nil }
  }

  /// Returns the exact errors of a method by subject, without subjects that have none.
  func bySubject(_ method: String) -> [[Double]] {
    guard let bySeries = errors[method] else { return [] }
    return series.compactMap { positions in
      let exact = positions.flatMap { bySeries[$0]?.exact ?? [] }
      return exact.isEmpty ? nil : exact
    }
  }

  /// Returns the mean absolute errors of the methods, a row for each subject with errors by all of
  /// them.
  ///
  /// Means are over the series and readings for which all of the methods have errors, so that all
  /// are judged by the same readings.
  func meanAbsoluteErrors(_ methods: [String]) -> [[Double]] {
    let compared = methods.compactMap { errors[$0] }
    guard compared.count == methods.count else { return [] }
    return series.compactMap { positions in
      let rows = positions.compactMap { position -> [ErrorTotals]? in
        let row = compared.compactMap { $0[position] }
        return row.count == compared.count ? SeriesErrors.common(row) : nil
      }
      return rows.isEmpty
        ? nil
        : methods.indices.map { method in
          rows.reduce(into: ErrorTotals()) { $0 += $1[method] }.mae
        }
    }
  }

  /// Returns the mean absolute error of the first method minus that of the second, by subject.
  func differences(_ first: String, _ second: String) -> [Double] {
    meanAbsoluteErrors([first, second]).map { $0[0] - $0[1] }
  }
}

/// The errors of one series by one method.
private struct SeriesErrors {
  private let errors: [Double]
  private let areMagnitudes: Bool
  private let totals: ErrorTotals
  /// The indices of the readings that the errors belong to; nil for all.
  private let covered: [Int]?

  /// - Parameter areMagnitudes: Whether they are expected absolute errors, as for times to
  ///   sobriety.
  init?(_ errors: [Double], covered: [Int]? = nil, areMagnitudes: Bool = false) {
    guard !errors.isEmpty else { return nil }
    self.errors = errors
    self.areMagnitudes = areMagnitudes
    totals = ErrorTotals(of: errors)
    self.covered = covered
  }

  /// The signed errors; empty if only magnitudes are known.
  var exact: [Double] { areMagnitudes ? [] : errors }

  /// Returns the sums of several methods over the readings that all of them predict; nil without
  /// such readings.
  static func common(_ row: [SeriesErrors]) -> [ErrorTotals]? {
    let partial = row.compactMap(\.covered)
    guard let first = partial.first else { return row.map(\.totals) }
    let common = partial.dropFirst().reduce(Set(first)) { $0.intersection($1) }
    guard !common.isEmpty else { return nil }
    return row.map { errors in
      ErrorTotals(
        of: zip(errors.covered ?? Array(errors.errors.indices), errors.errors)
          .filter { common.contains($0.0) }.map(\.1))
    }
  }
}

import AlcoholKinetics
import Estimation
import StudyData

/// The errors of every method in one quantity, kept apart by subject.
///
/// A subject is what is drawn again in a bootstrap and ranked in a test: readings and occasions of
/// one subject are not independent.
struct MethodErrors {
  let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  let sex: Sex?
  /// The methods: those that are ranked, in the order they were compared, then the others.
  let methods: [String]
  /// Which of them are ranked, and on which series.
  let ranking: RankedMethods

  /// Errors by method and series; nil where there are none.
  private let errors: [String: [SeriesErrors?]]
  /// The series of each subject in order, as positions.
  private let series: [[Int]]
  /// For which sex a method has no formula, where this left a subject without a prediction.
  let undefined: [String: Sex]

  /// The errors of predicted curves in concentration or peak.
  init(
    _ quantity: ComparedQuantity, of comparisons: [Comparison], sex: Sex?, _ ranking: RankedMethods
  ) {
    let errors = comparisons.map { comparison in
      SeriesErrors(
        quantity.errors(of: comparison),
        covered: quantity == .concentration ? comparison.agreement?.covered : nil)
    }
    self.init(quantity, errors, of: comparisons, sex, ranking)
  }

  /// The errors of predicted times to sobriety, as far as they are expected by one distribution of measured times.
  init(timesOf scores: [SobrietyScore], sex: Sex?, _ ranking: RankedMethods) {
    let bySeries = scores.grouped(by: \.key).map(\.values)
    let expected = ExpectedTimeErrors.magnitudes(
      bySeries.map { $0.map(\.error) }, isGiven: bySeries.map { $0.map(\.isGiven) },
      of: bySeries.map { $0[0].series })
    let scores = bySeries.flatMap(\.self)
    let errors = zip(scores, expected.flatMap(\.self)).map { score, magnitude in
      magnitude.flatMap { magnitude in
        score.error.map { SeriesErrors($0, magnitude: magnitude) }
      }
    }
    self.init(.sobriety, errors, of: scores, sex, ranking)
  }

  /// The errors of r.
  init(of comparisons: [RComparison], sex: Sex?, _ ranking: RankedMethods) {
    let errors = comparisons.map { $0.error.flatMap { SeriesErrors([$0.value]) } }
    self.init(.r, errors, of: comparisons, sex, ranking)
  }

  /// - Parameter known: The errors of each outcome; nil where there are none.
  private init<Outcome: MethodOutcome>(
    _ quantity: ComparedQuantity, _ known: [SeriesErrors?], of outcomes: [Outcome], _ sex: Sex?,
    _ ranking: RankedMethods
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
    for (position, places) in bySeries.map(\.values).enumerated() {
      for place in places where known[place] != nil {
        errors[outcomes[place].method]?[position] = known[place]
      }
    }
    self.errors = errors
    undefined = outcomes.reduce(into: [:]) { undefined, outcome in
      if case .rFactor(.notDefined(let method, let sex)) = outcome.failure {
        undefined[method] = sex
      }
    }
  }

  /// How many subjects have errors by any method.
  var subjectCount: Int {
    series.indices.count { subject in methods.contains { hasErrors($0, subject) } }
  }

  /// The methods that have errors for somebody.
  var methodsWithErrors: [String] {
    methods.filter { method in series.indices.contains { hasErrors(method, $0) } }
  }

  private func hasErrors(_ method: String, _ subject: Int) -> Bool {
    guard let known = errors[method] else { return false }
    return series[subject].contains { known[$0] != nil }
  }

  /// Exact errors of a method, one list for each subject that has any.
  func bySubject(_ method: String) -> [[Double]] {
    guard let known = errors[method] else { return [] }
    return series.compactMap { positions in
      let exact = positions.flatMap { known[$0]?.exact ?? [] }
      return exact.isEmpty ? nil : exact
    }
  }

  /// The mean absolute error of the first method minus that of the second, for each subject that has errors by both,
  /// over the series that both have errors of.
  func differences(_ first: String, _ second: String) -> [Double] {
    common([first, second]).map { rows in rows.mae(0) - rows.mae(1) }
  }

  /// What the mean of these differences lies between, whatever the distribution of measured times: both ends are the
  /// same where errors are known exactly.
  func limits(_ first: String, _ second: String) -> Interval? {
    let limits = common([first, second]).map { rows -> Interval in
      let times = rows.compactMap { row in
        row[0].time.flatMap { first in row[1].time.map { (first, $0) } }
      }
      let difference = rows.mae(0) - rows.mae(1)
      return SobrietyError.difference(times) ?? Interval(low: difference, high: difference)
    }
    guard !limits.isEmpty else { return nil }
    return limits.dropFirst().reduce(limits[0], +) / Double(limits.count)
  }

  /// What methods are ranked by within subjects: a row for each subject that has errors by all of
  /// them, with the mean absolute error of each method.
  func blocks(_ methods: [String]) -> [[Double]] {
    common(methods).map { rows in methods.indices.map(rows.mae) }
  }

  /// What several methods know of the same series, for each subject that has such: a row for each series that all of
  /// them have errors for, with a value for each method. So no method is judged by other series than the next.
  private func common(_ methods: [String]) -> [[[SeriesErrors]]] {
    let known = methods.compactMap { errors[$0] }
    guard known.count == methods.count else { return [] }
    return series.compactMap { positions in
      let rows = positions.compactMap { position -> [SeriesErrors]? in
        let row = known.compactMap { $0[position] }
        return row.count == known.count ? SeriesErrors.common(row) : nil
      }
      return rows.isEmpty ? nil : rows
    }
  }
}

/// What is known of the errors of one series by one method.
private struct SeriesErrors {
  /// The errors; none for a time to sobriety, of which only limits are known.
  let exact: [Double]
  /// Their sums, or what is expected of the only one.
  let totals: ErrorTotals
  /// The limits of the error of a time to sobriety.
  let time: SobrietyError?
  /// Of which of the series' readings the errors are; nil for all of them.
  private let covered: [Int]?

  init?(_ errors: [Double], covered: [Int]? = nil) {
    guard !errors.isEmpty else { return nil }
    exact = errors
    totals = ErrorTotals(of: errors)
    time = nil
    self.covered = covered
  }

  /// The errors of several methods at the readings that all of them predict; nil if there are none.
  static func common(_ row: [SeriesErrors]) -> [SeriesErrors]? {
    let partial = row.compactMap(\.covered)
    guard let first = partial.first else { return row }
    let common = partial.dropFirst().reduce(Set(first)) { $0.intersection($1) }
    let restricted = row.compactMap { errors in
      SeriesErrors(
        zip(errors.covered ?? Array(errors.exact.indices), errors.exact)
          .filter { common.contains($0.0) }.map(\.1))
    }
    return restricted.count == row.count ? restricted : nil
  }

  init(_ time: SobrietyError, magnitude: Double) {
    exact = []
    totals = ErrorTotals(of: [magnitude])
    self.time = time
    covered = nil
  }
}

extension [[SeriesErrors]] {
  /// The mean absolute error of a method over all rows.
  fileprivate func mae(_ method: Int) -> Double {
    reduce(into: ErrorTotals()) { $0 += $1[method].totals }.mae
  }
}

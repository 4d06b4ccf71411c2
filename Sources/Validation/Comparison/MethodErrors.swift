import AlcoholKinetics
import Estimation
import StudyData

/// One row of what is ranked and tested: a method on a series.
struct MethodOutcome {
  let key: SeriesKey
  let method: String
  /// Why the method cannot be used; nil if it can.
  let failure: SeriesFailure?
  /// How many readings are compared; 0 where they are not counted.
  var readings = 0
  /// Whether it was computed elsewhere.
  var isGiven = false

  /// The outcome of a curve.
  init(ofCurve score: Score) {
    key = score.series.key
    method = score.method
    failure = score.curve.failure
    readings = score.agreement?.errors.count ?? 0
    isGiven = score.isGiven
  }

  /// The outcome of a time to sobriety.
  init(ofTime score: Score) {
    key = score.series.key
    method = score.method
    failure = score.prediction.failure
    isGiven = score.isGiven
  }

  init(_ comparison: RComparison) {
    key = SeriesKey(subject: comparison.subject.id, occasion: nil)
    method = comparison.rFactor
    failure = comparison.failure
  }
}

extension RankedMethods {
  /// Decides which methods are ranked, and takes the rows that the ranking is of: those of ranked methods on their common
  /// series, followed by all those of the others, who have figures of their own.
  static func ranked<Row>(
    _ rows: [Row], areAllWanted: Bool, _ outcome: (Row) -> MethodOutcome
  ) -> (ranking: RankedMethods, rows: [Row]) {
    let outcomes = rows.map(outcome)
    let bySeries = outcomes.grouped(by: \.key)
    let methods = outcomes.grouped(by: \.method).map(\.key)
    let places = Dictionary(uniqueKeysWithValues: zip(methods, methods.indices))
    var isUsable = methods.map { _ in bySeries.map { _ in false } }
    var isUndefined = methods.map { _ in false }
    var isGiven = methods.map { _ in false }
    for (series, group) in bySeries.enumerated() {
      for outcome in group.values {
        guard let method = places[outcome.method] else { continue }
        isUsable[method][series] = outcome.failure == nil
        isGiven[method] = outcome.isGiven
        if case .rFactor(.notDefined) = outcome.failure { isUndefined[method] = true }
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
      }, areAllWanted: areAllWanted)
    guard !ranking.methods.isEmpty else { return (ranking, rows) }
    let names = Set(ranking.methods)
    let common = Set(ranking.series.map { bySeries[$0].key })
    let (ranked, others) = (
      outcomes.indices.filter {
        names.contains(outcomes[$0].method) && common.contains(outcomes[$0].key)
      }, outcomes.indices.filter { !names.contains(outcomes[$0].method) }
    )
    return (ranking, (ranked + others).map { rows[$0] })
  }
}

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
  init(_ quantity: ComparedQuantity, of scores: [Score], sex: Sex?, _ ranking: RankedMethods) {
    let errors = scores.map { score in
      SeriesErrors(
        quantity.errors(of: score),
        covered: quantity == .concentration ? score.agreement?.covered : nil)
    }
    self.init(quantity, errors, of: scores.map(MethodOutcome.init(ofCurve:)), sex, ranking)
  }

  /// The errors of predicted times to sobriety, as far as they are expected by one distribution of measured times.
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

  /// - Parameter known: The errors of each outcome; nil where there are none.
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

  /// The mean absolute error of each method, a row for each subject that has errors by all of them.
  ///
  /// They are over the series, and of these over the readings, that all of the methods have errors for: so no method is judged
  /// by others than the next.
  func meanAbsoluteErrors(_ methods: [String]) -> [[Double]] {
    let known = methods.compactMap { errors[$0] }
    guard known.count == methods.count else { return [] }
    return series.compactMap { positions in
      let rows = positions.compactMap { position -> [ErrorTotals]? in
        let row = known.compactMap { $0[position] }
        return row.count == known.count ? SeriesErrors.common(row) : nil
      }
      return rows.isEmpty
        ? nil
        : methods.indices.map { method in
          rows.reduce(into: ErrorTotals()) { $0 += $1[method] }.mae
        }
    }
  }

  /// The mean absolute error of the first method minus that of the second, for each subject that has errors by both.
  func differences(_ first: String, _ second: String) -> [Double] {
    meanAbsoluteErrors([first, second]).map { $0[0] - $0[1] }
  }
}

/// The errors of one series by one method.
private struct SeriesErrors {
  private let errors: [Double]
  private let areMagnitudes: Bool
  private let totals: ErrorTotals
  /// Of which of the series' readings the errors are; nil for all of them.
  private let covered: [Int]?

  /// - Parameter areMagnitudes: Whether they are expected without sign, as those of times to sobriety.
  init?(_ errors: [Double], covered: [Int]? = nil, areMagnitudes: Bool = false) {
    guard !errors.isEmpty else { return nil }
    self.errors = errors
    self.areMagnitudes = areMagnitudes
    totals = ErrorTotals(of: errors)
    self.covered = covered
  }

  /// The errors with their signs; none where these are not known.
  var exact: [Double] { areMagnitudes ? [] : errors }

  /// The sums of several methods over the readings that all of them predict; nil if there are none.
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

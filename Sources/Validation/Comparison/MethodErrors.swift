import AlcoholKinetics
import Estimation
import StudyData

/// The errors of every method in one quantity, kept apart by subject.
///
/// A subject is what is drawn again in a bootstrap and ranked in a test: readings and occasions of
/// one person are not independent.
struct MethodErrors {
  let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  let sex: Sex?
  /// The methods, in the order they were compared.
  let methods: [String]

  /// Errors by method and series; nil where there are none.
  private let errors: [String: [SeriesErrors?]]
  /// The series of each subject in order, as positions.
  private let series: [[Int]]
  /// For which sex a method has no formula, where this left a subject without a prediction.
  let undefined: [String: Sex]

  /// One prediction: whose, by which method, and its errors.
  private struct Entry {
    let subject: Subject
    let occasion: String?
    let method: String
    let errors: SeriesErrors?
    let failure: SeriesFailure?
  }

  /// The errors of predicted curves.
  init(_ quantity: ComparedQuantity, of comparisons: [Comparison], sex: Sex?) {
    let entries = comparisons.map { comparison in
      Entry(
        subject: comparison.series.subject, occasion: comparison.series.occasion,
        method: comparison.rFactor, errors: SeriesErrors(quantity, of: comparison),
        failure: comparison.failure)
    }
    self.init(quantity, entries, sex)
  }

  /// The errors of r.
  init(of comparisons: [RComparison], sex: Sex?) {
    let entries = comparisons.map { comparison in
      Entry(
        subject: comparison.subject, occasion: nil, method: comparison.rFactor,
        errors: comparison.error.flatMap { SeriesErrors([$0.value]) }, failure: comparison.failure)
    }
    self.init(.r, entries, sex)
  }

  private init(_ quantity: ComparedQuantity, _ entries: [Entry], _ sex: Sex?) {
    self.quantity = quantity
    self.sex = sex
    var methods: [String] = []
    var subjects: [String: Int] = [:]
    var series: [[Int]] = []
    var positions: [[String?]: Int] = [:]
    var errors: [String: [Int: SeriesErrors]] = [:]
    var undefined: [String: Sex] = [:]
    for entry in entries where sex == nil || entry.subject.sex == sex {
      if !methods.contains(entry.method) { methods.append(entry.method) }
      let key = [entry.subject.id, entry.occasion]
      let position = positions[key] ?? positions.count
      if position == positions.count {
        positions[key] = position
        let subject = subjects[entry.subject.id] ?? series.count
        if subject == series.count {
          subjects[entry.subject.id] = subject
          series.append([])
        }
        series[subject].append(position)
      }
      if let known = entry.errors { errors[entry.method, default: [:]][position] = known }
      if case .rFactor(.notDefined(let method, let sex)) = entry.failure { undefined[method] = sex }
    }
    self.methods = methods
    self.series = series
    self.errors = errors.mapValues { known in (0..<positions.count).map { known[$0] } }
    self.undefined = undefined
  }

  /// How many subjects have errors by any method.
  var subjectCount: Int {
    series.indices.count { subject in methods.contains { hasErrors($0, subject) } }
  }

  /// The methods that have errors for every subject that has any.
  var methodsForAll: [String] {
    let everybody = subjectCount
    return methods.filter { method in series.indices.count { hasErrors(method, $0) } == everybody }
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

  /// What several methods know of the same series of a subject: a row for each series that all of them
  /// have errors for, with a value for each method. So no method is judged by other series than the
  /// next.
  private func common(_ methods: [String], _ subject: Int) -> [[SeriesErrors]] {
    let known = methods.compactMap { errors[$0] }
    guard known.count == methods.count else { return [] }
    return series[subject].compactMap { position in
      let row = known.compactMap { $0[position] }
      return row.count == known.count ? row : nil
    }
  }

  /// The mean absolute error of the first method minus that of the second, between what it lies, for
  /// each subject that has errors by both; both ends are the same where errors are known exactly.
  func differences(_ first: String, _ second: String) -> [Interval] {
    guard let first = errors[first], let second = errors[second] else { return [] }
    return series.compactMap { positions in
      SeriesErrors.difference(
        positions.lazy.compactMap { position in
          first[position].flatMap { first in second[position].map { (first, $0) } }
        })
    }
  }

  /// What methods are ranked by within subjects: a row for each subject that has errors by all of
  /// them, with a value for each method that is smaller the better the method is.
  ///
  /// It is the mean absolute error, where errors are known exactly. Where only limits are, it is by how
  /// many others the method is surely beaten less how many it surely beats, so that methods of which the
  /// readings do not tell which is nearer do not count against each other.
  ///
  /// Source: the scores of E. A. Gehan, Biometrika 52 (1965) 203-223.
  func blocks(_ methods: [String]) -> [[Double]] {
    series.indices.compactMap { subject in
      let rows = common(methods, subject)
      guard !rows.isEmpty else { return nil }
      guard quantity == .sobriety else {
        return methods.indices.map { method in
          rows.reduce(into: ErrorTotals()) { $0 += $1[method].totals }.mae
        }
      }
      return methods.indices.map { method in
        methods.indices.reduce(0) { sum, other in
          let difference = SeriesErrors.difference(rows.lazy.map { ($0[method], $0[other]) })
          guard let difference, other != method else { return sum }
          return sum + (difference.low > 0 ? 1 : 0) - (difference.high < 0 ? 1 : 0)
        }
      }
    }
  }

  /// How many subjects have a series without a latest time to sobriety that leaves open which of two
  /// methods is nearer. Ranks without what these would say would favour methods that predict late, which
  /// no reading can contradict.
  ///
  /// - Parameters:
  ///   - methods: The methods.
  ///   - isForAll: Whether only subjects count that all of them have errors for; otherwise each is
  ///     judged by those methods that have errors for it.
  func openSubjects(_ methods: [String], isForAll: Bool = true) -> Int {
    series.indices.count { subject in
      let own = methods.filter { hasErrors($0, subject) }
      return (!isForAll || own.count == methods.count) && isOpen(subject, own)
    }
  }

  private func isOpen(_ subject: Int, _ methods: [String]) -> Bool {
    let rows = common(methods, subject)
    guard rows.contains(where: { $0.contains { !$0.hasLatestTime } }) else { return false }
    return methods.indices.contains { first in
      methods.indices.dropFirst(first + 1).contains { second in
        guard let difference = SeriesErrors.difference(rows.lazy.map { ($0[first], $0[second]) })
        else { return false }
        return difference.low < 0 && difference.high > 0
      }
    }
  }
}

/// What is known of the errors of one series by one method: the errors themselves, or limits of the
/// error of a time to sobriety.
private enum SeriesErrors {
  case exact([Double], ErrorTotals)
  case limited(SobrietyError)

  /// Nil if there are none.
  init?(_ errors: [Double]) {
    guard !errors.isEmpty else { return nil }
    self = .exact(errors, ErrorTotals(of: errors))
  }

  /// The errors of a predicted curve; nil if there are none.
  init?(_ quantity: ComparedQuantity, of comparison: Comparison) {
    guard quantity == .sobriety else {
      self.init(quantity.errors(of: comparison))
      return
    }
    guard let error = comparison.sobriety.error else { return nil }
    self = .limited(error)
  }

  /// The errors themselves; none where only limits are known.
  var exact: [Double] {
    if case .exact(let errors, _) = self { errors } else { [] }
  }

  /// Their sums.
  var totals: ErrorTotals {
    if case .exact(_, let totals) = self { totals } else { ErrorTotals() }
  }

  /// Limits of the error of a time to sobriety; nil where errors are known exactly.
  var limited: SobrietyError? {
    if case .limited(let error) = self { error } else { nil }
  }

  /// Whether it is known how late sobriety was at most, where that matters.
  var hasLatestTime: Bool { limited?.hasLatestTime ?? true }

  /// The mean absolute error of the first minus that of the second of each pair, between what it lies;
  /// nil if there are no pairs.
  static func difference(_ pairs: some Sequence<(SeriesErrors, SeriesErrors)>) -> Interval? {
    var limited: [(SobrietyError, SobrietyError)] = []
    var (first, second) = (ErrorTotals(), ErrorTotals())
    for pair in pairs {
      if case (.limited(let one), .limited(let other)) = pair {
        limited.append((one, other))
      } else {
        first += pair.0.totals
        second += pair.1.totals
      }
    }
    if !limited.isEmpty { return SobrietyError.difference(limited) }
    guard first.count > 0, second.count > 0 else { return nil }
    return Interval(low: first.mae - second.mae, high: first.mae - second.mae)
  }
}

import AlcoholKinetics
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

  /// What is known of the errors of one series by one method.
  fileprivate enum Errors {
    /// The errors themselves.
    case exact([Double])
    /// Limits of the error of a time to sobriety.
    case limited(SobrietyError)

    var isEmpty: Bool {
      switch self {
      case .exact(let errors): errors.isEmpty
      case .limited: false
      }
    }
  }

  /// Errors by method, subject and occasion; none are empty.
  private let errors: [String: [String: [String?: Errors]]]
  /// The subjects in order.
  private let subjects: [String]
  /// The occasions of each subject in order.
  private let occasions: [String: [String?]]
  /// For which sex a method has no formula, where this left a subject without a prediction.
  let undefined: [String: Sex]

  /// One prediction: whose, by which method, and its errors.
  private struct Entry {
    let subject: Subject
    let occasion: String?
    let method: String
    let errors: Errors?
    let failure: SeriesFailure?
  }

  /// The errors of predicted curves.
  init(_ quantity: ComparedQuantity, of comparisons: [Comparison], sex: Sex?) {
    let entries = comparisons.map { comparison in
      Entry(
        subject: comparison.series.subject, occasion: comparison.series.occasion,
        method: comparison.rFactor,
        errors: quantity == .sobriety
          ? comparison.sobriety.error.map(Errors.limited)
          : .exact(quantity.errors(of: comparison)),
        failure: comparison.failure)
    }
    self.init(quantity, entries, sex)
  }

  /// The errors of r.
  init(of comparisons: [RComparison], sex: Sex?) {
    let entries = comparisons.map { comparison in
      Entry(
        subject: comparison.subject, occasion: nil, method: comparison.rFactor,
        errors: comparison.error.map { .exact([$0.value]) }, failure: comparison.failure)
    }
    self.init(.r, entries, sex)
  }

  private init(_ quantity: ComparedQuantity, _ entries: [Entry], _ sex: Sex?) {
    self.quantity = quantity
    self.sex = sex
    var methods: [String] = []
    var subjects: [String] = []
    var occasions: [String: [String?]] = [:]
    var seen: Set<[String?]> = []
    var errors: [String: [String: [String?: Errors]]] = [:]
    var undefined: [String: Sex] = [:]
    for entry in entries where sex == nil || entry.subject.sex == sex {
      let subject = entry.subject.id
      if !methods.contains(entry.method) { methods.append(entry.method) }
      if occasions[subject] == nil { subjects.append(subject) }
      if seen.insert([subject, entry.occasion]).inserted {
        occasions[subject, default: []].append(entry.occasion)
      }
      if let known = entry.errors, !known.isEmpty {
        errors[entry.method, default: [:]][subject, default: [:]][entry.occasion] = known
      }
      if case .rFactor(.notDefined(let method, let sex)) = entry.failure { undefined[method] = sex }
    }
    self.methods = methods
    self.subjects = subjects
    self.occasions = occasions
    self.errors = errors
    self.undefined = undefined
  }

  /// How many subjects have errors by any method.
  var subjectCount: Int {
    subjects.count { subject in methods.contains { hasErrors($0, subject) } }
  }

  /// The methods that have errors for every subject that has any.
  var methodsForAll: [String] {
    let everybody = subjectCount
    return methods.filter { method in subjects.count { hasErrors(method, $0) } == everybody }
  }

  /// The methods that have errors for somebody.
  var methodsWithErrors: [String] {
    methods.filter { method in subjects.contains { hasErrors(method, $0) } }
  }

  private func hasErrors(_ method: String, _ subject: String) -> Bool {
    errors[method]?[subject] != nil
  }

  /// Exact errors of a method, one list for each subject that has any.
  func bySubject(_ method: String) -> [[Double]] {
    subjects.compactMap { subject in
      let known = (occasions[subject] ?? []).compactMap { errors[method]?[subject]?[$0] }
      let exact = known.flatMap(\.exact)
      return exact.isEmpty ? nil : exact
    }
  }

  /// What several methods know of the same series of a subject: a row for each series that all of them
  /// have errors for, with a value for each method. So no method is judged by other series than the
  /// next.
  private func common(_ methods: [String], _ subject: String) -> [[Errors]] {
    let known = methods.map { errors[$0]?[subject] ?? [:] }
    return (occasions[subject] ?? []).compactMap { occasion in
      let row = known.compactMap { $0[occasion] }
      return row.count == methods.count ? row : nil
    }
  }

  /// The mean absolute error of the first method minus that of the second, between what it lies, for
  /// each subject that has errors by both; both ends are the same where errors are known exactly.
  func differences(_ first: String, _ second: String) -> [Interval] {
    subjects.compactMap { subject in
      Self.difference(common([first, second], subject).map { ($0[0], $0[1]) })
    }
  }

  /// The difference over the series of one subject; nil if there are none.
  private static func difference(_ series: [(first: Errors, second: Errors)]) -> Interval? {
    guard !series.isEmpty else { return nil }
    let limits = series.compactMap { $0.first.limits(of: $0.second) }
    guard limits.isEmpty else {
      return limits.reduce(Interval(low: 0, high: 0), +) / Double(limits.count)
    }
    guard let first = ErrorSummary(errors: series.flatMap(\.first.exact))?.mae,
      let second = ErrorSummary(errors: series.flatMap(\.second.exact))?.mae
    else { return nil }
    return Interval(low: first - second, high: first - second)
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
    subjects.compactMap { subject in
      let series = common(methods, subject)
      guard !series.isEmpty else { return nil }
      guard quantity == .sobriety else {
        let row = methods.indices.compactMap { method in
          ErrorSummary(errors: series.flatMap { $0[method].exact })?.mae
        }
        return row.count == methods.count ? row : nil
      }
      return methods.indices.map { method in
        methods.indices.reduce(0) { sum, other in
          let difference = Self.difference(series.map { ($0[method], $0[other]) })
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
    subjects.count { subject in
      let own = methods.filter { hasErrors($0, subject) }
      return (!isForAll || own.count == methods.count) && isOpen(subject, own)
    }
  }

  private func isOpen(_ subject: String, _ methods: [String]) -> Bool {
    let series = common(methods, subject)
    guard series.contains(where: { $0.contains { !$0.hasLatestTime } }) else { return false }
    return methods.indices.contains { first in
      methods.indices.dropFirst(first + 1).contains { second in
        guard let difference = Self.difference(series.map { ($0[first], $0[second]) }) else {
          return false
        }
        return difference.low < 0 && difference.high > 0
      }
    }
  }
}

extension MethodErrors.Errors {
  /// The errors themselves; none where they are not known.
  fileprivate var exact: [Double] {
    guard case .exact(let errors) = self else { return [] }
    return errors
  }

  /// Whether it is known how late sobriety was at most, where that matters.
  fileprivate var hasLatestTime: Bool {
    guard case .limited(let error) = self else { return true }
    return error.hasLatestTime
  }

  /// By how much this error can be larger than another of the same series, without signs; nil where
  /// both are known exactly.
  fileprivate func limits(of other: Self) -> Interval? {
    guard case .limited(let error) = self, case .limited(let other) = other else { return nil }
    return error.difference(from: other)
  }
}

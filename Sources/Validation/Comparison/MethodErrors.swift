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

  /// Errors by method and subject.
  private let errors: [String: [String: [Double]]]
  /// The subjects in order.
  private let subjects: [String]
  /// By method the mean absolute error of each subject in order; nil for those without errors.
  private let means: [String: [Double?]]
  /// For which sex a method has no formula, where this left a subject without a prediction.
  let undefined: [String: Sex]

  /// One prediction: whose, by which method, and its errors.
  private struct Entry {
    let subject: Subject
    let method: String
    let errors: [Double]
    let failure: SeriesFailure?
  }

  /// The errors of predicted curves.
  init(_ quantity: ComparedQuantity, of comparisons: [Comparison], sex: Sex?) {
    let entries = comparisons.map { comparison in
      Entry(
        subject: comparison.series.subject, method: comparison.rFactor,
        errors: quantity.errors(of: comparison), failure: comparison.failure)
    }
    self.init(quantity, entries, sex)
  }

  /// The errors of r.
  init(of comparisons: [RComparison], sex: Sex?) {
    let entries = comparisons.map { comparison in
      Entry(
        subject: comparison.subject, method: comparison.rFactor,
        errors: comparison.error.map { [$0.value] } ?? [], failure: comparison.failure)
    }
    self.init(.r, entries, sex)
  }

  private init(_ quantity: ComparedQuantity, _ entries: [Entry], _ sex: Sex?) {
    self.quantity = quantity
    self.sex = sex
    var methods: [String] = []
    var subjects: [String] = []
    var known: Set<String> = []
    var errors: [String: [String: [Double]]] = [:]
    var undefined: [String: Sex] = [:]
    for entry in entries where sex == nil || entry.subject.sex == sex {
      let subject = entry.subject.id
      if !methods.contains(entry.method) { methods.append(entry.method) }
      if known.insert(subject).inserted { subjects.append(subject) }
      errors[entry.method, default: [:]][subject, default: []].append(contentsOf: entry.errors)
      if case .rFactor(.notDefined(let method, let sex)) = entry.failure { undefined[method] = sex }
    }
    self.methods = methods
    self.subjects = subjects
    self.errors = errors
    means = errors.mapValues { bySubject in
      subjects.map { ErrorSummary(errors: bySubject[$0] ?? [])?.mae }
    }
    self.undefined = undefined
  }

  /// How many subjects have errors by any method.
  var subjectCount: Int {
    subjects.count { subject in methods.contains { hasErrors($0, subject) } }
  }

  /// The methods that have errors for every subject that has any.
  var methodsForAll: [String] {
    let everybody = subjectCount
    return methods.filter { bySubject($0).count == everybody }
  }

  private func hasErrors(_ method: String, _ subject: String) -> Bool {
    errors[method]?[subject]?.isEmpty == false
  }

  /// Errors of a method, one list for each subject that has any.
  func bySubject(_ method: String) -> [[Double]] {
    subjects.compactMap { errors[method]?[$0] }.filter { !$0.isEmpty }
  }

  /// Mean absolute errors: a row for each subject that has errors by all the methods named, with a
  /// value for each method.
  func meanAbsoluteErrors(_ methods: [String]) -> [[Double]] {
    let columns = methods.compactMap { means[$0] }
    guard columns.count == methods.count else { return [] }
    return subjects.indices.compactMap { subject in
      let row = columns.compactMap { $0[subject] }
      return row.count == columns.count ? row : nil
    }
  }
}

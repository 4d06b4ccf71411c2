public import AlcoholKinetics

/// Two methods on the same subjects: which has the smaller mean absolute error, and how surely.
public struct MethodPair: Sendable {
  /// The first method.
  public let first: String
  /// The second method.
  public let second: String
  /// What is judged.
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// How many subjects have errors by both.
  public let subjects: Int
  /// Mean over subjects of the first method's mean absolute error minus the second's, in the unit of
  /// the quantity; negative where the first is better.
  public let difference: Double
  /// Bootstrap interval of the difference, over subjects; nil for fewer than 2.
  public let interval: Interval?
  /// Two-sided p of Wilcoxon's signed rank test of the subjects' differences; nil if all are zero.
  public let wilcoxonP: Double?
  /// The same after Holm's correction for all pairs of this quantity and sex.
  public let holmP: Double?
  /// The method with the smaller error, named only where the interval excludes 0 and the corrected
  /// p is at most 1 - level; otherwise nil.
  public let better: String?

  /// Compares all pairs of methods.
  static func pairs(of all: MethodErrors, _ bootstrap: Bootstrap) -> [MethodPair] {
    let drafts = all.methods.indices.flatMap { first in
      all.methods.indices.dropFirst(first + 1).compactMap { second in
        Draft(all.methods[first], all.methods[second], all, bootstrap)
      }
    }
    let adjusted = Holm.adjusted(drafts.compactMap(\.wilcoxonP))
    var next = adjusted.makeIterator()
    return drafts.map { draft in
      MethodPair(draft, all, holmP: draft.wilcoxonP.flatMap { _ in next.next() }, bootstrap.level)
    }
  }

  private init(_ draft: Draft, _ all: MethodErrors, holmP: Double?, _ level: Double) {
    first = draft.first
    second = draft.second
    quantity = all.quantity
    sex = all.sex
    subjects = draft.subjects
    difference = draft.difference
    interval = draft.interval
    wilcoxonP = draft.wilcoxonP
    self.holmP = holmP
    let isSure = (holmP ?? 1) <= 1 - level
    better =
      switch draft.interval {
      case let interval? where isSure && interval.high < 0: draft.first
      case let interval? where isSure && interval.low > 0: draft.second
      default: nil
      }
  }

  /// A pair before the correction, which needs all of them.
  private struct Draft {
    let first: String
    let second: String
    let subjects: Int
    let difference: Double
    let interval: Interval?
    let wilcoxonP: Double?

    init?(_ first: String, _ second: String, _ all: MethodErrors, _ bootstrap: Bootstrap) {
      let differences = all.meanAbsoluteErrors([first, second]).map { $0[0] - $0[1] }
      guard let sample = Sample(differences) else { return nil }
      self.first = first
      self.second = second
      subjects = sample.count
      difference = sample.mean
      interval = bootstrap.interval(count: differences.count) { drawn in
        Sample(drawn.map { differences[$0] })?.mean
      }
      wilcoxonP = WilcoxonSignedRank(differences: differences)?.pValue
    }
  }
}

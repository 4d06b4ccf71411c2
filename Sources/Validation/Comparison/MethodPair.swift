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
  /// the quantity; negative where the first is better. Where only ``limits`` of it are known, the one
  /// nearer to 0, or 0 between them: by how much the methods differ for certain.
  public let difference: Double
  /// What the difference lies between: both ends are the same but for times to sobriety.
  public let limits: Interval
  /// Bootstrap interval of the difference, over subjects; nil for fewer than 2. Where only limits of the
  /// difference are known, from the lower end for the lower to the upper end for the upper limit.
  public let interval: Interval?
  /// Two-sided p of Wilcoxon's signed rank test of the subjects' differences; nil if all are zero. Where
  /// only limits are known, the larger of that for all lower and that for all upper limits, and 1 if the
  /// two speak for different methods: no choice between the limits is surer.
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
    limits = draft.limits
    difference = min(max(0, limits.low), limits.high)
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
    let limits: Interval
    let interval: Interval?
    let wilcoxonP: Double?

    init?(_ first: String, _ second: String, _ all: MethodErrors, _ bootstrap: Bootstrap) {
      let differences = all.differences(first, second)
      guard let low = DifferenceSample(differences.map(\.low), bootstrap) else { return nil }
      let isExact = differences.allSatisfy { $0.low == $0.high }
      guard let high = isExact ? low : DifferenceSample(differences.map(\.high), bootstrap) else {
        return nil
      }
      self.first = first
      self.second = second
      subjects = differences.count
      limits = Interval(low: low.mean, high: high.mean)
      interval = low.interval.flatMap { low in
        high.interval.map { Interval(low: low.low, high: $0.high) }
      }
      wilcoxonP = isExact ? low.wilcoxon?.pValue : Self.surest(low.wilcoxon, high.wilcoxon)
    }

    /// The p that holds for both ends of all limits.
    private static func surest(
      _ low: WilcoxonSignedRank?, _ high: WilcoxonSignedRank?
    ) -> Double? {
      guard let low, let high else { return low == nil && high == nil ? nil : 1 }
      return low.leansUp == high.leansUp ? max(low.pValue, high.pValue) : 1
    }
  }
}

/// One difference of each subject, with its mean and how sure that is; nil if some have no limit.
private struct DifferenceSample {
  let mean: Double
  let interval: Interval?
  let wilcoxon: WilcoxonSignedRank?

  init?(_ differences: [Double], _ bootstrap: Bootstrap) {
    guard let sample = Sample(differences) else { return nil }
    mean = sample.mean
    interval = bootstrap.interval(count: differences.count) { drawn in
      Sample(drawn.map { differences[$0] })?.mean
    }
    wilcoxon = WilcoxonSignedRank(differences: differences)
  }
}

extension WilcoxonSignedRank {
  /// Whether positive differences outweigh negative ones.
  fileprivate var leansUp: Bool {
    4 * positiveRankSum > Double(count) * Double(count + 1)
  }
}

public import AlcoholKinetics
import GSL
import RealModule

/// Two methods on the same subjects: which has the smaller mean absolute error, and how surely.
public struct MethodPair: Sendable {
  /// Whether a method is called better, or why none is.
  public enum Verdict: String, CaseIterable, Sendable {
    /// One of them is better: see ``MethodPair/better``.
    case better
    /// Interval or test do not show a difference.
    case notShown = "not-shown"
    /// Whatever the differences were, so few subjects could not show one among so many comparisons.
    case tooFewSubjects = "too-few-subjects"
    /// A difference is shown with the k_a and beta asked for, but not with all others.
    case dependsOnKinetics = "depends-on-ka-beta"
    /// There are no k_a and beta of other subjects to predict with.
    case noLeftOut = "no-left-out"
    /// Other k_a and beta were not tried.
    case notExamined = "not-examined"
  }

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
  /// Interval of the difference, over subjects; nil for fewer than 2.
  public let interval: Interval?
  /// Two-sided p of Wilcoxon's signed rank test of the subjects' differences; nil if all are zero.
  public let wilcoxonP: Double?
  /// The same after Holm's correction for all pairs of all quantities and sexes.
  public let holmP: Double?
  /// The least that ``holmP`` could be with so many subjects and comparisons: if all differences of
  /// every pair were of one sign.
  public let leastHolmP: Double
  /// The difference with the k_a and beta of all other subjects' fits; nil where that was not tried, or
  /// there are none.
  public let leftOutDifference: Double?
  /// The least and the largest difference over all k_a and beta tried, left-out ones and those asked
  /// for included; nil where no others were tried.
  public let differences: Interval?
  /// Of all k_a and beta tried the largest p of Wilcoxon's test, 1 where the difference has another
  /// sign or the interval does not exclude 0, after Holm's correction; nil where no others were tried.
  public let worstHolmP: Double?
  /// Whether a method is called better, or why none is.
  public let verdict: Verdict
  /// The method with the smaller error, named only where the interval excludes 0 and the corrected
  /// p is at most 1 - level, with the k_a and beta asked for, those of all other subjects' fits, and
  /// over a range (``NamingBasis``); otherwise nil.
  ///
  /// Of r itself, for which no k_a and beta are needed, interval and test are enough.
  public let better: String?

  /// How the interval is made; nil where there is none.
  public var intervalKind: Bootstrap.Kind? {
    interval.flatMap { _ in Bootstrap.kind(count: subjects) }
  }

  /// The fewest subjects with whom one difference among so many comparisons can be shown: of n subjects
  /// whose differences have one sign the p is 2 / 2^n, and Holm's correction multiplies it by the
  /// comparisons.
  public static func fewestSubjects(comparisons: Int, alpha: Double) -> Int {
    (1...1000).first { Double(comparisons) * Double.exp2(1 - Double($0)) <= alpha } ?? 1000
  }

  /// Judges pairs, all of which are tested together.
  ///
  /// - Parameters:
  ///   - drafts: All pairs of all quantities and sexes.
  ///   - intervals: The interval of each one's difference.
  ///   - basis: What other k_a and beta make of them; nil where that was not tried.
  ///   - level: The level of intervals and tests.
  static func judged(
    _ drafts: [Draft], _ intervals: [Interval?], by basis: NamingBasis?, level: Double
  ) -> [MethodPair] {
    // A pair without differences is tested, too: it counts as one more comparison.
    let holm = Holm.adjusted(drafts.map { $0.wilcoxonP ?? 1 })
    let least = Holm.adjusted(drafts.map(\.leastP))
    let others = basis.map { basis in
      drafts.map { OtherKinetics($0, by: basis, level: level) }
    }
    let worst = others.map { others in
      Holm.adjusted(zip(drafts, others).map { max($0.wilcoxonP ?? 1, $1.largestP) })
    }
    return drafts.indices.map { index in
      MethodPair(
        drafts[index], intervals[index], holmP: holm[index], leastHolmP: least[index],
        others?[index], worstHolmP: worst?[index], level)
    }
  }

  private init(
    _ draft: Draft, _ interval: Interval?, holmP: Double, leastHolmP: Double,
    _ others: OtherKinetics?, worstHolmP: Double?, _ level: Double
  ) {
    first = draft.first
    second = draft.second
    quantity = draft.quantity
    sex = draft.sex
    subjects = draft.differences.count
    difference = draft.mean
    self.interval = interval
    wilcoxonP = draft.wilcoxonP
    self.holmP = draft.wilcoxonP.map { _ in holmP }
    self.leastHolmP = leastHolmP
    // r itself needs no k_a and beta.
    let others = draft.quantity == .r ? nil : others
    leftOutDifference = others?.leftOut
    differences = others.map { others in
      let all = others.means + [draft.mean]
      return Interval(low: all.min() ?? draft.mean, high: all.max() ?? draft.mean)
    }
    self.worstHolmP = others.flatMap { _ in worstHolmP }

    let alpha = 1 - level
    let excludesZero = interval.map { $0.high < 0 || $0.low > 0 } ?? false
    if leastHolmP > alpha {
      verdict = .tooFewSubjects
    } else if !excludesZero || draft.wilcoxonP == nil || holmP > alpha {
      verdict = .notShown
    } else if draft.quantity == .r {
      verdict = .better
    } else if let others {
      verdict =
        others.leftOut == nil
        ? .noLeftOut : (worstHolmP ?? 1) <= alpha ? .better : .dependsOnKinetics
    } else {
      verdict = .notExamined
    }
    better = verdict == .better ? (draft.mean < 0 ? draft.first : draft.second) : nil
  }
}

extension MethodPair {
  /// A pair before it is judged, for which all of them are needed.
  struct Draft {
    let first: String
    let second: String
    let quantity: ComparedQuantity
    let sex: Sex?
    /// The first method's mean absolute error minus the second's, of each subject that has both.
    let differences: [Double]
    let mean: Double
    let wilcoxonP: Double?
    /// The p of the test if all differences were of one sign; 1 if all are zero.
    let leastP: Double

    /// All pairs of the methods that have errors of the same subjects.
    static func all(of errors: MethodErrors) -> [Draft] {
      errors.methods.indices.flatMap { first in
        errors.methods.indices.dropFirst(first + 1).compactMap { second in
          Draft(errors.methods[first], errors.methods[second], errors)
        }
      }
    }

    private init?(_ first: String, _ second: String, _ errors: MethodErrors) {
      differences = errors.meanAbsoluteErrors([first, second]).map { $0[0] - $0[1] }
      guard let sample = Sample(differences) else { return nil }
      self.first = first
      self.second = second
      quantity = errors.quantity
      sex = errors.sex
      mean = sample.mean
      wilcoxonP = WilcoxonSignedRank(differences: differences)?.pValue
      leastP = WilcoxonSignedRank(differences: differences.map(abs))?.pValue ?? 1
    }

    /// The mean difference.
    var asked: Bootstrap.OfSums {
      Bootstrap.OfSums(
        columns: [differences, differences.map { _ in 1 }], width: 1
      ) { [$0[0] / $0[1]] }
    }
  }

  /// What other k_a and beta make of a pair.
  private struct OtherKinetics {
    /// The mean difference with left-out k_a and beta; nil unless all subjects have one.
    let leftOut: Double?
    /// The mean difference with each k_a and beta for which there is one.
    let means: [Double]
    /// The largest p, 1 where the methods change places.
    let largestP: Double

    init(_ draft: Draft, by basis: NamingBasis, level: Double) {
      let all = basis.differences(draft.first, draft.second, in: draft.quantity, sex: draft.sex)
      // To leave subjects out would be to choose.
      let means = all.map { $0.count < draft.differences.count ? nil : Sample($0)?.mean }
      leftOut = means.first ?? nil
      self.means = means.compactMap(\.self)
      largestP =
        zip(all, means).map { differences, mean in
          guard let mean, mean * draft.mean > 0,
            Self.excludesZero(differences, level: level)
          else { return 1 }
          return WilcoxonSignedRank(differences: differences)?.pValue ?? 1
        }.max() ?? 1
    }

    /// Whether Student's interval of the mean excludes zero.
    private static func excludesZero(_ differences: [Double], level: Double) -> Bool {
      guard let sample = Sample(differences), let deviation = sample.standardDeviation,
        let t = try? StudentT(degreesOfFreedom: Double(sample.count - 1)).quantile((1 + level) / 2)
      else { return false }
      return abs(sample.mean) > t * deviation / Double(sample.count).squareRoot()
    }
  }
}

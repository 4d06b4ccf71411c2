public import AlcoholKinetics
public import Estimation
import GSL
import RealModule

/// Two methods on the same subjects: which has the smaller mean absolute error, and how surely.
public struct MethodPair: Codable, Hashable, Sendable {
  /// Whether a method is called better, or why none is.
  public enum Verdict: String, CaseIterable, Codable, Hashable, Sendable {
    /// One of them is better: see ``MethodPair/better``.
    case better
    /// Interval or test do not show a difference.
    case notShown = "not-shown"
    /// Whatever the differences were, so few subjects could not show one among so many comparisons.
    case tooFewSubjects = "too-few-subjects"
    /// A difference is shown with the kinetic parameters asked for, but not with all others.
    case dependsOnKinetics = "depends-on-ka-beta"
    /// There are no kinetic parameters of other subjects to predict with.
    case noLeftOut = "no-left-out"
    /// Other kinetic parameters were not tried.
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
  /// the quantity; negative where the first is better. Where only ``limits`` of it are known, the one
  /// nearer to 0, or 0 between them: by how much the methods differ for certain.
  public let difference: Double
  /// What the difference lies between: both ends are the same but for times to sobriety.
  public let limits: Interval
  /// Interval of the difference, over subjects; nil for fewer than 2. Where only limits of the
  /// difference are known, from the lower end for the lower to the upper end for the upper limit.
  public let interval: Interval?
  /// Two-sided p of Wilcoxon's signed rank test of the subjects' differences; nil if all are zero. Where
  /// only limits are known, the larger of that for all lower and that for all upper limits, and 1 if the
  /// two speak for different methods: no choice between the limits is surer.
  public let wilcoxonP: Double?
  /// The same after Holm's correction for all pairs of all quantities and sexes.
  public let holmP: Double?
  /// The least that ``holmP`` could be with so many subjects and comparisons: if all differences of
  /// every pair were of one sign.
  public let leastHolmP: Double
  /// The difference with the kinetic parameters of all other subjects' fits; nil where that was not tried, or
  /// there are none.
  public let leftOutDifference: Double?
  /// The least and the largest difference over all kinetic parameters tried, left-out ones and those asked
  /// for included; nil where no others were tried.
  public let differences: Interval?
  /// Of all kinetic parameters tried the largest p of Wilcoxon's test, 1 where the difference has another
  /// sign or the interval does not exclude 0, after Holm's correction; nil where no others were tried.
  public let worstHolmP: Double?
  /// Whether a method is called better, or why none is.
  public let verdict: Verdict
  /// The method with the smaller error, named only where the interval excludes 0 and the corrected
  /// p is at most 1 - level, with the kinetic parameters asked for, those of all other subjects' fits, and
  /// over a range (``NamingBasis``); otherwise nil.
  ///
  /// Of r itself, for which no kinetic parameters are needed, interval and test are enough.
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
  ///   - basis: What other kinetic parameters make of them; nil where that was not tried.
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
    limits = draft.limits
    difference = draft.limits.nearestToZero
    self.interval = interval
    wilcoxonP = draft.wilcoxonP
    self.holmP = draft.wilcoxonP.map { _ in holmP }
    self.leastHolmP = leastHolmP
    // r itself needs no kinetic parameters.
    let others = draft.quantity == .r ? nil : others
    leftOutDifference = others?.leftOut
    differences = others.map { others in
      others.limits.reduce(draft.limits) {
        Interval(low: min($0.low, $1.low), high: max($0.high, $1.high))
      }
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
    better = verdict == .better ? (difference < 0 ? draft.first : draft.second) : nil
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
    let differences: [Interval]
    /// What their mean lies between.
    let limits: Interval
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
      differences = errors.differences(first, second)
      guard let sample = DifferenceSample(differences) else { return nil }
      self.first = first
      self.second = second
      quantity = errors.quantity
      sex = errors.sex
      limits = sample.limits
      wilcoxonP = sample.wilcoxonP
      leastP =
        WilcoxonSignedRank(differences: differences.map { max(abs($0.low), abs($0.high)) })?.pValue
        ?? 1
    }

    /// The means of the lower and of the upper limits.
    var asked: Bootstrap.OfSums {
      let (low, ones) = (differences.map(\.low), differences.map { _ in 1.0 })
      guard limits.low != limits.high else {
        return Bootstrap.OfSums(columns: [low, ones], width: 2) { sums in
          let mean = sums[0] / sums[1]
          return [mean, mean]
        }
      }
      return Bootstrap.OfSums(columns: [low, ones, differences.map(\.high)], width: 2) { sums in
        [sums[0] / sums[1], sums[2] / sums[1]]
      }
    }

    /// The interval of the difference, from those of the two that were ``asked`` for.
    static func interval(_ ofLimits: [Interval?]) -> Interval? {
      guard let low = ofLimits[0], let high = ofLimits[1] else { return nil }
      return Interval(low: low.low, high: high.high)
    }
  }

  /// What other kinetic parameters make of a pair.
  private struct OtherKinetics {
    /// The difference with left-out kinetic parameters; nil unless all subjects have one.
    let leftOut: Double?
    /// What the difference lies between with each kinetic parameters for which there is one.
    let limits: [Interval]
    /// The largest p, 1 where the methods change places.
    let largestP: Double

    init(_ draft: Draft, by basis: NamingBasis, level: Double) {
      let all = basis.differences(draft.first, draft.second, in: draft.quantity, sex: draft.sex)
      // To leave subjects out would be to choose.
      let samples = all.map { $0.count < draft.differences.count ? nil : DifferenceSample($0) }
      leftOut = (samples.first ?? nil)?.limits.nearestToZero
      limits = samples.compactMap { $0?.limits }
      let sign = draft.limits.nearestToZero
      largestP =
        samples.map { sample in
          guard let sample, sample.limits.nearestToZero * sign > 0,
            sample.excludesZero(level: level)
          else { return 1 }
          return sample.wilcoxonP ?? 1
        }.max() ?? 1
    }
  }
}

/// One difference of each subject, known between limits, and how sure their mean is.
private struct DifferenceSample {
  /// What the mean lies between.
  let limits: Interval
  /// The p of Wilcoxon's test that holds for both ends of all limits; nil if all are zero.
  let wilcoxonP: Double?
  private let ends: [Sample]

  /// Nil if there are none, or if some have no limit.
  init?(_ differences: [Interval]) {
    let isExact = differences.allSatisfy { $0.low == $0.high }
    guard let low = Sample(differences.map(\.low)),
      let high = isExact ? low : Sample(differences.map(\.high))
    else { return nil }
    limits = Interval(low: low.mean, high: high.mean)
    ends = isExact ? [low] : [low, high]
    let tests = (isExact ? [\Interval.low] : [\.low, \.high]).map { end in
      WilcoxonSignedRank(differences: differences.map { $0[keyPath: end] })
    }
    wilcoxonP = isExact ? tests[0]?.pValue : Self.surest(tests[0], tests[1])
  }

  private static func surest(
    _ low: WilcoxonSignedRank?, _ high: WilcoxonSignedRank?
  ) -> Double? {
    guard let low, let high else { return low == nil && high == nil ? nil : 1 }
    return low.leansUp == high.leansUp ? max(low.pValue, high.pValue) : 1
  }

  /// Whether Student's interval of the mean excludes zero at both ends.
  func excludesZero(level: Double) -> Bool {
    ends.allSatisfy { sample in
      guard let deviation = sample.standardDeviation,
        let t = try? StudentT(degreesOfFreedom: Double(sample.count - 1)).quantile((1 + level) / 2)
      else { return false }
      return abs(sample.mean) > t * deviation / Double(sample.count).squareRoot()
    }
  }
}

extension Interval {
  /// The value between the ends that is nearest to 0.
  fileprivate var nearestToZero: Double { min(max(0, low), high) }
}

extension WilcoxonSignedRank {
  /// Whether positive differences outweigh negative ones.
  fileprivate var leansUp: Bool {
    4 * positiveRankSum > Double(count) * Double(count + 1)
  }
}

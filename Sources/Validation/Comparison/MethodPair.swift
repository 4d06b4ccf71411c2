public import AlcoholKinetics
public import Estimation
import GSL
import RealModule

/// Comparison of two methods on the same subjects: the difference of mean absolute errors, its
/// interval and tests.
public struct MethodPair: Codable, Hashable, Sendable {
  /// Whether a method is called better, or why none is.
  public enum Verdict: String, CaseIterable, Codable, Hashable, Sendable {
    /// One of them is better: see ``MethodPair/better``.
    case better
    /// The interval or the test shows no difference.
    case notShown = "not-shown"
    /// There are too few subjects to show any difference among so many comparisons.
    case tooFewSubjects = "too-few-subjects"
    /// A difference is significant with the kinetic parameters asked for, but not with all others.
    case dependsOnKinetics = "depends-on-ka-beta"
    /// There are no kinetic parameters of other subjects to predict with.
    case noLeftOut = "no-left-out"
    /// Other kinetic parameters were not tried.
    case notExamined = "not-examined"
  }

  public let first: String
  public let second: String
  public let quantity: ComparedQuantity
  /// The sex of the subjects, or nil for all of them.
  public let sex: Sex?
  /// The number of subjects with errors by both.
  public let subjects: Int
  /// Mean over subjects of the first method's mean absolute error minus the second's, in the unit
  /// of the quantity; negative where the first is better. For times to sobriety the expected
  /// difference, by one distribution of measured times for all methods.
  public let difference: Double
  /// Interval of the difference, over subjects; nil for fewer than 2.
  public let interval: Interval?
  /// The smallest true mean difference detected with a power of 80 %, with as many subjects who
  /// vary as these do, after the correction for all pairs; nil for fewer than 2 subjects.
  ///
  /// Source: the power of Student's paired test, J. Cohen, "Statistical Power Analysis" (1988), section 2.3.
  public let detectable: Double?
  /// Two-sided p of Wilcoxon's signed rank test of the subjects' differences; nil if all are zero.
  public let wilcoxonP: Double?
  /// The p value after Holm's correction for all pairs of all quantities and sexes.
  public let holmP: Double?
  /// The smallest possible ``holmP`` with so many subjects and comparisons: if all differences of
  /// every pair had one sign.
  public let leastHolmP: Double
  /// The difference with the kinetic parameters of all other subjects' fits; nil if that was not
  /// tried, or there are none.
  public let leftOutDifference: Double?
  /// The range of the difference over all kinetic parameters tried, left-out ones and those asked
  /// for included; nil if no others were tried.
  public let differences: Interval?
  /// The largest p of Wilcoxon's test over all kinetic parameters tried, 1 where the difference has
  /// another sign or the interval does not exclude 0, after Holm's correction; nil if no others
  /// were tried.
  public let worstHolmP: Double?
  /// Whether a method is called better, or why none is.
  public let verdict: Verdict
  /// Whether the difference is significant with the kinetic parameters asked for, by interval and Holm's p.
  public var isShown: Bool { verdict == .notExamined || verdict == .better }
  /// The method with the smaller error, if the interval excludes 0 and the corrected p is at most
  /// 1 - level, with the kinetic parameters asked for, those of all other subjects' fits, and
  /// over a range (`KineticSensitivity`); otherwise nil.
  ///
  /// For r itself, which needs no kinetic parameters, interval and test are enough.
  public let better: String?

  /// The method of the interval; nil without one.
  public var intervalKind: Bootstrap.Kind? {
    interval.flatMap { _ in Bootstrap.kind(count: subjects) }
  }

  /// The fewest subjects with whom one difference among so many comparisons can be significant: if
  /// the differences of n subjects have one sign, p is 2 / 2^n, and Holm's correction multiplies it
  /// by the comparisons.
  public static func fewestSubjects(comparisons: Int, alpha: Double) -> Int {
    (1...1000).first { Double(comparisons) * Double.exp2(1 - Double($0)) <= alpha } ?? 1000
  }

  /// Judges pairs that are tested together.
  ///
  /// - Parameters:
  ///   - drafts: All pairs of all quantities and sexes.
  ///   - intervals: The interval of each one's difference.
  ///   - basis: Results with other kinetic parameters; nil if none were tried.
  static func judged(
    _ drafts: [Draft], _ intervals: [Interval?], by basis: KineticSensitivity?, level: Double
  ) -> [MethodPair] {
    // A pair whose differences are all zero still counts as a comparison.
    let holm = Holm.adjusted(drafts.map { $0.wilcoxonP ?? 1 })
    let least = Holm.adjusted(drafts.map(\.smallestAttainableP))
    let others = basis.map { basis in
      drafts.map { OtherKinetics($0, by: basis, level: level) }
    }
    let worst = others.map { others in
      Holm.adjusted(zip(drafts, others).map { max($0.wilcoxonP ?? 1, $1.largestP) })
    }
    return drafts.indices.map { index in
      MethodPair(
        drafts[index], intervals[index], holmP: holm[index], leastHolmP: least[index],
        others?[index], worstHolmP: worst?[index], comparisons: drafts.count, level)
    }
  }

  private init(
    _ draft: Draft, _ interval: Interval?, holmP: Double, leastHolmP: Double,
    _ others: OtherKinetics?, worstHolmP: Double?, comparisons: Int, _ level: Double
  ) {
    first = draft.first
    second = draft.second
    quantity = draft.quantity
    sex = draft.sex
    subjects = draft.differences.count
    difference = draft.sample.mean
    detectable = draft.detectable(comparisons: comparisons, level: level)
    self.interval = interval
    wilcoxonP = draft.wilcoxonP
    self.holmP = draft.wilcoxonP.map { _ in holmP }
    self.leastHolmP = leastHolmP
    // r itself needs no kinetic parameters.
    let others = draft.quantity == .r ? nil : others
    leftOutDifference = others?.leftOut
    differences = others.map { others in
      others.means.reduce(Interval(low: draft.sample.mean, high: draft.sample.mean)) {
        Interval(low: min($0.low, $1), high: max($0.high, $1))
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
  /// A pair before the correction, which needs all pairs.
  struct Draft {
    let first: String
    let second: String
    let quantity: ComparedQuantity
    let sex: Sex?
    /// The first method's mean absolute error minus the second's, of each subject that has both.
    let differences: [Double]
    let sample: DifferenceSample
    /// The p of the test if all differences were of one sign; 1 if all are zero.
    let smallestAttainableP: Double

    var wilcoxonP: Double? { sample.wilcoxonP }

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
      self.sample = sample
      quantity = errors.quantity
      sex = errors.sex
      smallestAttainableP = WilcoxonSignedRank(differences: differences.map(abs))?.pValue ?? 1
    }

    var meanDifference: Bootstrap.SumStatistics {
      Bootstrap.SumStatistics(columns: [differences, differences.map { _ in 1.0 }], width: 1) {
        sums in
        [sums[0] / sums[1]]
      }
    }

    /// The smallest mean that Student's test detects among so many comparisons with a power of 80
    /// %.
    func detectable(comparisons: Int, level: Double) -> Double? {
      let count = Double(differences.count)
      guard let spread = sample.standardDeviation, level > 0, level < 1, comparisons > 0,
        let t = try? StudentT(degreesOfFreedom: count - 1),
        let critical = try? t.quantile(1 - (1 - level) / 2 / Double(comparisons)),
        let power = try? t.quantile(0.8)
      else { return nil }
      return (critical + power) * spread / count.squareRoot()
    }
  }

  /// Results of a pair with other kinetic parameters.
  private struct OtherKinetics {
    /// The difference with left-out kinetic parameters; nil unless all subjects have one.
    let leftOut: Double?
    /// The difference with each kinetic parameters for which there is one.
    let means: [Double]
    /// The largest p; 1 where the sign of the difference changes.
    let largestP: Double

    init(_ draft: Draft, by basis: KineticSensitivity, level: Double) {
      let all = basis.differences(draft.first, draft.second, in: draft.quantity, sex: draft.sex)
      // Dropping subjects without errors would bias the selection, so such choices count as failed.
      let samples = all.map { $0.count < draft.differences.count ? nil : DifferenceSample($0) }
      leftOut = (samples.first ?? nil)?.mean
      means = samples.compactMap { $0?.mean }
      largestP =
        samples.map { sample in
          guard let sample, sample.mean * draft.sample.mean > 0, sample.excludesZero(level: level)
          else { return 1 }
          return sample.wilcoxonP ?? 1
        }.max() ?? 1
    }
  }
}

/// One difference of each subject: their mean, and whether it differs from zero.
struct DifferenceSample {
  private let sample: Sample
  /// The p of Wilcoxon's test; nil if all are zero.
  let wilcoxonP: Double?

  /// Returns nil if there are no differences, or some are not finite.
  init?(_ differences: [Double]) {
    guard let sample = Sample(differences) else { return nil }
    self.sample = sample
    wilcoxonP = WilcoxonSignedRank(differences: differences)?.pValue
  }

  var mean: Double { sample.mean }

  var standardDeviation: Double? { sample.standardDeviation }

  /// Whether Student's interval of the mean excludes zero.
  func excludesZero(level: Double) -> Bool {
    guard let deviation = sample.standardDeviation,
      let t = try? StudentT(degreesOfFreedom: Double(sample.count - 1)).quantile((1 + level) / 2)
    else { return false }
    return abs(sample.mean) > t * deviation / Double(sample.count).squareRoot()
  }
}

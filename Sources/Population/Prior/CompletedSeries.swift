public import AlcoholKinetics
public import Estimation
import Foundation
import RealModule
public import StudyData

/// The normal approximation of the likelihood of a completed series, by the logarithms of its parameters.
///
/// Its precision is that of the posterior draws minus that of the prior, where that is positive.
public struct CompletedSeries: Sendable {
  /// The subject's name.
  public private(set) var subject: String
  /// The occasion, if the study distinguishes occasions.
  public let occasion: String?
  /// The precision of the likelihood, by the parameters of the prior's structure.
  let precision: Dense
  /// The precision times the distance of the likelihood's mean from the prior mean of the subject.
  let weighted: [Double]
  /// The covariance added to the prior's for this subject.
  let besides: Dense

  /// Approximates the likelihood of all readings of a series.
  ///
  /// - Throws: `SeriesFailure` if the data have an error, no reading counts, or something that the prior needs is missing.
  public init(
    _ series: Series, prior: PopulationPrior, instrument: Instrument? = nil,
    options: Posterior.Options = Posterior.Options()
  ) throws(SeriesFailure) {
    let density = try SeriesDensity(series, prior, knowing: nil, instrument, options)
    guard !density.observations.isEmpty else { throw .tooFewReadings(found: 0, needed: 1) }
    let sample = try density.sample(options.draws, seed: options.seed)
    let (mean, covariance) = ImportanceSample.moments(of: sample.points)
    let spread = prior.covariance(for: series.subject)
    let indices = spread.diagonal.indices.filter { spread[$0, $0] > 0 }
    guard let after = covariance.inverted?.inverse, let root = spread.submatrix(indices).cholesky
    else { throw .badOptions("the covariance of the posterior is not positive definite") }
    // In coordinates in which the prior's precision is 1. Readings never take precision away; draws may by chance.
    let own = root.transposed * after
    let (values, vectors) = (own * root).eigen
    let known = values.map { $0 > 1 ? 1.0 : 0 }
    let back = root.inverseOfLower.transposed * vectors
    let gains = Dense(diagonal: values.map { max(0, $0 - 1) })
    let size = spread.rows
    var weighted = [Double](repeating: 0, count: size)
    let along = zip(known, vectors.transposed * (own * mean)).map { $0 * $1 }
    for (index, value) in zip(indices, back * along) { weighted[index] = value }
    self.init(
      subject: series.subject.id, occasion: series.occasion,
      precision: Dense(size, with: back * gains * back.transposed, at: indices),
      weighted: weighted, besides: spread - prior.covariance)
  }

  init(
    subject: String, occasion: String? = nil, precision: Dense, weighted: [Double], besides: Dense
  ) {
    self.subject = subject
    self.occasion = occasion
    self.precision = precision
    self.weighted = weighted
    self.besides = besides
  }

  /// Returns the series under another name of the subject.
  func renamed(_ subject: String) -> Self {
    var renamed = self
    renamed.subject = subject
    return renamed
  }

  /// Whether it says the same as another, of a subject of any name.
  func repeats(_ other: Self) -> Bool {
    occasion == other.occasion && weighted == other.weighted
      && precision.numbers == other.precision.numbers
  }
}

extension Series {
  /// Whether the concentration has fallen: the last reading is at most half of the highest one, an hour or more after
  /// drinking ended, and at or below a threshold, if one is given. Readings that have only begun to rise are low, too.
  public func isCompleted(
    at threshold: GramsPerKilogram?, using factors: ConversionFactors
  ) -> Bool {
    let counted = readings.filter { !$0.isExcluded }
    guard let last = counted.max(by: { $0.time < $1.time }),
      let highest = counted.highest(using: factors)?.blood.value
    else { return false }
    let level = last.bloodConcentration(using: factors)
    return threshold.map { level <= $0 } ?? true && highest > 0 && level.value <= 0.5 * highest
      && drinks.allSatisfy { $0.time + $0.duration + 1 <= last.time }
  }
}

extension PopulationPrior {
  /// The degrees of freedom of the inverse Wishart distribution of the covariance within a study: the weight of the prior's
  /// covariance in subjects.
  public static let spreadFreedom = 14.0

  /// The prior of a further subject of a study, updated by its completed subjects (empirical Bayes: Carlin & Louis 2000).
  ///
  /// The mean of the study (its level) is normal, with the variances between studies and of the typical values. Each completed
  /// subject is an observation of it, with the uncertainty of its readings and the between-subject covariance. That
  /// covariance, Omega + Pi, has an inverse Wishart distribution with 14 degrees of freedom about the prior's. Its mean and
  /// the level are updated in turn until both converge.
  ///
  /// - Parameters:
  ///   - completed: Completed series of other subjects, approximated with this prior.
  ///   - freedom: The degrees of freedom of the covariance; infinite to leave it as it is.
  public func learned(
    from completed: [CompletedSeries], spreadFreedom freedom: Double = Self.spreadFreedom
  ) -> PopulationPrior {
    LearnedStudy(self, completed, spreadFreedom: freedom).everybody
  }
}

/// The level and the spread of a study, learned from its completed subjects; also without some of them.
struct LearnedStudy: Sendable {
  private let prior: PopulationPrior
  private let freedom: Double
  private let completed: [CompletedSeries]
  /// The places of the subjects by name.
  private let places: [String: Int]
  private let subjects: [SubjectEvidence]
  /// The parameters that are learned.
  private let indices: [Int]
  private let people: Dense
  private let occasions: Dense
  /// The factor of the level's covariance, and the inverse of that of the spread.
  private let roots: (level: Dense, inverseOfSpread: Dense)
  private let identity: Dense
  /// The level in standard deviations, its covariance in the same units, and the factor by which the spread's factor is
  /// multiplied; nil if nothing can be learned.
  private var state: Joint?
  /// The sums over all subjects at the state, and their derivatives; nil in a study so small that it is learned anew.
  private var expansion: (values: Joint, slopes: [Joint])?

  /// The largest number of subjects for which the study is learned anew without one of them.
  static let mostAnew = 50
  /// The change of the state up to which the first order is enough: off by 0.2 % of a standard deviation at most.
  private static let shortMove = 0.07
  private static let mostRounds = 100
  private static let settled = 1e-6
  /// The step of numerical derivatives: all numbers of the state are about 1.
  private static let step = 1e-5

  /// - Parameter isDivided: Whether subjects will be left out.
  init(
    _ prior: PopulationPrior, _ completed: [CompletedSeries],
    spreadFreedom freedom: Double = PopulationPrior.spreadFreedom, isDivided: Bool = false
  ) {
    self.prior = prior
    self.freedom = freedom
    self.completed = completed
    // In an order of their own, so that sums do not depend on that of the study.
    let groups = completed.sorted {
      ($0.subject, $0.occasion ?? "") < ($1.subject, $1.occasion ?? "")
    }.grouped(by: \.subject).map(\.values)
    let spread = prior.between + prior.within
    let study = prior.covariance - spread
    let least = PopulationPrior.smallestVariance
    let indices = study.diagonal.indices.filter {
      study[$0, $0] > least && spread[$0, $0] > least
    }
    self.indices = indices
    subjects = groups.map { SubjectEvidence($0, at: indices) }
    places = Dictionary(
      groups.enumerated().map { ($1[0].subject, $0) }, uniquingKeysWith: { $1 })
    people = prior.between.submatrix(indices)
    occasions = prior.within.submatrix(indices)
    identity = Dense(diagonal: indices.map { _ in 1 })
    guard !groups.isEmpty, let level = study.submatrix(indices).cholesky,
      let factor = spread.submatrix(indices).cholesky
    else {
      roots = (identity, identity)
      return
    }
    roots = (level, factor.inverseOfLower)
    let start = Joint(indices.map { _ in 0 }, identity, identity)
    state = converged(from: start, subjects: subjects.count) { sums(of: subjects, at: $0) }
    guard isDivided, subjects.count > Self.mostAnew, let state else { return }
    let values = sums(of: subjects, at: state)
    let slopes = state.numbers.indices.map { index in
      var moved = state
      moved.numbers[index] += Self.step
      return (1 / Self.step) * (sums(of: subjects, at: moved) - values)
    }
    expansion = (values, slopes)
  }

  /// The prior of a further subject.
  var everybody: PopulationPrior { prior(at: state) }

  /// The prior of a further subject, learned without some of the subjects.
  ///
  /// In a large study the sums over the others are those over all, to first order about the state of all, less what
  /// the subjects left out add themselves. Where one is so far off that the state moves by more than ``shortMove``, the
  /// sums over the others are computed.
  func without(_ names: Set<String>) -> PopulationPrior {
    let excluded = Set(names.compactMap { places[$0] })
    guard !excluded.isEmpty else { return everybody }
    guard let all = state, let (values, slopes) = expansion, excluded.count < subjects.count else {
      return prior.learned(
        from: completed.filter { !names.contains($0.subject) }, spreadFreedom: freedom)
    }
    let left = excluded.sorted().map { subjects[$0] }
    let count = subjects.count - left.count
    var settledState = converged(from: all, subjects: count) { state in
      zip((state - all).numbers, slopes).reduce(values) { $0 + $1.0 * $1.1 }
        - sums(of: left, at: state)
    }
    if settledState.map({ ($0 - all).numbers.contains { abs($0) > Self.shortMove } }) ?? true {
      let others = subjects.indices.filter { !excluded.contains($0) }.map { subjects[$0] }
      settledState = converged(from: all, subjects: count) { sums(of: others, at: $0) }
    }
    return prior(at: settledState)
  }

  /// Returns the fixed point of level and spread for sums over subjects; nil if there is none.
  private func converged(
    from start: Joint, subjects count: Int, _ evaluate: (Joint) -> Joint
  ) -> Joint? {
    var state = start
    let size = Double(indices.count)
    for _ in 0..<Self.mostRounds {
      let sums = evaluate(state)
      // (Q^-1 + A)^-1 with Q = R R^T, without the inverse of Q, which may be nearly singular.
      let root = roots.level
      guard
        let uncertainty = (identity + root.transposed * sums[0] * root).inverted?.inverse
      else { return nil }
      var scale = identity
      if freedom.isFinite {
        let spread = (freedom - size - 1) * (people + occasions) + sums[1]
        guard let factor = ((1 / (freedom + Double(count) - size - 1)) * spread).cholesky
        else { return nil }
        scale = factor * roots.inverseOfSpread
      }
      let next = Joint(uncertainty * (root.transposed * sums.vector), uncertainty, scale)
      let change = (next - state).numbers.map(abs).max() ?? 0
      state = next
      if change < Self.settled { break }
    }
    return state
  }

  /// Returns the sums over subjects: their information on the level, its product with their estimates of it, and the
  /// expected squares about it.
  private func sums(of subjects: [SubjectEvidence], at state: Joint) -> Joint {
    let scale = state[1]
    let (people, occasions) = (
      scale * people * scale.transposed, scale * occasions * scale.transposed
    )
    let level = roots.level * state.vector
    let uncertainty = roots.level * state[0] * roots.level.transposed
    return subjects.reduce(into: Joint(size: indices.count)) { sums, subject in
      let remaining = subject.remaining(people, occasions)
      let (information, weighted) = subject.ofLevel(remaining)
      let squares = subject.squares(remaining, about: level, uncertainty)
      sums = sums + Joint(weighted, information, squares)
    }
  }

  private func prior(at state: Joint?) -> PopulationPrior {
    guard let state else { return prior }
    let scale = state[1]
    var learned = prior
    for (index, shift) in zip(indices, roots.level * state.vector) {
      learned.typical[index] += shift
    }
    learned.between.replace(scale * people * scale.transposed, at: indices)
    learned.within.replace(scale * occasions * scale.transposed, at: indices)
    learned.covariance.replace(
      roots.level * state[0] * roots.level.transposed
        + (learned.between + learned.within).submatrix(indices), at: indices)
    return learned
  }
}

/// A vector and two square matrices of its size, as one list of numbers.
private struct Joint: Sendable {
  private let size: Int
  var numbers: [Double]

  init(size: Int) {
    self.size = size
    numbers = [Double](repeating: 0, count: size + 2 * size * size)
  }

  init(_ vector: [Double], _ first: Dense, _ second: Dense) {
    size = vector.count
    numbers = vector + first.numbers + second.numbers
  }

  private init(size: Int, _ numbers: [Double]) {
    self.size = size
    self.numbers = numbers
  }

  var vector: [Double] { Array(numbers[..<size]) }

  /// The first matrix at 0, the second at 1.
  subscript(matrix: Int) -> Dense {
    let begin = size + matrix * size * size
    return Dense(size, size, Array(numbers[begin..<(begin + size * size)]))
  }

  static func + (left: Joint, right: Joint) -> Joint {
    Joint(size: left.size, zip(left.numbers, right.numbers).map { $0 + $1 })
  }

  static func - (left: Joint, right: Joint) -> Joint {
    Joint(size: left.size, zip(left.numbers, right.numbers).map { $0 - $1 })
  }

  static func * (factor: Double, joint: Joint) -> Joint {
    Joint(size: joint.size, joint.numbers.map { factor * $0 })
  }
}

extension Dense {
  /// Puts a smaller matrix into some rows and columns.
  fileprivate mutating func replace(_ part: Dense, at indices: [Int]) {
    for (i, row) in indices.enumerated() {
      for (j, column) in indices.enumerated() { self[row, column] = part[i, j] }
    }
  }
}

/// The evidence of one subject's completed occasions on the level of the study; occasions are stacked.
private struct SubjectEvidence {
  private let occasions: Int
  private let size: Int
  private let precision: Dense
  private let weighted: [Double]
  private let besides: Dense

  init(_ series: [CompletedSeries], at indices: [Int]) {
    occasions = series.count
    size = indices.count
    var precision = Dense(occasions * size, occasions * size)
    for (index, occasion) in series.enumerated() {
      precision.add(occasion.precision.submatrix(indices), at: index * size)
    }
    self.precision = precision
    weighted = series.flatMap { occasion in indices.map { occasion.weighted[$0] } }
    besides = series[0].besides.submatrix(indices)
  }

  /// The posterior covariance of the subject's occasions about the level: (W^-1 + L)^-1 with W = R R^T.
  func remaining(_ people: Dense, _ within: Dense) -> Dense {
    var whole = Dense(occasions * size, occasions * size)
    let shared = people + besides
    for i in 0..<occasions {
      for j in 0..<occasions {
        for row in 0..<size {
          for column in 0..<size {
            whole[i * size + row, j * size + column] =
              shared[row, column] + (i == j ? within[row, column] : 0)
          }
        }
      }
    }
    // Without between-occasion variance W is singular; the ridge makes it positive definite.
    for row in 0..<whole.rows { whole[row, row] *= 1 + 1e-9 }
    let identity = Dense(diagonal: [Double](repeating: 1, count: whole.rows))
    guard let root = whole.cholesky,
      let inner = (identity + root.transposed * precision * root).inverted?.inverse
    else { return Dense(whole.rows, whole.rows) }
    return root * inner * root.transposed
  }

  /// The information on the level, and its product with the estimate of the level.
  func ofLevel(_ remaining: Dense) -> (information: Dense, weighted: [Double]) {
    let left = precision * remaining
    let whole = precision - left * precision
    let remainder = zip(weighted, left * weighted).map { $0 - $1 }
    var information = Dense(size, size)
    var sum = [Double](repeating: 0, count: size)
    for i in 0..<occasions {
      for row in 0..<size {
        sum[row] += remainder[i * size + row]
        for j in 0..<occasions {
          for column in 0..<size {
            information[row, column] += whole[i * size + row, j * size + column]
          }
        }
      }
    }
    return (information, sum)
  }

  /// The mean over occasions of the expected squares about an uncertain level.
  func squares(_ remaining: Dense, about level: [Double], _ uncertainty: Dense) -> Dense {
    let repeated = Array(repeating: level, count: occasions).flatMap(\.self)
    let mean = remaining * zip(weighted, precision * repeated).map { $0 - $1 }
    let moved = remaining * precision
    var sum = Dense(size, size)
    for index in 0..<occasions {
      let rows = Array((index * size)..<((index + 1) * size))
      // The derivative of the occasion by the level, through the readings of all occasions.
      var slope = Dense(size, size)
      for row in 0..<size {
        for column in 0..<moved.columns {
          slope[row, column % size] += moved[rows[row], column]
        }
      }
      let about = rows.map { mean[$0] }
      sum =
        sum + remaining.submatrix(rows) + Dense(sumOfSquares: [about])
        + slope * uncertainty * slope.transposed
    }
    return (1 / Double(occasions)) * sum
  }
}

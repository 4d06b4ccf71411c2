import AlcoholKinetics
public import Estimation
import RealModule
public import StudyData

/// What the readings of a completed series say of its parameters: a normal likelihood of their logarithms.
///
/// Draws from the posterior have a mean and a covariance; the prior's precision is taken out of theirs.
public struct CompletedSeries: Sendable {
  /// Whose series it is.
  public let subject: String
  /// The precision of the likelihood, on the parameters of the prior's structure.
  let precision: Dense
  /// The precision times the distance of the likelihood's mean from what the prior expects of the subject.
  let weighted: [Double]
  /// The covariance that comes to the prior's for this subject.
  let besides: Dense

  /// Reads all readings of a series.
  ///
  /// - Throws: `SeriesFailure` if the data have an error, or something that the prior needs is missing.
  public init(
    _ series: Series, prior: PopulationPrior, instrument: Instrument? = nil,
    options: Posterior.Options = Posterior.Options()
  ) throws(SeriesFailure) {
    let density = try SeriesDensity(series, prior, knowing: nil, instrument, options)
    let sample = try density.sample(options.draws, seed: options.seed)
    let (mean, covariance) = ImportanceSample.moments(of: sample.points)
    let spread = prior.covariance(for: series.subject)
    let places = spread.diagonal.indices.filter { spread[$0, $0] > 0 }
    guard let after = covariance.inverted?.inverse,
      let before = spread.part(places).inverted?.inverse
    else { throw .badOptions("the covariance of the posterior is not positive definite") }
    let size = spread.rows
    var weighted = [Double](repeating: 0, count: size)
    for (place, value) in zip(places, after * mean) { weighted[place] = value }
    self.init(
      subject: series.subject.id, precision: Dense(size, with: after - before, at: places),
      weighted: weighted, besides: spread - prior.covariance)
  }

  init(subject: String, precision: Dense, weighted: [Double], besides: Dense) {
    self.subject = subject
    self.precision = precision
    self.weighted = weighted
    self.besides = besides
  }
}

extension PopulationPrior {
  /// How many subjects the covariance within a study is worth that the prior has, beside those of the study itself: the
  /// degrees of freedom of its inverse Wishart distribution.
  public static let spreadFreedom = 14.0

  /// The prior of a further subject of a study of which others are completed (empirical Bayes: Carlin & Louis 2000).
  ///
  /// The study's level is normal with the variances between studies and of the typical values, and each completed subject
  /// is a look at it, as sure as its readings and the spread between subjects allow. The spread, Omega + Pi, has an inverse
  /// Wishart distribution of 14 degrees of freedom about the prior's; its mean is found in turn with the level. So the
  /// first completed subject counts, and as little as the variances say.
  ///
  /// - Parameters:
  ///   - completed: Series of other subjects, with what they say by this prior.
  ///   - freedom: The degrees of freedom of the spread; infinite to leave it as it is.
  public func learned(
    from completed: [CompletedSeries], spreadFreedom freedom: Double = Self.spreadFreedom
  ) -> PopulationPrior {
    let groups = completed.grouped(by: \.subject).map(\.values)
    let spread = between + within
    let study = covariance - spread
    let places = study.diagonal.indices.filter {
      study[$0, $0] > Self.smallestVariance && spread[$0, $0] > Self.smallestVariance
    }
    guard !groups.isEmpty, let root = study.part(places).cholesky,
      let original = spread.part(places).cholesky
    else { return self }
    let subjects = groups.map { SubjectEvidence($0, at: places) }
    let (people, occasions) = (between.part(places), within.part(places))
    let prior = spread.part(places)
    let one = Dense(diagonal: places.map { _ in 1 })
    let (count, size) = (Double(subjects.count), Double(places.count))
    var (scale, level, uncertainty) = (one, places.map { _ in 0.0 }, study.part(places))
    for _ in 0..<50 {
      let scaled = (
        people: scale * people * scale.transposed, occasions: scale * occasions * scale.transposed
      )
      var (information, sum) = (Dense(places.count, places.count), places.map { _ in 0.0 })
      for subject in subjects {
        let own = subject.ofLevel(scaled.people, scaled.occasions)
        information = information + own.information
        sum = zip(sum, own.weighted).map(+)
      }
      // (Q^-1 + A)^-1 with Q = R R^T, which may be small.
      guard let inner = (one + root.transposed * information * root).inverted?.inverse
      else { return self }
      uncertainty = root * inner * root.transposed
      let before = level
      level = uncertainty * sum
      guard freedom.isFinite else { break }
      var squares = (freedom - size - 1) * prior
      for subject in subjects {
        squares =
          squares + subject.squares(scaled.people, scaled.occasions, about: level, uncertainty)
      }
      guard let factor = ((1 / (freedom + count - size - 1)) * squares).cholesky else {
        return self
      }
      scale = factor * original.inverseOfLower
      if zip(before, level).allSatisfy({ abs($0 - $1) < 1e-6 }) { break }
    }
    var learned = self
    for (place, shift) in zip(places, level) { learned.typical[place] += shift }
    learned.between.replace(scale * people * scale.transposed, at: places)
    learned.within.replace(scale * occasions * scale.transposed, at: places)
    learned.covariance.replace(
      uncertainty + (learned.between + learned.within).part(places), at: places)
    return learned
  }
}

extension Dense {
  /// Puts a smaller matrix into some rows and columns.
  fileprivate mutating func replace(_ part: Dense, at places: [Int]) {
    for (i, row) in places.enumerated() {
      for (j, column) in places.enumerated() { self[row, column] = part[i, j] }
    }
  }
}

/// What the completed occasions of one subject say of the study, stacked.
private struct SubjectEvidence {
  private let occasions: Int
  private let size: Int
  private let precision: Dense
  private let weighted: [Double]
  private let besides: Dense

  init(_ series: [CompletedSeries], at places: [Int]) {
    occasions = series.count
    size = places.count
    var precision = Dense(occasions * size, occasions * size)
    for (index, one) in series.enumerated() {
      precision.add(one.precision.part(places), at: index * size)
    }
    self.precision = precision
    weighted = series.flatMap { one in places.map { one.weighted[$0] } }
    besides = series[0].besides.part(places)
  }

  /// The covariance of the subject's occasions about the study's level, given the readings: (W^-1 + L)^-1 with W = R R^T.
  private func remaining(_ people: Dense, _ within: Dense) -> Dense {
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
    // Occasions that do not differ are known to a rounding of each other.
    for place in 0..<whole.rows { whole[place, place] *= 1 + 1e-9 }
    let one = Dense(diagonal: [Double](repeating: 1, count: whole.rows))
    guard let root = whole.cholesky,
      let inner = (one + root.transposed * precision * root).inverted?.inverse
    else { return Dense(whole.rows, whole.rows) }
    return root * inner * root.transposed
  }

  /// The information on the study's level, and its product with the level that it speaks for.
  func ofLevel(_ people: Dense, _ within: Dense) -> (information: Dense, weighted: [Double]) {
    let left = precision * remaining(people, within)
    let whole = precision - left * precision
    let own = zip(weighted, left * weighted).map { $0 - $1 }
    var (information, sum) = (Dense(size, size), [Double](repeating: 0, count: size))
    for i in 0..<occasions {
      for row in 0..<size {
        sum[row] += own[i * size + row]
        for j in 0..<occasions {
          for column in 0..<size {
            information[row, column] += whole[i * size + row, j * size + column]
          }
        }
      }
    }
    return (information, sum)
  }

  /// The mean over occasions of the expected squares about a level that is known up to its own covariance.
  func squares(
    _ people: Dense, _ within: Dense, about level: [Double], _ uncertainty: Dense
  ) -> Dense {
    let remaining = remaining(people, within)
    let repeated = Array(repeating: level, count: occasions).flatMap(\.self)
    let mean = remaining * zip(weighted, precision * repeated).map { $0 - $1 }
    let moved = remaining * precision
    var sum = Dense(size, size)
    for index in 0..<occasions {
      let places = Array((index * size)..<((index + 1) * size))
      // By how much the occasion moves with the level, through the readings of all occasions.
      var slope = Dense(size, size)
      for row in 0..<size {
        for place in 0..<moved.columns { slope[row, place % size] += moved[places[row], place] }
      }
      let about = places.map { mean[$0] }
      sum =
        sum + remaining.part(places) + Dense(sumOfSquares: [about])
        + slope * uncertainty * slope.transposed
    }
    return (1 / Double(occasions)) * sum
  }
}

import AlcoholKinetics
import Estimation
import StudyData

/// What the errors of one method say over all subjects of a study, beyond their bias: whether
/// neighbouring ones go together, and whether they lean with time or concentration.
///
/// The errors are those whose mean is the bias in concentration, predicted minus measured at each
/// reading compared. Subjects are taken as independent of each other, whatever the errors of one are
/// like: intervals and tests are between subjects, all occasions of one together.
package struct ErrorDiagnostics: Codable, Hashable, Sendable {
  package let method: String
  package let subjects: Int
  /// The mean of all errors, in g/kg.
  package let bias: Double
  /// The correlation of neighbouring errors about the bias, pooled; nil for fewer than
  /// ``StudyDiagnostics/fewestSeries`` subjects with two errors in a row.
  ///
  /// What subjects have of their own, such as an r that is not the method's, is in it. Independent errors
  /// of which the mean is taken leave -1 / (n - 1), which is what is expected.
  package let autocorrelation: PooledAutocorrelation?
  /// Errors in g/kg against time since the first drink in h; nil for too few subjects.
  package let overTime: PooledTrend?
  /// Errors in g/kg against the predicted concentration in g/kg; nil for too few subjects.
  ///
  /// Against measured ones errors would lean even of a perfect prediction, because what a reading is too
  /// high by is in both (Bland & Altman 1995).
  package let overConcentration: PooledTrend?

  /// One for each method that has errors, in the order they were compared.
  package static func all(of scores: [Score]) -> [ErrorDiagnostics] {
    // All occasions of a subject together.
    scores.grouped(by: \.series.subject.id).reduce(into: ErrorDiagnosticSums()) { sums, own in
      for score in own.values { sums.add(score) }
    }.diagnostics
  }

  /// What the reader of a comparison should know: of each kind of warning one, for all methods of which
  /// it is true.
  package static func warnings(of all: [ErrorDiagnostics]) -> [ErrorWarning] {
    let correlated = all.filter { $0.autocorrelation?.isNoteworthy == true }
    let overTime = all.filter { $0.overTime?.isNoteworthy == true }
    let overConcentration = all.filter { $0.overConcentration?.isNoteworthy == true }
    return (overTime.isEmpty ? [] : [.biasOverTime(overTime)])
      + (overConcentration.isEmpty ? [] : [.biasOverConcentration(overConcentration)])
      + (correlated.isEmpty ? [] : [.correlated(correlated)])
  }

  fileprivate init(_ method: String, _ sums: MethodSums) {
    let bias = sums.total.sum / sums.total.count
    self.method = method
    self.bias = bias
    subjects = Int(sums.subjects)
    let deviation = (sums.squares(about: bias) / max(1, sums.total.count - 1)).squareRoot()
    autocorrelation = sums.lag(about: bias).result(series: Int(sums.paired), isOfPairs: true)
    overTime = sums.time.trend(about: bias, of: .time, sums.subjects)
      .result(series: subjects, level: bias, deviation: deviation)
    overConcentration = sums.concentration.trend(about: bias, of: .concentration, sums.subjects)
      .result(series: subjects, level: bias, deviation: deviation)
  }
}

/// Sums over the errors of scores that come one after another, from which the diagnostics of each method follow: what
/// is kept does not grow with the study.
///
/// Bias, mean time and mean concentration are known at the end alone, so that sums of powers are kept, subject by subject,
/// from which those about the means follow.
package struct ErrorDiagnosticSums: Sendable {
  private var methods: [String] = []
  private var sums: [String: MethodSums] = [:]

  /// Nothing has come yet.
  package init() {}

  /// Takes in a score; all occasions of a subject come together.
  package mutating func add(_ score: Score) {
    guard let agreement = score.agreement else { return }
    if sums[score.method] == nil { methods.append(score.method) }
    sums[score.method, default: MethodSums()].add(agreement, of: score.series.subject.id)
  }

  /// One for each method that has errors, in the order in which they came.
  package var diagnostics: [ErrorDiagnostics] {
    methods.compactMap { method in
      sums[method].map { ErrorDiagnostics(method, $0.complete) }
    }
  }
}

/// Sums over the errors of a method.
private struct MethodSums {
  private(set) var total = ErrorTotals()
  /// Subjects with errors, and with neighbouring ones.
  private(set) var (subjects, paired) = (0.0, 0.0)
  private(set) var (time, concentration) = (PlaceSums(.time), PlaceSums(.concentration))
  /// The products of sums over neighbours of each subject.
  private var lag = SumProducts(count: 4)
  /// Errors of such subjects.
  private var pairedCount = 0.0

  private var subject: String?
  private var current = SubjectSums()

  private struct SubjectSums {
    var count = 0.0
    /// Of pairs: the products, the sums, half the sums of squares, and how many there are.
    var pairs = [0.0, 0.0, 0.0, 0.0]
    var (time, concentration) = (PlaceSums.OfSubject(.time), PlaceSums.OfSubject(.concentration))
  }

  mutating func add(_ agreement: CurveAgreement, of subject: String) {
    if subject != self.subject {
      finishSubject()
      self.subject = subject
    }
    let errors = agreement.errors
    for (index, error) in errors.enumerated() {
      total.add(error, magnitude: abs(error))
      current.count += 1
      current.time.add(error, at: agreement.times[index].value, .time)
      current.concentration.add(error, at: agreement.predictions[index], .concentration)
      guard index > 0 else { continue }
      let last = errors[index - 1]
      current.pairs[0] += last * error
      current.pairs[1] += last + error
      current.pairs[2] += (last * last + error * error) / 2
      current.pairs[3] += 1
    }
  }

  /// With the last subject.
  var complete: MethodSums {
    var complete = self
    complete.finishSubject()
    return complete
  }

  private mutating func finishSubject() {
    guard current.count > 0 else { return }
    subjects += 1
    time.add(current.time)
    concentration.add(current.concentration)
    if current.pairs[3] > 0 {
      paired += 1
      pairedCount += current.count
      lag.add(current.pairs)
    }
    current = SubjectSums()
  }

  func squares(about bias: Double) -> Double {
    max(0, total.squares - bias * (2 * total.sum - bias * total.count))
  }

  /// (e - b)(e' - b) = e e' - b (e + e') + b^2, and so of the squares.
  func lag(about bias: Double) -> LagSums {
    let (products, squares) = ([1, -bias, 0, bias * bias], [0, -bias, 1, bias * bias])
    let pairs = lag.sums[3]
    return LagSums(
      products: lag.sum(products), squares: lag.sum(squares),
      // A mean over n readings has a hat matrix of 1 / n.
      expectedProducts: -pairs / total.count, expectedSquares: pairs * (1 - 1 / total.count),
      productProducts: lag.product(products, products),
      productSquares: lag.product(products, squares),
      squareSquares: lag.product(squares, squares), readings: pairedCount)
  }
}

/// Sums over errors at times, or at predicted concentrations.
private struct PlaceSums {
  /// Of each subject, and products of them: of the errors times 1, x and x^2, and of 1, x and x^2.
  private var powers = SumProducts(count: 6)
  private var cubes = 0.0
  private var bins: [TrendSums.BinSums]

  init(_ edges: ResidualBins) { bins = Array(repeating: TrendSums.BinSums(), count: edges.count) }

  struct OfSubject {
    fileprivate var powers = [Double](repeating: 0, count: 6)
    fileprivate var cubes = 0.0
    fileprivate var bins: [(count: Double, sum: Double)]

    init(_ edges: ResidualBins) {
      bins = Array(repeating: (0, 0), count: edges.count)
    }

    mutating func add(_ error: Double, at x: Double, _ edges: ResidualBins) {
      for (power, value) in [1, x, x * x].enumerated() {
        powers[power] += error * value
        powers[3 + power] += value
      }
      cubes += x * x * x
      let bin = edges.index(of: x)
      bins[bin].count += 1
      bins[bin].sum += error
    }
  }

  mutating func add(_ subject: OfSubject) {
    powers.add(subject.powers)
    cubes += subject.cubes
    for (index, bin) in subject.bins.enumerated() where bin.count > 0 {
      bins[index].add(count: bin.count, sum: bin.sum)
    }
  }

  /// The sums of errors less a bias, times a slope and a curvature that are orthogonal over all readings to a level and to
  /// each other, with z the distance from the mean in standard deviations: z, and z^2 - 1 - skewness z. So the level
  /// itself, and that it was estimated, changes nothing. Not a number where all readings are at one place.
  func trend(about bias: Double, of edges: ResidualBins, _ subjects: Double) -> TrendSums {
    let (count, first, second) = (powers.sums[3], powers.sums[4], powers.sums[5])
    let mean = first / count
    // Rounding leaves some of a difference that is none.
    let (square, rest) = (second / count, second / count - mean * mean)
    let variance = rest > 1e-13 * square ? rest : 0
    let deviation = variance.squareRoot()
    let third = cubes / count - 3 * mean * second / count + 2 * mean * mean * mean
    let skewness = third / (variance * deviation)
    // As polynomials in x.
    let slope = [-mean / deviation, 1 / deviation, 0]
    let curvature = [
      mean * mean / variance - 1 + skewness * mean / deviation,
      -2 * mean / variance - skewness / deviation, 1 / variance,
    ]
    let shapes = [slope, curvature].map { $0 + $0.map { -bias * $0 } }
    return TrendSums(
      edges, bins.map { $0.shifted(by: bias) }, moments: shapes.map(powers.sum),
      products: shapes.map { row in shapes.map { powers.product(row, $0) } })
  }
}

/// Sums of several numbers of each subject, and of their products.
private struct SumProducts {
  private(set) var sums: [Double]
  private var products: [Double]

  init(count: Int) {
    sums = Array(repeating: 0, count: count)
    products = Array(repeating: 0, count: count * count)
  }

  mutating func add(_ numbers: [Double]) {
    for row in sums.indices {
      sums[row] += numbers[row]
      for column in sums.indices {
        products[row * sums.count + column] += numbers[row] * numbers[column]
      }
    }
  }

  /// The sum of a linear combination of the numbers.
  func sum(_ factors: [Double]) -> Double { zip(factors, sums).reduce(0) { $0 + $1.0 * $1.1 } }

  /// The sum of the products of two linear combinations.
  func product(_ first: [Double], _ second: [Double]) -> Double {
    sums.indices.reduce(0) { total, row in
      sums.indices.reduce(total) {
        $0 + first[row] * second[$1] * products[row * sums.count + $1]
      }
    }
  }
}

/// Something about the errors of methods that the reader of a comparison should know.
package enum ErrorWarning: Codable, Hashable, Sendable {
  /// The errors of these methods lean with time.
  case biasOverTime([ErrorDiagnostics])
  /// The errors of these methods lean with the predicted concentration.
  case biasOverConcentration([ErrorDiagnostics])
  /// Neighbouring errors of these methods are correlated.
  case correlated([ErrorDiagnostics])

  package var code: String {
    switch self {
    case .biasOverTime: "W_BIAS_OVER_TIME"
    case .biasOverConcentration: "W_BIAS_OVER_CONCENTRATION"
    case .correlated: "W_ERRORS_CORRELATED"
    }
  }
}

extension ErrorWarning: CustomStringConvertible {
  /// What was found, what it means, and what to do.
  package var description: String {
    switch self {
    case .biasOverTime(let methods):
      return "The bias changes over time: "
        + methods.map { method in
          Self.lean(of: method, method.overTime) { StudyWarning.minutes($0, $1) }
        }.joined(separator: "; ") + Self.meaning
    case .biasOverConcentration(let methods):
      return "The bias changes with the predicted concentration: "
        + methods.map { method in
          Self.lean(of: method, method.overConcentration) { StudyWarning.predictions($0, $1) }
        }.joined(separator: "; ") + Self.meaning
    case .correlated(let methods):
      let found = methods.compactMap { method in
        method.autocorrelation.map { lag in
          "\(method.method) \(lag.lagOne.fixed(2)) "
            + "(95 % \(lag.interval.low.fixed(2)) to "
            + "\(lag.interval.high.fixed(2)))"
        }
      }
      return "Errors of neighbouring readings of a subject are correlated: "
        + found.joined(separator: ", ")
        + ". Readings of one subject are not independent: n counts errors, not independent "
        + "observations. Use the intervals over subjects, which allow for that."
    }
  }

  private static let meaning =
    ". One bias and its limits of agreement do not describe these methods: a prediction is wrong by "
    + "more in one part of the curve than in another. State the error by part."

  private static func lean(
    of method: ErrorDiagnostics, _ trend: PooledTrend?, _ name: (Double, Double?) -> String
  ) -> String {
    guard let worst = trend?.worst else { return method.method }
    let signed = { (value: Double) in
      (value > 0 ? "+" : "") + value.fixed(2)
    }
    return "\(method.method) \(signed(method.bias)) g/kg in total, \(signed(worst.mean)) at "
      + name(worst.low, worst.high)
  }
}

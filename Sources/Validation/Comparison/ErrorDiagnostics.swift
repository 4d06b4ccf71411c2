import AlcoholKinetics
package import Estimation
import StudyData

/// Serial correlation and trends of one method's prediction errors, pooled over a study.
///
/// Errors are predicted minus measured concentrations at each reading compared. Intervals and tests
/// are between subjects, which are assumed to be independent; all occasions of a subject are
/// pooled.
package struct ErrorDiagnostics: Codable, Hashable, Sendable {
  package let method: String
  package let subjects: Int
  /// The mean of all errors, in g/kg.
  package let bias: Double
  /// The correlation of neighbouring errors about the bias, pooled; nil for fewer than
  /// ``StudyDiagnostics/fewestSeries`` subjects with two errors in a row.
  ///
  /// It includes variation between subjects, such as a subject's r that differs from the method's.
  /// Centring independent errors on their mean gives the expected value, -1 / (n - 1).
  package let autocorrelation: PooledAutocorrelation?
  /// Errors in g/kg against time since the first drink in h; nil for too few subjects.
  package let overTime: PooledTrend?
  /// Errors in g/kg against the predicted concentration in g/kg; nil for too few subjects.
  ///
  /// Plotted against measured ones, the errors of even a perfect prediction would show a trend,
  /// because the error of a reading is in both (Bland & Altman 1995).
  package let overConcentration: PooledTrend?

  /// Returns the diagnostics of each method with errors, in the order of comparison.
  package static func all(of scores: [Score]) -> [ErrorDiagnostics] {
    // Sums are by subject, so all occasions of a subject must be consecutive.
    scores.grouped(by: \.series.subject.id).reduce(into: ErrorDiagnosticSums()) { sums, subject in
      for score in subject.values { sums.add(score) }
    }.diagnostics
  }

  /// Returns warnings for a comparison: one of each kind, for all methods it is true of.
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

/// Sums over the errors of scores that arrive one after another, in constant memory, from which the
/// diagnostics of each method follow.
///
/// Bias, mean time and mean concentration are known only at the end, so sums of powers are kept by
/// subject, and moments about the means follow from them.
package struct ErrorDiagnosticSums: Sendable {
  private var methods: [String] = []
  private var sums: [String: MethodSums] = [:]

  /// Creates empty sums.
  package init() {}

  /// Adds a score; all occasions of a subject must be consecutive.
  package mutating func add(_ score: Score) {
    guard let agreement = score.agreement else { return }
    if sums[score.method] == nil { methods.append(score.method) }
    sums[score.method, default: MethodSums()].add(agreement, of: score.series.subject.id)
  }

  /// The diagnostics of each method with errors, in the order of their first score.
  package var diagnostics: [ErrorDiagnostics] {
    methods.compactMap { method in
      sums[method].map { ErrorDiagnostics(method, $0.complete) }
    }
  }
}

/// Sums over the errors of a method.
private struct MethodSums {
  private(set) var total = ErrorTotals()
  /// The number of subjects with errors.
  private(set) var subjects = 0.0
  /// The number of subjects with neighbouring errors.
  private(set) var paired = 0.0
  private(set) var time = MomentSums(.time)
  private(set) var concentration = MomentSums(.concentration)
  /// The products of sums over neighbours of each subject.
  private var lag = SumProducts(count: 4)
  /// The number of errors of subjects with neighbouring ones.
  private var pairedCount = 0.0

  private var subject: String?
  private var current = SubjectSums()

  private struct SubjectSums {
    var count = 0.0
    /// Over pairs of neighbours: the products, the sums, half the sums of squares, and the count.
    var pairs = [0.0, 0.0, 0.0, 0.0]
    var time = MomentSums.OfSubject(.time)
    var concentration = MomentSums.OfSubject(.concentration)
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

  /// The sums including the current subject.
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
    let products = [1, -bias, 0, bias * bias]
    let squares = [0, -bias, 1, bias * bias]
    let pairs = lag.sums[3]
    var sums = LagSums()
    sums.products = lag.sum(products)
    sums.squares = lag.sum(squares)
    // A mean over n readings has a hat matrix of 1 / n.
    sums.expectedProducts = -pairs / total.count
    sums.expectedSquares = pairs * (1 - 1 / total.count)
    sums.productProducts = lag.product(products, products)
    sums.productSquares = lag.product(products, squares)
    sums.squareSquares = lag.product(squares, squares)
    sums.readings = pairedCount
    return sums
  }
}

/// Sums over errors at times, or at predicted concentrations.
private struct MomentSums {
  /// Sums by subject of the errors times 1, x and x^2, and of 1, x and x^2, and their products.
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

  /// Returns sums of the errors less a bias, times a slope and a curvature that are orthogonal over
  /// all readings to a constant and to each other: with z the distance from the mean in standard
  /// deviations, z and z^2 - 1 - skewness z. So the bias and its estimation do not affect them. NaN
  /// if all readings have the same x.
  func trend(about bias: Double, of edges: ResidualBins, _ subjects: Double) -> TrendSums {
    let count = powers.sums[3]
    let first = powers.sums[4]
    let second = powers.sums[5]
    let mean = first / count
    // A variance of zero can come out as a small positive number by rounding.
    let square = second / count
    let rest = square - mean * mean
    let variance = rest > 1e-13 * square ? rest : 0
    let deviation = variance.squareRoot()
    let third = cubes / count - 3 * mean * second / count + 2 * mean * mean * mean
    let skewness = third / (variance * deviation)
    // Coefficients of polynomials in x.
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

/// A warning about the errors of methods.
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
  /// The finding, its meaning and the remedy.
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
      let correlations = methods.compactMap { method in
        method.autocorrelation.map { lag in
          "\(method.method) \(lag.lagOne.fixed(2)) "
            + "(95 % \(lag.interval.low.fixed(2)) to "
            + "\(lag.interval.high.fixed(2)))"
        }
      }
      return "Errors of neighbouring readings of a subject are correlated: "
        + correlations.joined(separator: ", ")
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

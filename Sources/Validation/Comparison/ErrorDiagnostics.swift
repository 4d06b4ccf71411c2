import AlcoholKinetics
import Estimation
import StudyData

/// What the errors of one method say over all subjects of a study, beyond their bias: whether
/// neighbouring ones go together, and whether they lean with time or concentration.
///
/// The errors are those whose mean is the bias in concentration, predicted minus measured at each
/// reading compared. Subjects are taken as independent of each other, whatever the errors of one are
/// like: intervals and tests are between subjects, all occasions of one together.
public struct ErrorDiagnostics: Codable, Hashable, Sendable {
  public let method: String
  public let subjects: Int
  /// The mean of all errors, in g/kg.
  public let bias: Double
  /// The correlation of neighbouring errors about the bias, pooled; nil for fewer than
  /// ``StudyDiagnostics/fewestSeries`` subjects with two errors in a row.
  ///
  /// What subjects have of their own, such as an r that is not the method's, is in it. Independent errors
  /// of which the mean is taken leave -1 / (n - 1), which is what is expected.
  public let autocorrelation: PooledAutocorrelation?
  /// Errors in g/kg against time since the first drink in h; nil for too few subjects.
  public let overTime: PooledTrend?
  /// Errors in g/kg against the predicted concentration in g/kg; nil for too few subjects.
  ///
  /// Against measured ones errors would lean even of a perfect prediction, because what a reading is too
  /// high by is in both (Bland & Altman 1995).
  public let overConcentration: PooledTrend?

  /// One for each method that has errors, in the order they were compared.
  public static func all(of comparisons: [Comparison]) -> [ErrorDiagnostics] {
    comparisons.filter { $0.agreement != nil }.grouped(by: \.method)
      .map { ErrorDiagnostics($0.key, $0.values) }
  }

  /// What the reader of a comparison should know: of each kind of warning one, for all methods of which
  /// it is true.
  public static func warnings(of all: [ErrorDiagnostics]) -> [ErrorWarning] {
    let correlated = all.filter { $0.autocorrelation?.isNoteworthy == true }
    let overTime = all.filter { $0.overTime?.isNoteworthy == true }
    let overConcentration = all.filter { $0.overConcentration?.isNoteworthy == true }
    return (overTime.isEmpty ? [] : [.biasOverTime(overTime)])
      + (overConcentration.isEmpty ? [] : [.biasOverConcentration(overConcentration)])
      + (correlated.isEmpty ? [] : [.correlated(correlated)])
  }

  /// - Parameter comparisons: Of one method, all of them with an agreement.
  private init(_ method: String, _ comparisons: [Comparison]) {
    self.method = method
    let agreements = comparisons.compactMap(\.agreement)
    let totals = agreements.reduce(into: ErrorTotals()) { $0 += ErrorTotals(of: $1.errors) }
    let bias = totals.bias
    let places = agreements.flatMap { $0.times.map(\.value) }
    let time = TrendShapes.deviations(over: places)
    let concentration = TrendShapes.deviations(over: agreements.flatMap(\.predictions))

    let bySubject = comparisons.grouped(by: \.series.subject.id).map { _, own in
      own.compactMap(\.agreement).flatMap { agreement in
        agreement.errors.indices.map { index in
          ResidualSums.Residual(
            time: agreement.times[index].value, concentration: agreement.predictions[index],
            // A mean over n readings has a hat matrix of 1 / n.
            value: agreement.errors[index] - bias, leverage: 1 / totals.count,
            shared: index == 0 ? nil : 1 / totals.count)
        }
      }
    }

    var (lag, paired) = (LagSums(), 0)
    var overTime = TrendSums(.time, time)
    var overConcentration = TrendSums(.concentration, concentration)
    var squares = 0.0
    for residuals in bySubject {
      guard
        let sums = ResidualSums(
          residuals, time: time, concentration: concentration, isOfPairs: true)
      else { continue }
      if sums.expectedSquares > 0 {
        lag.add(sums)
        paired += 1
      }
      overTime.add(sums.timeMoments, sums.byTime)
      overConcentration.add(sums.concentrationMoments, sums.byConcentration)
      squares += residuals.reduce(0) { $0 + $1.value * $1.value }
    }
    let deviation = (squares / max(1, totals.count - 1)).squareRoot()
    subjects = bySubject.count
    self.bias = bias
    autocorrelation = lag.result(series: paired, isOfPairs: true)
    self.overTime = overTime.result(series: subjects, level: bias, deviation: deviation)
    self.overConcentration = overConcentration.result(
      series: subjects, level: bias, deviation: deviation)
  }
}

/// Something about the errors of methods that the reader of a comparison should know.
public enum ErrorWarning: Codable, Hashable, Sendable {
  /// The errors of these methods lean with time.
  case biasOverTime([ErrorDiagnostics])
  /// The errors of these methods lean with the predicted concentration.
  case biasOverConcentration([ErrorDiagnostics])
  /// Neighbouring errors of these methods are correlated.
  case correlated([ErrorDiagnostics])

  public var code: String {
    switch self {
    case .biasOverTime: "W_BIAS_OVER_TIME"
    case .biasOverConcentration: "W_BIAS_OVER_CONCENTRATION"
    case .correlated: "W_ERRORS_CORRELATED"
    }
  }
}

extension ErrorWarning: CustomStringConvertible {
  /// What was found, what it means, and what to do.
  public var description: String {
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
          "\(method.method) \(StudyWarning.fixed(lag.lagOne, 2)) "
            + "(95 % \(StudyWarning.fixed(lag.interval.low, 2)) to "
            + "\(StudyWarning.fixed(lag.interval.high, 2)))"
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
      (value > 0 ? "+" : "") + StudyWarning.fixed(value, 2)
    }
    return "\(method.method) \(signed(method.bias)) g/kg in total, \(signed(worst.mean)) at "
      + name(worst.low, worst.high)
  }
}

public import AlcoholKinetics
import Estimation
public import Population
import RealModule
public import StudyData

/// The normal approximation of the posterior of a person's parameters, on the log scale, from the person's own readings.
///
/// With a prior it is Laplace's approximation at the posterior mode. Without one it is the least-squares estimate, provided
/// that profiles show that the readings determine k_a, beta and r; its covariance is that of Student's t, nu / (nu - 2) times
/// the squared standard errors, as the residual error is estimated.
///
/// It holds for the occasion of the readings. For another occasion a prior adds the between-occasion variability
/// (``/Population/PopulationPrior/anotherOccasion(of:mean:covariance:for:)``).
public struct CasePosterior: Hashable, Sendable {
  /// The means of the logarithms of k_a in 1/h, beta in g/kg/h and r.
  public let mean: [Double]
  /// The lower Cholesky factor of their covariance, row-major.
  let factor: [Double]
  public let source: String

  public enum Occasion: Hashable, Sendable {
    case same
    case another
  }

  /// The inputs with a posterior, in the order of ``mean``.
  static let inputs: [CaseInput.Name] = [.ka, .beta, .r]

  /// The marginal distribution of an input; nil if it has none.
  func alone(_ name: CaseInput.Name) -> Uncertainty? {
    guard let row = Self.inputs.firstIndex(of: name) else { return nil }
    let sd = (0...row).reduce(0.0) { $0 + factor[3 * row + $1] * factor[3 * row + $1] }
      .squareRoot()
    return .lognormal(median: .exp(mean[row]), cv: (Double.exp(sd * sd) - 1).squareRoot())
  }

  /// Fits the readings of a person.
  ///
  /// - Parameters:
  ///   - series: The drinks and readings of one occasion.
  ///   - instrument: The instrument of the study.
  ///   - occasion: The occasion of the case.
  ///   - prior: The prior of a population with Widmark's elimination in which k_a, beta and r vary; nil to use the readings
  ///     alone, which do not inform another occasion.
  ///   - factors: The conversion factors of readings.
  /// - Throws: `Problem` if the readings cannot be used or do not determine the parameters.
  public init(
    _ series: Series, instrument: Instrument?, occasion: Occasion, prior: PopulationPrior?,
    factors: ConversionFactors
  ) throws(Problem) {
    let parameters: [FitParameter] = [.ka, .beta, .r]
    var options = FitOptions(
      estimate: Set(parameters), interval: prior == nil ? IntervalOptions() : nil, factors: factors)
    let name = "readings of subject \(series.subject.id)"
    var source = name
    if let prior {
      prior.apply(to: &options)
      source += " with the population's prior"
      if let reasons = prior.reasonsOutside(of: series) {
        source += ", beyond whose people this is (\(reasons))"
      }
    }
    let fit: SeriesFit
    do {
      fit = try SeriesFitter(options: options).fit(series, instrument: instrument)
    } catch {
      throw .input("the \(name) cannot be fitted: \(error.code): \(error)")
    }
    try require(
      fit.status != .implausible,
      .input(
        "the \(name) lead to implausible parameters; look at them with promille fit --estimate ka,beta,r"
      ))
    let freedom = Double(fit.noise?.degreesOfFreedom ?? 1000)
    let widening = freedom > 2 ? freedom / (freedom - 2) : .infinity
    let isDetermined = prior != nil || fit.estimates.values.allSatisfy { $0.isIdentifiable == true }
    guard fit.isConverged, isDetermined, let covariance = fit.covariance,
      let part = covariance.part(parameters)
    else {
      throw .input(
        "the \(name) do not determine k_a, beta and r"
          + (prior == nil ? "; add the prior of a population" : ""))
    }
    var mean = parameters.map { Double.log(fit.values[$0] ?? .nan) }
    var spread = part.map { $0 * widening }
    if occasion == .another {
      let another = try? prior?.anotherOccasion(
        of: parameters, mean: mean, covariance: spread, for: series.subject)
      guard let another else {
        throw .input(
          "the \(name) are of one evening, and how far another evening differs is not known; give a prior that says "
            + "it, such as fasted, or say that the case is about the same evening (--same-evening)")
      }
      mean = another.mean
      spread = another.covariance
      source += ", for another evening"
    }
    guard let factor = Cholesky.factor(of: spread, size: 3), factor.allSatisfy(\.isFinite),
      mean.allSatisfy(\.isFinite)
    else { throw .input("the \(name) do not determine k_a, beta and r") }
    self.mean = mean
    self.factor = factor
    self.source = source
  }
}

extension EstimateCovariance {
  /// The covariance of some parameters, row-major; nil if one is missing.
  fileprivate func part(_ subset: [FitParameter]) -> [Double]? {
    let indices = subset.compactMap { parameters.firstIndex(of: $0) }
    guard indices.count == subset.count else { return nil }
    return indices.flatMap { row in indices.map { values[row * parameters.count + $0] } }
  }
}

public import AlcoholKinetics
import Estimation
public import Population
import RealModule
public import StudyData

/// What a person's own readings say of the parameters: a normal distribution of their logarithms.
///
/// With a prior it is the mode and the curvature of the posterior (Laplace). Without one it is the least-squares
/// estimate, only where profiles say that the readings determine k_a, beta and r; its covariance is that of Student's
/// distribution, nu / (nu - 2) times the squared standard errors, as the error is estimated as well.
///
/// That is of the occasion of the readings. Of another occasion of the same person a prior says how far occasions differ
/// (``/Population/PopulationPrior/anotherOccasion(of:mean:covariance:for:)``).
public struct CasePosterior: Hashable, Sendable {
  /// Means of the logarithms of k_a in 1/h, beta in g/kg/h and r.
  public let mean: [Double]
  /// The lower Cholesky factor of their covariance, row-major.
  let factor: [Double]
  public let source: String

  public enum Occasion: Hashable, Sendable {
    case same
    case another
  }

  /// The inputs of a case that it is about, in the order of ``mean``.
  static let inputs: [CaseInput.Name] = [.ka, .beta, .r]

  /// What it says of one input by itself; nil if nothing.
  func alone(_ name: CaseInput.Name) -> Uncertainty? {
    guard let place = Self.inputs.firstIndex(of: name) else { return nil }
    let sd = (0...place).reduce(0.0) { $0 + factor[3 * place + $1] * factor[3 * place + $1] }
      .squareRoot()
    return .lognormal(median: .exp(mean[place]), cv: (Double.exp(sd * sd) - 1).squareRoot())
  }

  /// Learns from the readings of a person.
  ///
  /// - Parameters:
  ///   - series: Drinks and readings of one occasion.
  ///   - instrument: What the study says of the instrument.
  ///   - occasion: Which occasion the case is about.
  ///   - prior: What is known of people with Widmark's elimination whose k_a, beta and r differ; nil to believe the
  ///     readings alone, which say nothing of another occasion.
  ///   - factors: How readings are converted.
  /// - Throws: ``CaseFailure`` if they do not determine the parameters, or cannot be used.
  public init(
    _ series: Series, instrument: Instrument?, occasion: Occasion, prior: PopulationPrior?,
    factors: ConversionFactors
  ) throws(CaseFailure) {
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
      let own = covariance.part(parameters)
    else {
      throw .input(
        "the \(name) do not determine k_a, beta and r"
          + (prior == nil ? "; add the prior of a population" : ""))
    }
    var mean = parameters.map { Double.log(fit.values[$0] ?? .nan) }
    var spread = own.map { $0 * widening }
    if occasion == .another {
      let other = try? prior?.anotherOccasion(
        of: parameters, mean: mean, covariance: spread, for: series.subject)
      guard let other else {
        throw .input(
          "the \(name) are of one evening, and how far another evening differs is not known; give a prior that says "
            + "it, such as fasted, or say that the case is about the same evening (--same-evening)")
      }
      (mean, spread) = other
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
  /// The covariance of some parameters, row-major; nil if one is not in it.
  fileprivate func part(_ some: [FitParameter]) -> [Double]? {
    let places = some.compactMap { parameters.firstIndex(of: $0) }
    guard places.count == some.count else { return nil }
    return places.flatMap { row in places.map { values[row * parameters.count + $0] } }
  }
}

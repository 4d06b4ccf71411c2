public import AlcoholKinetics
public import Estimation
import RealModule
package import Statistics
public import StudyData

/// The prior distribution of the parameters of a new subject on a new occasion, from a population.
///
/// The logarithms of the parameters are normal. Their mean is that of the typical values, with covariates and r-factor
/// method. Their covariance is the sum of the covariances between subjects, occasions and studies, and of the squared
/// standard errors of the typical values, enlarged for few subjects. Without a standard error, the variance between subjects
/// over their number takes its place, with that between occasions over theirs.
public struct PopulationPrior: Sendable {
  /// The title of the population's file.
  public let title: String?
  /// The elimination model.
  public let elimination: EliminationModel
  /// The residual error model.
  public let errors: ReadingErrors
  /// Fixed parameters without variability, each in its unit.
  public let fixed: [FitParameter: Double]

  /// Whether the readings did not determine all parameters of the population.
  public private(set) var isUndetermined = false

  let structure: Structure
  /// The subjects and occasions that it was estimated from.
  let domain: PriorDomain
  /// The covariance of the logarithms of the structure's parameters, given the covariates.
  var covariance: Dense
  /// The between-subject part of the covariance.
  var between: Dense
  /// The between-occasion part of the covariance.
  var within: Dense
  /// Whether the population has between-occasion variability.
  private let hasOccasions: Bool
  var typical: [Double]
  private(set) var effects: [Effect]
  let rFactor: (any RFactorMethod)?

  struct Effect {
    let parameter: Int
    let covariate: PopulationModel.Covariate
    let coefficient: Double
    let center: Double
  }

  /// Parameters with a smaller variance count as known.
  static let smallestVariance = 1e-8

  /// Makes a prior from a population's file.
  ///
  /// - Throws: `Problem` if the fit did not converge or the file is incomplete.
  public init(_ file: PopulationFile) throws(Problem) {
    let status = file.fit.status ?? "ok"
    guard ["ok", "undetermined", "evaluated"].contains(status) else {
      throw .file(
        "the population's status is \(status): its numbers are no maximum of the likelihood; fit it again "
          + "with other --starts, or with fewer parameters")
    }
    let model = try file.model()
    let values = try file.values(of: model, studies: [])
    try self.init(
      title: file.title, model, values, centers: try Self.centers(file),
      typicalErrors: file.typicalErrors, counts: (file.people ?? .max, file.series ?? .max),
      errors: file.readingErrors(values.residual), domain: file.appliesTo ?? PriorDomain(),
      studySpread: file.studySpread(of: model))
    isUndetermined = status == "undetermined"
  }

  /// Makes a prior from a fit.
  ///
  /// - Throws: `Problem`.
  public init(_ fit: PopulationFit) throws(Problem) {
    let parameters = fit.model.parameters
    let errors = fit.uncertainty?.typical ?? []
    let standardErrors = zip(parameters, errors).compactMap { parameter, error in
      error.map { (parameter, $0) }
    }
    try self.init(
      title: nil, fit.model, fit.values, centers: fit.centers,
      typicalErrors: Dictionary(uniqueKeysWithValues: standardErrors),
      counts: (fit.individuals.count, fit.seriesCount),
      errors: ReadingErrors(fit.values.residual))
  }

  private static func centers(_ file: PopulationFile) throws(Problem) -> [Double] {
    try file.effects.map { effect throws(Problem) in
      guard let center = effect.center ?? (effect.model.isBinary ? 0 : nil) else {
        throw .file("the covariate \(effect.covariate) has no center")
      }
      return center
    }
  }

  /// - Parameter studySpread: The between-study covariance, row-major, which is added to that between subjects; nil for none.
  init(
    title: String?, _ model: PopulationModel, _ values: PopulationValues, centers: [Double],
    typicalErrors: [PopulationParameter: Double], counts: (people: Int, series: Int),
    errors: ReadingErrors, domain: PriorDomain = PriorDomain(), studySpread: [Double]? = nil
  ) throws(Problem) {
    let structure = try Structure(model.elimination, model.parameters)
    func index(_ parameter: PopulationParameter) throws(Problem) -> Int {
      guard let index = structure.parameters.firstIndex(of: parameter) else {
        throw .file("\(parameter.rawValue) has no typical value")
      }
      return index
    }
    let people = try model.random.map(index)
    let occasions = try model.occasional.map(index)
    let studies = try model.studyLevel.map(index)
    let between = Dense(structure.count, with: values[.person], at: people)
    let within = Dense(structure.count, with: values[.occasion], at: occasions)
    let ofAnyStudy =
      studySpread.map {
        between + Dense(structure.count, with: Dense(people.count, people.count, $0), at: people)
      } ?? between
    var covariance = ofAnyStudy + within
    for (row, variance) in zip(studies, values.studies) { covariance[row, row] += variance }
    for (row, parameter) in structure.parameters.enumerated() {
      // Without a standard error, that of a mean of independent subjects and occasions.
      covariance[row, row] +=
        typicalErrors[parameter].map { $0 * $0 * Self.smallSampleFactor(counts.people) }
        ?? ofAnyStudy[row, row] / Double(counts.people)
        + within[row, row] / Double(counts.series)
    }
    guard covariance.numbers.allSatisfy(\.isFinite) else {
      throw .file("a variance is not a finite number")
    }
    effects = try zip(model.covariates, zip(values.coefficients, centers)).map {
      covariate, value throws(Problem) in
      Effect(
        parameter: try index(covariate.parameter), covariate: covariate, coefficient: value.0,
        center: value.1)
    }
    guard values.sd >= 0, values.cv >= 0, values.sd + values.cv > 0,
      (values.sd + values.cv).isFinite
    else { throw .file("the residual error must be above zero") }
    self.errors = errors
    self.title = title
    elimination = model.elimination
    self.structure = structure
    self.domain = domain
    self.covariance = covariance
    typical = values.typical
    rFactor = model.rFactor
    self.between = between
    self.within = within
    hasOccasions = !occasions.isEmpty
    var fixed = model.fixed
    let kineticCovariance = structure.kinetic(covariance)
    let logarithms = structure.kinetic(values.typical)
    for (row, parameter) in structure.kinetic.enumerated()
    where kineticCovariance[row, row] < Self.smallestVariance {
      fixed[parameter] = .exp(logarithms[row])
    }
    self.fixed = fixed
    let varied = structure.kinetic.indices.filter { fixed[structure.kinetic[$0]] == nil }
    guard !varied.isEmpty else {
      throw .file("no parameter differs between people; give variances in between")
    }
    guard
      Cholesky.factor(
        of: kineticCovariance.submatrix(Array(varied)).numbers, size: varied.count,
        least: Prior.leastPivot) != nil
    else {
      throw .file(
        "the covariance of \(varied.map { structure.kinetic[$0].rawValue }.joined(separator: ", ")) is not "
          + "positive definite: a covariance in between or within is too large for its variances")
    }
  }

  /// The factor from the squared standard error of a mean of n subjects to the variance of Student's t: n / (n - 1), the
  /// bias of maximum likelihood, times (n - 1) / (n - 3). For three subjects or fewer, where that variance is infinite, n.
  static func smallSampleFactor(_ people: Int) -> Double {
    let n = Double(people)
    return n > 3 ? n / (n - 3) : n
  }

  /// The mean of the logarithms of the structure's parameters for a subject.
  func mean(for subject: Subject) throws(SeriesFailure) -> [Double] {
    var mean = typical
    if let rFactor, let index = structure.parameters.firstIndex(of: .kinetic(.r)) {
      mean[index] += .log(try rFactor.value(for: subject))
    }
    for effect in effects {
      let covariate = effect.covariate
      let value = isUnknownSex(covariate, of: subject) ? 0.5 : try covariate.value(for: subject)
      mean[effect.parameter] += effect.coefficient * covariate.shifted(value, center: effect.center)
    }
    return mean
  }

  /// The covariance of the logarithms of the structure's parameters for a subject. If the sex is unknown, both are equally
  /// likely, which adds a quarter of the squared difference.
  func covariance(for subject: Subject) -> Dense {
    let shifts = effects.filter { isUnknownSex($0.covariate, of: subject) }
    var sum = covariance
    for row in shifts {
      for column in shifts {
        sum[row.parameter, column.parameter] += 0.25 * row.coefficient * column.coefficient
      }
    }
    return sum
  }

  private func isUnknownSex(
    _ covariate: PopulationModel.Covariate, of subject: Subject
  ) -> Bool {
    covariate.name == "sex" && subject.sex == nil
  }

  /// The typical value of a parameter for a subject, in its unit; nil if the population has none.
  ///
  /// - Throws: `SeriesFailure` if a covariate, or a measure that r needs, is missing.
  public func typicalValue(
    of parameter: FitParameter, for subject: Subject
  ) throws(SeriesFailure) -> Double? {
    guard let row = structure.kinetic.firstIndex(of: parameter) else { return fixed[parameter] }
    return .exp((structure.kinetic(try mean(for: subject)))[row])
  }

  /// The typical values of those parameters that the population has.
  package func typicalValues(
    of parameters: some Sequence<FitParameter>, for subject: Subject
  ) throws(SeriesFailure) -> [FitParameter: Double] {
    var values: [FitParameter: Double] = [:]
    for parameter in parameters {
      values[parameter] = try typicalValue(of: parameter, for: subject)
    }
    return values
  }
}

extension PopulationPrior {
  /// The names of the shipped priors.
  public static let shippedNames = ShippedPriors.texts.keys.sorted()

  /// The text of a shipped prior, as in `datasets/priors`; nil if there is none of that name.
  public static func shippedText(_ name: String) -> String? { ShippedPriors.texts[name] }
}

extension PopulationPrior {
  /// The distribution of a subject's parameters on another occasion, given those on one.
  ///
  /// With S the covariance of an occasion's logarithms and W its part that is common to all occasions, an occasion at x gives
  /// another the mean mu + W S^-1 (x - mu) and the covariance S - W S^-1 W (the conditional normal distribution: Anderson
  /// 2003, section 2.5). The covariance V of x adds A V A^T with A = W S^-1.
  ///
  /// - Parameters:
  ///   - parameters: The parameters, each one of the population's.
  ///   - mean: The means of their logarithms on the known occasion.
  ///   - covariance: The covariance of their logarithms, row-major.
  ///   - subject: The subject, for the typical values.
  /// - Returns: The mean and covariance on another occasion; nil if the population has no between-occasion variability, or
  ///   lacks one of the parameters.
  /// - Throws: `SeriesFailure` if a covariate, or a measure that r needs, is missing.
  public func anotherOccasion(
    of parameters: [FitParameter], mean: [Double], covariance: [Double], for subject: Subject
  ) throws(SeriesFailure) -> (mean: [Double], covariance: [Double])? {
    let rows = parameters.compactMap { structure.kinetic.firstIndex(of: $0) }
    guard hasOccasions, rows.count == parameters.count else { return nil }
    let center = structure.kinetic(try self.mean(for: subject))
    let whole = structure.kinetic(self.covariance(for: subject)).submatrix(rows)
    let common = structure.kinetic(self.covariance - within).submatrix(rows)
    guard let inverse = whole.inverted?.inverse else { return nil }
    let share = common * inverse
    let offset = share * zip(rows, mean).map { $1 - center[$0] }
    let uncertainty = Dense(parameters.count, parameters.count, covariance)
    let spread =
      whole - share * common.transposed + share * (uncertainty * share.transposed)
    return (zip(rows, offset).map { center[$0] + $1 }, spread.numbers)
  }
}

extension PopulationPrior {
  /// The prior without the effect of a covariate on a parameter.
  package func without(_ covariate: PopulationModel.Covariate) -> Self {
    var rest = self
    rest.effects.removeAll {
      $0.covariate.parameter == covariate.parameter && $0.covariate.name == covariate.name
    }
    return rest
  }

  /// Whether a parameter has between-occasion variability.
  package func isOccasional(_ parameter: FitParameter) -> Bool {
    let spread = structure.kinetic(within)
    return structure.kinetic.firstIndex(of: parameter).map { spread[$0, $0] > 0 } ?? false
  }

  /// Draws the parameters of a subject on some occasions, each in its unit, without variability between studies.
  package func drawn(
    for subject: Subject, occasions: Int, _ numbers: inout RandomStream
  ) throws(SeriesFailure) -> [[FitParameter: Double]] {
    let mean = try mean(for: subject)
    let ofPerson = try Self.shifts(
      between + (covariance(for: subject) - covariance), &numbers)
    var drawn: [[FitParameter: Double]] = []
    for _ in 0..<occasions {
      let ofOccasion = try Self.shifts(within, &numbers)
      let logarithms = mean.indices.map { mean[$0] + ofPerson[$0] + ofOccasion[$0] }
      var values = fixed
      for (parameter, value) in zip(structure.kinetic, structure.kinetic(logarithms)) {
        let bounds = parameter.defaultBounds
        values[parameter] = min(max(.exp(value), bounds.lowerBound), bounds.upperBound)
      }
      drawn.append(values)
    }
    return drawn
  }

  /// A draw from a normal distribution with a covariance; zero where the variance is zero.
  private static func shifts(
    _ covariance: Dense, _ numbers: inout RandomStream
  ) throws(SeriesFailure) -> [Double] {
    var shifts = covariance.diagonal.map { _ in 0.0 }
    let indices = shifts.indices.filter { covariance[$0, $0] > 0 }
    guard !indices.isEmpty else { return shifts }
    guard let factor = covariance.submatrix(indices).cholesky else {
      throw .badOptions("a covariance of the prior is not positive definite")
    }
    for (index, shift) in zip(indices, factor * indices.map { _ in numbers.normal() }) {
      shifts[index] = shift
    }
    return shifts
  }
}

extension PopulationPrior: PriorSource {
  /// The reasons why a series is outside the prior's domain, in words; nil if it is inside.
  public func reasonsOutside(of series: Series) -> String? {
    let needsSex = effects.contains { isUnknownSex($0.covariate, of: series.subject) }
    return domain.reasons(outside: series, knowsSex: !needsSex)
  }

  /// The parameters with variability.
  public var parameters: [FitParameter] { structure.kinetic.filter { fixed[$0] == nil } }

  /// The prior for a fit of a series.
  ///
  /// A fit estimates the lag itself, not its logarithm; its mean, variance and covariances are those of the lognormal
  /// distribution.
  public func prior(of series: Series) throws(SeriesFailure) -> Prior {
    let mean = structure.kinetic(try mean(for: series.subject))
    let covariance = structure.kinetic(self.covariance(for: series.subject))
    let rows = structure.kinetic.indices.filter { fixed[structure.kinetic[$0]] == nil }
    var means = rows.map { mean[$0] }
    var scales = rows.map { _ in 1.0 }
    var part = covariance.submatrix(Array(rows))
    for (index, row) in rows.enumerated() where structure.kinetic[row].traits.canBeZero {
      means[index] = .exp(mean[row] + 0.5 * covariance[row, row])
      scales[index] = means[index]
      part[index, index] = .expMinusOne(covariance[row, row])
    }
    for i in rows.indices { for j in rows.indices { part[i, j] *= scales[i] * scales[j] } }
    return try Prior(
      of: rows.map { structure.kinetic[$0] }, mean: means, covariance: part.numbers)
  }

  /// Applies the prior to the options of a fit: the model, the free parameters and their distribution.
  ///
  /// - Parameters:
  ///   - options: The options of the fit.
  ///   - takesError: Whether to apply the population's residual error as well: its size, estimated with a prior where
  ///     subjects differ in it, and the middle of its correlation times unless the options state a correlation. Only
  ///     ``Posterior`` models the larger errors during absorption.
  public func apply(to options: inout FitOptions, takingError takesError: Bool = true) {
    options.model = elimination
    options.estimate = Set(parameters)
    options.fixed.merge(fixed) { given, _ in given }
    options.prior = self
    guard takesError else { return }
    let typical = errors.typical
    options.error =
      switch (typical.sd > 0, typical.cv > 0) {
      case (true, true): .combined(typical)
      case (true, false): .additive(sd: typical.sd)
      default: .proportional(cv: typical.cv)
      }
    if let freedom = errors.degreesOfFreedom, typical.sd > 0, typical.cv == 0 {
      options.error = .additive(sd: nil)
      options.errorSize = ErrorSizePrior(sd: typical.sd, degreesOfFreedom: freedom)
    }
    let times = errors.correlationTimes
    if !times.isEmpty, options.correlation == .automatic {
      options.correlation = .exponential(time: times[times.count / 2])
    }
  }
}

/// The range of subjects and occasions that a population was estimated from; outside it extrapolates.
struct PriorDomain: Codable, Hashable, Sendable {
  /// The food state; nil if both, or unknown.
  var food: FoodState?
  /// The range of ages, in years; nil if unknown.
  var ageY: ClosedRange<Double>?
  /// The range of doses on one occasion, in g per kg of body weight; nil if unknown.
  var ethanolGPerKg: ClosedRange<Double>?

  /// The reasons why a series is outside the domain, in words; nil if none is known.
  func reasons(outside series: Series, knowsSex: Bool) -> String? {
    var reasons: [String] = []
    func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    if let food, let state = series.subject.food, state != food {
      reasons.append("\(state.rawValue), where they were \(food.rawValue)")
    }
    if let ageY, let age = series.subject.age?.value, !ageY.contains(age) {
      reasons.append(
        "\(number(age)) years old (\(number(ageY.lowerBound)) to \(number(ageY.upperBound)))")
    }
    if let ethanolGPerKg, let dose = try? series.regimen().total.value,
      !ethanolGPerKg.contains(dose)
    {
      let least = ethanolGPerKg.lowerBound
      let most = ethanolGPerKg.upperBound
      reasons.append("drank \(number(dose)) g/kg (\(number(least)) to \(number(most)))")
    }
    if !knowsSex { reasons.append("sex unknown, so that both are believed") }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}

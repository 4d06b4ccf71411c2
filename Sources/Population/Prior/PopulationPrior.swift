public import AlcoholKinetics
public import Estimation
import RealModule
package import Statistics
public import StudyData

/// What a population says of a subject before there are readings.
///
/// The logarithms of the parameters are normal. Their mean is that of the typical values, shifted by the
/// covariates and the r-factor method; their covariance is the sum of that between subjects, of the variances
/// between occasions and between studies, and of the squared standard errors of the typical values, more of fewer
/// subjects, since these are known from a few subjects only. Without a standard error, the spread between subjects over their
/// number takes its place, with that between occasions over theirs. So the prior is wide enough for a new subject on a
/// new occasion.
public struct PopulationPrior: Sendable {
  /// The title of the file that it was made from.
  public let title: String?
  /// How ethanol is eliminated.
  public let elimination: EliminationModel
  /// How readings err.
  package let errors: ReadingErrors
  /// Parameters that are the same for everybody and known, each in its unit.
  public let fixed: [FitParameter: Double]

  /// Whether the population's readings do not tell everything that it says.
  public private(set) var isUndetermined = false

  let structure: Structure
  /// Whom it is about.
  let domain: PriorDomain
  /// The covariance of the logarithms of the structure's parameters, covariates being known.
  var covariance: Dense
  /// The part of it by which subjects of one study differ.
  var between: Dense
  /// The part of it by which occasions of a subject differ.
  var within: Dense
  /// Whether the population models occasions.
  private let hasOccasions: Bool
  var typical: [Double]
  private var effects: [Effect]
  private let rFactor: (any RFactorMethod)?

  private struct Effect {
    let place: Int
    let covariate: PopulationModel.Covariate
    let coefficient: Double
    let center: Double
  }

  /// Parameters that differ less than this between subjects are taken as known.
  static let smallestVariance = 1e-8

  /// Makes a prior of a population's file.
  ///
  /// - Throws: ``PopulationFailure`` if the file lacks something.
  public init(_ file: PopulationFile) throws(PopulationFailure) {
    let status = file.fit.status ?? "ok"
    guard ["ok", "undetermined", "evaluated"].contains(status) else {
      throw .badFile(
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

  /// Makes a prior of a fit.
  ///
  /// - Throws: ``PopulationFailure``.
  public init(_ fit: PopulationFit) throws(PopulationFailure) {
    let parameters = fit.model.parameters
    let errors = fit.uncertainty?.typical ?? []
    let known = zip(parameters, errors).compactMap { parameter, error in
      error.map { (parameter, $0) }
    }
    try self.init(
      title: nil, fit.model, fit.values, centers: fit.centers,
      typicalErrors: Dictionary(uniqueKeysWithValues: known),
      counts: (fit.individuals.count, fit.seriesCount),
      errors: ReadingErrors(fit.values.residual))
  }

  private static func centers(_ file: PopulationFile) throws(PopulationFailure) -> [Double] {
    try file.effects.map { effect throws(PopulationFailure) in
      guard let center = effect.center ?? (effect.model.isBinary ? 0 : nil) else {
        throw .badFile("the covariate \(effect.covariate) has no center")
      }
      return center
    }
  }

  /// - Parameter studySpread: The covariances between studies, row-major, which come to those between people; nil for none.
  init(
    title: String?, _ model: PopulationModel, _ values: PopulationValues, centers: [Double],
    typicalErrors: [PopulationParameter: Double], counts: (people: Int, series: Int),
    errors: ReadingErrors, domain: PriorDomain = PriorDomain(), studySpread: [Double]? = nil
  ) throws(PopulationFailure) {
    let structure = try Structure(model.elimination, model.parameters)
    func place(_ parameter: PopulationParameter) throws(PopulationFailure) -> Int {
      guard let place = structure.parameters.firstIndex(of: parameter) else {
        throw .badFile("\(parameter.rawValue) has no typical value")
      }
      return place
    }
    let (people, occasions, studies) = (
      try model.random.map(place), try model.occasional.map(place),
      try model.studyLevel.map(place)
    )
    let between = Dense(structure.count, with: values[.person], at: people)
    let within = Dense(structure.count, with: values[.occasion], at: occasions)
    let ofAnyStudy =
      studySpread.map {
        between + Dense(structure.count, with: Dense(people.count, people.count, $0), at: people)
      } ?? between
    var covariance = ofAnyStudy + within
    for (place, variance) in zip(studies, values.studies) { covariance[place, place] += variance }
    for (place, parameter) in structure.parameters.enumerated() {
      // Where the likelihood has no curvature, a mean is as uncertain as what it is the mean of.
      covariance[place, place] +=
        typicalErrors[parameter].map { $0 * $0 * Self.ofFew(counts.people) }
        ?? ofAnyStudy[place, place] / Double(counts.people)
        + within[place, place] / Double(counts.series)
    }
    guard covariance.numbers.allSatisfy(\.isFinite) else {
      throw .badFile("a variance is not a finite number")
    }
    effects = try zip(model.covariates, zip(values.coefficients, centers)).map {
      covariate, value throws(PopulationFailure) in
      Effect(
        place: try place(covariate.parameter), covariate: covariate, coefficient: value.0,
        center: value.1)
    }
    guard values.sd >= 0, values.cv >= 0, values.sd + values.cv > 0,
      (values.sd + values.cv).isFinite
    else { throw .badFile("the residual error must be above zero") }
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
    let own = structure.kinetic(covariance)
    let logarithms = structure.kinetic(values.typical)
    for (row, parameter) in structure.kinetic.enumerated()
    where own[row, row] < Self.smallestVariance {
      fixed[parameter] = .exp(logarithms[row])
    }
    self.fixed = fixed
    let varied = structure.kinetic.indices.filter { fixed[structure.kinetic[$0]] == nil }
    guard !varied.isEmpty else {
      throw .badFile("no parameter differs between people; give variances in between")
    }
    guard
      Cholesky.factor(
        of: own.part(Array(varied)).numbers, size: varied.count, least: Prior.leastPivot) != nil
    else {
      throw .badFile(
        "the covariance of \(varied.map { structure.kinetic[$0].rawValue }.joined(separator: ", ")) is not "
          + "positive definite: a covariance in between or within is too large for its variances")
    }
  }

  /// By what the squared standard error of a mean of n subjects is multiplied to be the variance of Student's
  /// distribution: n / (n - 1), which a likelihood leaves out, times (n - 1) / (n - 3); of three subjects, who leave it
  /// without a variance, by their number.
  static func ofFew(_ people: Int) -> Double {
    let n = Double(people)
    return n > 3 ? n / (n - 3) : n
  }

  /// The mean of the logarithms of the structure's parameters for a subject.
  func mean(for subject: Subject) throws(SeriesFailure) -> [Double] {
    var mean = typical
    if let rFactor, let place = structure.parameters.firstIndex(of: .kinetic(.r)) {
      mean[place] += .log(try rFactor.value(for: subject))
    }
    for effect in effects {
      let covariate = effect.covariate
      let value = isUnknownSex(covariate, of: subject) ? 0.5 : try covariate.value(for: subject)
      mean[effect.place] += effect.coefficient * covariate.shifted(value, center: effect.center)
    }
    return mean
  }

  /// The covariance of the logarithms of the structure's parameters for a subject. Somebody of unknown sex is a woman
  /// or a man with equal chances, which adds a quarter of the squared difference.
  func covariance(for subject: Subject) -> Dense {
    let shifts = effects.filter { isUnknownSex($0.covariate, of: subject) }
    var sum = covariance
    for one in shifts {
      for two in shifts { sum[one.place, two.place] += 0.25 * one.coefficient * two.coefficient }
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
  /// - Throws: `SeriesFailure` if a covariate, or what r needs, is missing.
  public func typicalValue(
    of parameter: FitParameter, for subject: Subject
  ) throws(SeriesFailure) -> Double? {
    guard let row = structure.kinetic.firstIndex(of: parameter) else { return fixed[parameter] }
    return .exp((structure.kinetic(try mean(for: subject)))[row])
  }

  /// The typical values of some parameters, without those of which the population has none.
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
  private static let shipped = [
    "fasted": PackageResources.fasted_json, "fed": PackageResources.fed_json,
    "unknown": PackageResources.unknown_json,
  ]

  /// The names of the priors that ship.
  public static let shippedNames = shipped.keys.sorted()

  /// A prior that ships, as the file in `datasets/priors`, so that programs do not need that folder; nil if there is
  /// none of that name.
  public static func shippedText(_ name: String) -> String? {
    // The digest of a prior is that of its text without the last end of a line.
    shipped[name].map { String(decoding: $0.dropLast(), as: UTF8.self) }
  }
}

extension PopulationPrior {
  /// What one occasion of a subject says about another.
  ///
  /// With S the covariance of an occasion's logarithms and W the part of it that a subject's occasions share, an occasion
  /// at x leads to the mean mu + W S^-1 (x - mu) of another, with the covariance S - W S^-1 W (the normal
  /// distribution of one given the other, as Anderson 2003, section 2.5). x is known up to its own covariance V,
  /// which adds A V A^T with A = W S^-1.
  ///
  /// - Parameters:
  ///   - parameters: Which, each of the population's.
  ///   - mean: Logarithms on the known occasion.
  ///   - covariance: Their covariance, row-major.
  ///   - subject: The subject, whose covariates say what is typical.
  /// - Returns: The same of another occasion; nil if the population does not model occasions, or not of these
  ///   parameters.
  /// - Throws: `SeriesFailure` if a covariate, or what r needs, is missing.
  public func anotherOccasion(
    of parameters: [FitParameter], mean: [Double], covariance: [Double], for subject: Subject
  ) throws(SeriesFailure) -> (mean: [Double], covariance: [Double])? {
    let rows = parameters.compactMap { structure.kinetic.firstIndex(of: $0) }
    guard hasOccasions, rows.count == parameters.count else { return nil }
    let center = structure.kinetic(try self.mean(for: subject))
    let whole = (structure.kinetic(self.covariance(for: subject))).part(
      rows)
    let common = (structure.kinetic(self.covariance - within)).part(rows)
    guard let inverse = whole.inverted?.inverse else { return nil }
    let share = common * inverse
    let offset = share * zip(rows, mean).map { $1 - center[$0] }
    let known = Dense(parameters.count, parameters.count, covariance)
    let spread =
      whole - share * common.transposed + share * (known * share.transposed)
    return (zip(rows, offset).map { center[$0] + $1 }, spread.numbers)
  }
}

extension PopulationPrior {
  /// The prior without what it says of a covariate on a parameter.
  package func without(_ covariate: PopulationModel.Covariate) -> Self {
    var rest = self
    rest.effects.removeAll {
      $0.covariate.parameter == covariate.parameter && $0.covariate.name == covariate.name
    }
    return rest
  }

  /// Whether a parameter differs between a subject's occasions.
  package func isOccasional(_ parameter: FitParameter) -> Bool {
    let spread = structure.kinetic(within)
    return structure.kinetic.firstIndex(of: parameter).map { spread[$0, $0] > 0 } ?? false
  }

  /// Draws parameters of somebody on some occasions, each in its unit, in a study whose typical values are the prior's.
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

  /// A normal vector, zero where nothing differs.
  private static func shifts(
    _ covariance: Dense, _ numbers: inout RandomStream
  ) throws(SeriesFailure) -> [Double] {
    var shifts = covariance.diagonal.map { _ in 0.0 }
    let places = shifts.indices.filter { covariance[$0, $0] > 0 }
    guard !places.isEmpty else { return shifts }
    guard let factor = covariance.part(places).cholesky else {
      throw .badOptions("a covariance of the prior is not positive definite")
    }
    for (place, shift) in zip(places, factor * places.map { _ in numbers.normal() }) {
      shifts[place] = shift
    }
    return shifts
  }
}

extension PopulationPrior: PriorSource {
  /// In what somebody on an occasion is beyond the subjects that the prior was made from, in words; nil if in nothing.
  public func reasonsOutside(of series: Series) -> String? {
    let needsSex = effects.contains { isUnknownSex($0.covariate, of: series.subject) }
    return domain.reasons(outside: series, knowsSex: !needsSex)
  }

  /// The parameters in which subjects differ.
  public var parameters: [FitParameter] { structure.kinetic.filter { fixed[$0] == nil } }

  /// The prior of a subject's fit.
  ///
  /// A fit works with the lag itself and not with its logarithm; its mean, variance and covariances are those of
  /// the lognormal lag.
  public func prior(for subject: Subject) throws(SeriesFailure) -> Prior {
    let mean = structure.kinetic(try mean(for: subject))
    let covariance = structure.kinetic(self.covariance(for: subject))
    let places = structure.kinetic.indices.filter { fixed[structure.kinetic[$0]] == nil }
    var (means, scales) = (places.map { mean[$0] }, places.map { _ in 1.0 })
    var own = covariance.part(Array(places))
    for (index, place) in places.enumerated() where structure.kinetic[place].traits.canBeZero {
      means[index] = .exp(mean[place] + 0.5 * covariance[place, place])
      scales[index] = means[index]
      own[index, index] = .expMinusOne(covariance[place, place])
    }
    for i in places.indices { for j in places.indices { own[i, j] *= scales[i] * scales[j] } }
    return try Prior(
      of: places.map { structure.kinetic[$0] }, mean: means, covariance: own.numbers)
  }

  /// Options of a fit with this prior: its model, the free parameters and their distribution.
  ///
  /// - Parameters:
  ///   - options: What else a fit is told.
  ///   - takesError: Whether the error of the readings is the population's, too: its size, which is the subject's own
  ///     where subjects differ, and, unless the options say something of it, the middle of its correlation times. That
  ///     errors are larger during absorption is left to ``Posterior``.
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
    if !times.isEmpty, options.correlation == .independent {
      options.correlation = .exponential(time: times[times.count / 2])
    }
  }
}

/// The subjects and occasions that a population was estimated from. Beyond them it is a guess.
struct PriorDomain: Codable, Hashable, Sendable {
  /// What they had eaten; nil if both, or if it is not known.
  var food: FoodState?
  /// Their ages, in years; nil if not known.
  var ageY: ClosedRange<Double>?
  /// What they drank on one occasion, in g per kg of body weight; nil if not known.
  var ethanolGPerKg: ClosedRange<Double>?

  /// In what somebody on an occasion is beyond these subjects, in words; nil if in nothing that is known.
  func reasons(outside series: Series, knowsSex: Bool) -> String? {
    var reasons: [String] = []
    func number(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
    if let food, let own = series.subject.food, own != food {
      reasons.append("\(own.rawValue), where they were \(food.rawValue)")
    }
    if let ageY, let age = series.subject.age?.value, !ageY.contains(age) {
      reasons.append(
        "\(number(age)) years old (\(number(ageY.lowerBound)) to \(number(ageY.upperBound)))")
    }
    if let ethanolGPerKg, let dose = try? series.regimen().total.value,
      !ethanolGPerKg.contains(dose)
    {
      let (least, most) = (ethanolGPerKg.lowerBound, ethanolGPerKg.upperBound)
      reasons.append("drank \(number(dose)) g/kg (\(number(least)) to \(number(most)))")
    }
    if !knowsSex { reasons.append("sex unknown, so that both are believed") }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}

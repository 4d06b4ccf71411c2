public import AlcoholKinetics
public import Estimation
import RealModule

/// What a population fit estimates, and how people may differ.
public struct PopulationModel: Sendable {
  /// How a covariate enters the logarithm of a typical value.
  public enum CovariateForm: String, Codable, Sendable {
    /// theta ln(x / center): a power of the covariate.
    case power
    /// theta (x - center): an exponential function of it; for yes and no a factor.
    case exponential
  }

  /// An effect of a covariate on a typical value.
  public struct Covariate: Hashable, Sendable {
    /// On which parameter.
    public let parameter: PopulationParameter
    /// The name of the column; `sex` is 1 for women and 0 for men.
    public let name: String
    /// In which form.
    public let form: CovariateForm

    /// Says how a covariate acts.
    public init(parameter: PopulationParameter, name: String, form: CovariateForm) {
      (self.parameter, self.name, self.form) = (parameter, name, form)
    }
  }

  /// How ethanol is eliminated.
  public var elimination: EliminationModel
  /// The parameters with a typical value to estimate, those with a spread among them.
  public var parameters: [PopulationParameter]
  /// The parameters in which people differ.
  public var random: [PopulationParameter]
  /// The parameters that differ between the occasions of a person, independent of each other.
  public var occasional: [PopulationParameter]
  /// The parameters in which studies differ beyond their people, independent of each other; all of them are
  /// random.
  public var studyLevel: [PopulationParameter]
  /// The column of subjects.csv that names each person's study.
  public var studyColumn: String
  /// Whether differences of parameters may be correlated between people.
  public var isFull: Bool
  /// Effects of covariates.
  public var covariates: [Covariate]
  /// The r-factor method whose prediction times exp(eta) is a person's r; nil for one typical r.
  public var rFactor: (any RFactorMethod)?
  /// How the error of a reading depends on the concentration.
  public var error: ErrorModel
  /// Parameters that are the same for everybody and known, each in its unit.
  public var fixed: [FitParameter: Double]
  /// Which readings are used and what those below detection say; by their likelihood (M3) unless told.
  public var selection: ReadingSelection
  /// How readings are turned into g per kg of blood.
  public var factors: ConversionFactors

  /// Chooses a model; everything has a default.
  ///
  /// - Parameters:
  ///   - parameters: Nil for those that are random.
  ///   - random: Nil for absorption, elimination and r.
  public init(
    _ elimination: EliminationModel = .widmark, parameters: [PopulationParameter]? = nil,
    random: [PopulationParameter]? = nil, occasional: [PopulationParameter] = [],
    studyLevel: [PopulationParameter] = [], studyColumn: String = "study",
    isFull: Bool = false, covariates: [Covariate] = [], rFactor: (any RFactorMethod)? = nil,
    error: ErrorModel = .additive(sd: nil), fixed: [FitParameter: Double] = [:],
    selection: ReadingSelection = ReadingSelection(censoring: .m3),
    factors: ConversionFactors = ConversionFactors()
  ) {
    let usual = elimination.defaultEstimate.union([.r]).sorted().map(PopulationParameter.kinetic)
    self.elimination = elimination
    self.random = (random ?? usual).sorted()
    self.parameters = Set((parameters ?? []) + self.random + occasional).sorted()
    self.occasional = occasional.sorted()
    self.studyLevel = studyLevel.sorted()
    self.studyColumn = studyColumn
    self.isFull = isFull
    self.covariates = covariates
    self.rFactor = rFactor
    self.error = error
    self.fixed = fixed
    self.selection = selection
    self.factors = factors
  }
}

/// Values of the parameters of a population model.
public struct PopulationValues: Hashable, Sendable {
  /// The natural logarithms of the typical values, in the order of the model's parameters; where r is a
  /// method's prediction, 0 stands for it.
  public var typical: [Double]
  /// One for each effect of a covariate.
  public var coefficients: [Double]
  /// The covariance Omega of the logarithms between people, row-major.
  public var between: [Double]
  /// The variances of the logarithms between occasions.
  public var within: [Double]
  /// The variances of the logarithms between studies.
  public var studies: [Double]
  /// The standard deviation a of readings at zero, in g/kg; 0 for none.
  public var sd: Double
  /// The coefficient of variation b of readings at high concentrations; 0 for none.
  public var cv: Double

  /// Puts values together.
  public init(
    typical: [Double], coefficients: [Double] = [], between: [Double], within: [Double] = [],
    studies: [Double] = [], sd: Double = 0, cv: Double = 0
  ) {
    (self.typical, self.coefficients, self.between) = (typical, coefficients, between)
    (self.within, self.studies, self.sd, self.cv) = (within, studies, sd, cv)
  }
}

/// Where the values that are estimated stand in a vector without bounds: logarithms of typical values,
/// coefficients, the factor of Omega with the logarithms of its diagonal, logarithms of the standard deviations
/// between occasions, between studies and of the residual error.
struct Coordinates: Sendable {
  let structure: Structure
  let random: RandomEffects
  /// Places of the parameters whose typical values are estimated.
  let typical: [Int]
  let coefficientCount: Int
  /// Rows and columns of the entries of Omega's factor that are estimated.
  let factor: [(row: Int, column: Int)]
  let residual: [ResidualParameter]
  let floor: Double

  /// The smallest standard deviation of a logarithm between people that is looked for.
  static let smallestSpread = 1e-4

  init(_ model: PopulationModel) throws(PopulationFailure) {
    structure = try Structure(model.elimination, model.parameters)
    let parameters = structure.parameters
    func places(_ some: [PopulationParameter]) -> [Int] {
      some.compactMap { parameters.firstIndex(of: $0) }
    }
    random = RandomEffects(
      between: places(model.random), within: places(model.occasional),
      studies: places(model.studyLevel))
    if let other = model.studyLevel.first(where: { !model.random.contains($0) }) {
      throw .badOptions(
        "studies differ in \(other.rawValue), in which people do not; let \(other.rawValue) be random"
      )
    }
    typical = parameters.indices.filter {
      !(model.rFactor != nil && parameters[$0] == .kinetic(.r))
    }
    coefficientCount = model.covariates.count
    let size = random.between.count
    factor = (0..<size).flatMap { row in
      (0...row).filter { model.isFull || $0 == row }.map { (row, $0) }
    }
    switch model.error {
    case .additive(let sd): (residual, floor) = (sd == nil ? [.sd] : [], 0)
    case .proportional(let cv):
      (residual, floor) = (cv == nil ? [.cv] : [], ErrorModel.concentrationFloor)
    case .combined(let given): (residual, floor) = (given == nil ? [.sd, .cv] : [], 0)
    case .instrument: (residual, floor) = ([], 0)
    }
  }

  var count: Int {
    typical.count + coefficientCount + factor.count + random.within.count
      + random.studies.count + residual.count
  }

  /// The vector of values.
  func vector(_ values: PopulationValues) -> [Double] {
    let size = random.between.count
    let spread = Dense(size, size, values.between)
    let lower =
      spread.cholesky ?? Dense(diagonal: spread.diagonal.map { max($0, 1e-8).squareRoot() })
    return typical.map { values.typical[$0] } + values.coefficients
      + factor.map { row, column in
        row == column
          ? .log(max(lower[row, row], Self.smallestSpread)) : lower[row, column]
      }
      + (values.within + values.studies).map {
        0.5 * .log(max($0, Self.smallestSpread * Self.smallestSpread))
      }
      + residual.map { $0 == .sd ? .log(values.sd) : .log(values.cv) }
  }

  /// The values at a vector.
  func values(_ vector: [Double], from others: PopulationValues) -> PopulationValues {
    var values = others
    var rest = vector[...]
    for place in typical { values.typical[place] = rest.removeFirst() }
    values.coefficients = (0..<coefficientCount).map { _ in rest.removeFirst() }
    let size = random.between.count
    var lower = Dense(size, size)
    for (row, column) in factor {
      let number = rest.removeFirst()
      lower[row, column] = row == column ? max(.exp(number), Self.smallestSpread) : number
    }
    values.between = (lower * lower.transposed).numbers
    func variance(_: Int) -> Double {
      let deviation = max(Double.exp(rest.removeFirst()), Self.smallestSpread)
      return deviation * deviation
    }
    values.within = random.within.map(variance)
    values.studies = random.studies.map(variance)
    for parameter in residual {
      let number = Double.exp(rest.removeFirst())
      if parameter == .sd { values.sd = number } else { values.cv = number }
    }
    return values
  }

  /// What people are asked at values; nil where Omega is no covariance.
  ///
  /// - Parameter isNested: Whether studies are asked, whose effects are apart from those of their people. A
  ///   person alone is one of a study that has not been seen.
  func setting(
    _ values: PopulationValues, _ people: [Person], isNested: Bool = false
  ) -> Setting? {
    let size = random.between.count
    var spread = Dense(size, size, values.between)
    if !isNested {
      for (place, variance) in zip(random.studies, values.studies) {
        if let own = random.between.firstIndex(of: place) { spread[own, own] += variance }
      }
    }
    guard let between = spread.inverted, let within = Dense(diagonal: values.within).inverted,
      let studies = Dense(diagonal: isNested ? values.studies : []).inverted
    else { return nil }
    let means = people.map { person in
      zip(person.offsets, person.covariates).map { offsets, covariates in
        var mean = zip(values.typical, offsets).map { $0 + $1 }
        for (place, effect) in covariateParameters.enumerated() {
          mean[effect] += values.coefficients[place] * covariates[place]
        }
        return mean
      }
    }
    return Setting(
      means: means, residual: ResidualVariance(sd: values.sd, cv: values.cv, floor: floor),
      estimatedResiduals: residual, between: (between.inverse, between.logDeterminant),
      within: (within.inverse, within.logDeterminant),
      studies: (studies.inverse, studies.logDeterminant))
  }

  /// For each coefficient the place of the parameter that it is about.
  var covariateParameters: [Int] = []
}

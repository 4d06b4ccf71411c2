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
  /// The parameters that differ between the occasions of a person.
  public var occasional: [PopulationParameter]
  /// The parameters in which studies differ beyond their people, independent of each other; all of them are
  /// random.
  public var studyLevel: [PopulationParameter]
  /// The column of subjects.csv that names each person's study.
  public var studyColumn: String
  /// Whether differences of parameters between people may go together, and so those between occasions.
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
  ///   - elimination: How ethanol is eliminated.
  ///   - parameters: What is estimated; nil for what is random.
  ///   - random: What differs between people; nil for absorption, elimination and r.
  ///   - occasional: What differs between the evenings of one person.
  ///   - studyLevel: What differs between studies.
  ///   - studyColumn: The column that says which study a person belongs to.
  ///   - isFull: Whether random parameters may be correlated.
  ///   - covariates: What is known of people and moves their parameters.
  ///   - rFactor: The method whose prediction times exp(eta) is a person's r; nil for one typical r.
  ///   - error: The spread of readings about a curve.
  ///   - fixed: What is the same for everybody and known, each in its unit.
  ///   - selection: Which readings are used, and what those below detection say.
  ///   - factors: How readings are turned into g per kg of blood.
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
  /// The covariance Pi of the logarithms between occasions, row-major.
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

extension PopulationValues {
  /// The covariance between people.
  var omega: Dense { Self.square(between) }
  /// The covariance between occasions.
  var pi: Dense { Self.square(within) }

  private static func square(_ numbers: [Double]) -> Dense {
    let size = Int(Double(numbers.count).squareRoot().rounded())
    return Dense(size, size, numbers)
  }
}

/// The lower triangular factor of a covariance as numbers without bounds: its entries, of the diagonal their
/// logarithms.
struct CovarianceFactor: Sendable {
  let size: Int
  private let entries: [(row: Int, column: Int)]

  /// The smallest standard deviation of a logarithm that is looked for.
  static let smallestSpread = 1e-4

  init(_ size: Int, isFull: Bool) {
    self.size = size
    entries = (0..<size).flatMap { row in
      (0...row).filter { isFull || $0 == row }.map { (row, $0) }
    }
  }

  var count: Int { entries.count }
  var isFull: Bool { count > size }
  func isDiagonal(_ entry: Int) -> Bool { entries[entry].row == entries[entry].column }

  private func factor(_ covariance: Dense) -> Dense {
    covariance.cholesky ?? Dense(diagonal: covariance.diagonal.map { max($0, 1e-8).squareRoot() })
  }

  /// The numbers of a covariance.
  func numbers(_ covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    return entries.map { row, column in
      row == column ? .log(max(lower[row, row], Self.smallestSpread)) : lower[row, column]
    }
  }

  /// The covariance of numbers.
  func covariance(_ numbers: some Sequence<Double>) -> Dense {
    var lower = Dense(size, size)
    for ((row, column), number) in zip(entries, numbers) {
      lower[row, column] = row == column ? max(.exp(number), Self.smallestSpread) : number
    }
    return lower * lower.transposed
  }

  /// The gradient by the numbers of what changes by tr(A dOmega).
  func gradient(_ slope: Dense, at covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    let own = slope * lower
    return entries.map { row, column in
      2 * own[row, column] * (row == column ? lower[row, row] : 1)
    }
  }

  /// Standard errors of the variances by the delta method; NaN for one that is the smallest there can be.
  ///
  /// - Parameters:
  ///   - errors: The covariance of the whole vector.
  ///   - begin: Where the numbers begin in it.
  func standardErrors(_ errors: Dense, from begin: Int, at covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    return (0..<size).map { row in
      var slope = [Double](repeating: 0, count: errors.rows)
      for (place, entry) in entries.enumerated() where entry.row == row {
        let own = lower[row, entry.column]
        slope[begin + place] = 2 * own * (entry.column == row ? own : 1)
      }
      let variance = max(0, dot(slope, errors * slope))
      return variance > 0 ? variance.squareRoot() : .nan
    }
  }
}

/// Where the values that are estimated stand in a vector without bounds: logarithms of typical values,
/// coefficients, the factors of the covariances between people, occasions and studies, and logarithms of the
/// residual error.
struct Coordinates: Sendable {
  let structure: Structure
  let random: RandomEffects
  /// Places of the parameters whose typical values are estimated.
  let typical: [Int]
  let coefficientCount: Int
  /// The covariances between people, between occasions and between studies.
  let between: CovarianceFactor
  let within: CovarianceFactor
  let studies: CovarianceFactor
  let residual: [ResidualParameter]
  let floor: Double

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
    between = CovarianceFactor(random.between.count, isFull: model.isFull)
    within = CovarianceFactor(random.within.count, isFull: model.isFull)
    studies = CovarianceFactor(random.studies.count, isFull: false)
    switch model.error {
    case .additive(let sd): (residual, floor) = (sd == nil ? [.sd] : [], 0)
    case .proportional(let cv):
      (residual, floor) = (cv == nil ? [.cv] : [], ErrorModel.concentrationFloor)
    case .combined(let given): (residual, floor) = (given == nil ? [.sd, .cv] : [], 0)
    case .instrument: (residual, floor) = ([], 0)
    }
  }

  var count: Int {
    typical.count + coefficientCount + between.count + within.count + studies.count
      + residual.count
  }

  /// The vector of values.
  func vector(_ values: PopulationValues) -> [Double] {
    typical.map { values.typical[$0] } + values.coefficients
      + between.numbers(values.omega) + within.numbers(values.pi)
      + studies.numbers(Dense(diagonal: values.studies))
      + residual.map { $0 == .sd ? .log(values.sd) : .log(values.cv) }
  }

  /// The values at a vector.
  func values(_ vector: [Double], from others: PopulationValues) -> PopulationValues {
    var values = others
    var rest = vector[...]
    for place in typical { values.typical[place] = rest.removeFirst() }
    values.coefficients = (0..<coefficientCount).map { _ in rest.removeFirst() }
    func covariance(_ factor: CovarianceFactor) -> Dense {
      defer { rest = rest.dropFirst(factor.count) }
      return factor.covariance(rest.prefix(factor.count))
    }
    values.between = covariance(between).numbers
    values.within = covariance(within).numbers
    values.studies = covariance(studies).diagonal
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
    var spread = values.omega
    if !isNested {
      for (place, variance) in zip(random.studies, values.studies) {
        if let own = random.between.firstIndex(of: place) { spread[own, own] += variance }
      }
    }
    guard let between = spread.inverted, let within = values.pi.inverted,
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

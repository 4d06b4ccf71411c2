public import AlcoholKinetics
public import Estimation
package import Statistics

/// A mixed-effects model: fixed effects, random effects on up to three levels, covariates and residual error.
public struct PopulationModel: Sendable {
  /// The form in which a covariate enters the logarithm of a typical value.
  public enum CovariateForm: String, Codable, Sendable {
    /// theta ln(x / center): a power of the covariate.
    case power
    /// theta (x - center): an exponential function of it; for yes and no a factor.
    case exponential
  }

  /// An effect of a covariate on a typical value.
  public struct Covariate: Hashable, Sendable {
    /// The parameter that is affected.
    public let parameter: PopulationParameter
    /// The name of the column; `sex` is 1 for women and 0 for men, `food` 1 after a meal and 0 fasted.
    public let name: String
    /// The form of the effect.
    public let form: CovariateForm

    /// Makes an effect of a covariate.
    public init(parameter: PopulationParameter, name: String, form: CovariateForm) {
      self.parameter = parameter
      self.name = name
      self.form = form
    }
  }

  /// The elimination model.
  public var elimination: EliminationModel
  /// The parameters with an estimated typical value, including all with random effects.
  public var parameters: [PopulationParameter]
  /// The parameters with between-subject variability.
  public var random: [PopulationParameter]
  /// The parameters with between-occasion variability.
  public var occasional: [PopulationParameter]
  /// The parameters with between-study variability, independent of each other; a subset of ``random``.
  public var studyLevel: [PopulationParameter]
  /// The column of subjects.csv that names each subject's study.
  public var studyColumn: String
  /// Whether the covariances between subjects and between occasions are full, not diagonal.
  public var isFull: Bool
  /// Effects of covariates.
  public var covariates: [Covariate]
  /// The r-factor method whose prediction, times exp(eta), is a subject's r; nil to estimate a typical r.
  public var rFactor: (any RFactorMethod)?
  /// The residual error model.
  public var error: ErrorModel
  /// Parameters that are fixed and without variability, each in its unit.
  public var fixed: [FitParameter: Double]
  /// Fixed typical values, each in its unit; the parameters may have random effects.
  package var fixedTypical: [PopulationParameter: Double] = [:]
  /// Fixed between-subject variances of logarithms.
  package var fixedVariances: [PopulationParameter: Double] = [:]
  /// Bounds of the estimated typical values, each in its unit.
  package var bounds: [PopulationParameter: ClosedRange<Double>] = [:]
  /// The readings to use and the treatment of those below detection; M3 by default.
  public var selection: ReadingSelection
  /// The factors for conversion to g per kg of blood.
  public var factors: ConversionFactors

  /// Makes a model; everything has a default.
  ///
  /// - `parameters`: Parameters with an estimated typical value, beside random ones; nil for none.
  /// - `random`: Parameters with between-subject variability; nil for absorption, elimination and r.
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

extension PopulationModel {
  /// Whether the r-factor method predicts the parameter, which then has no typical value.
  func isPredicted(_ parameter: PopulationParameter) -> Bool {
    rFactor != nil && parameter == .kinetic(.r)
  }

  /// The parameters with variability on a level.
  package subscript(level: PopulationLevel) -> [PopulationParameter] {
    switch level {
    case .study: studyLevel
    case .person: random
    case .occasion: occasional
    }
  }
}

/// Values of the parameters of a population model.
public struct PopulationValues: Hashable, Sendable {
  /// The natural logarithms of the typical values, in the order of the model's parameters; 0 for an r predicted by a
  /// method.
  public var typical: [Double]
  /// The covariate coefficients, in the order of the model's covariates.
  public var coefficients: [Double]
  /// Omega, the between-subject covariance of the logarithms, row-major.
  public var between: [Double]
  /// Pi, the between-occasion covariance of the logarithms, row-major.
  public var within: [Double]
  /// The between-study variances of the logarithms.
  public var studies: [Double]
  /// The standard deviation a of readings at zero, in g/kg; 0 for none.
  public var sd: Double
  /// The coefficient of variation b of readings at high concentrations; 0 for none.
  public var cv: Double

  /// Makes values.
  public init(
    typical: [Double], coefficients: [Double] = [], between: [Double], within: [Double] = [],
    studies: [Double] = [], sd: Double = 0, cv: Double = 0
  ) {
    self.typical = typical
    self.coefficients = coefficients
    self.between = between
    self.within = within
    self.studies = studies
    self.sd = sd
    self.cv = cv
  }
}

extension PopulationValues {
  /// The residual error.
  var residual: ObservationModel {
    get { ObservationModel(sd: sd, cv: cv) }
    set {
      sd = newValue.sd
      cv = newValue.cv
    }
  }

  /// The covariance of the logarithms on a level; between studies they are independent.
  package subscript(level: PopulationLevel) -> Dense {
    get {
      func square(_ numbers: [Double]) -> Dense {
        let size = Int(Double(numbers.count).squareRoot().rounded())
        return Dense(size, size, numbers)
      }
      return switch level {
      case .study: Dense(diagonal: studies)
      case .person: square(between)
      case .occasion: square(within)
      }
    }
    set {
      switch level {
      case .study: studies = newValue.diagonal
      case .person: between = newValue.numbers
      case .occasion: within = newValue.numbers
      }
    }
  }
}

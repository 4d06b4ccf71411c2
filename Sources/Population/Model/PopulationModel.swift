public import AlcoholKinetics
public import Estimation
package import Statistics

/// What a population fit estimates, and how subjects may differ.
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
    /// The name of the column; `sex` is 1 for women and 0 for men, `food` 1 after a meal and 0 fasted.
    public let name: String
    /// In which form.
    public let form: CovariateForm

    /// Says how a covariate acts.
    public init(parameter: PopulationParameter, name: String, form: CovariateForm) {
      self.parameter = parameter
      self.name = name
      self.form = form
    }
  }

  /// How ethanol is eliminated.
  public var elimination: EliminationModel
  /// The parameters with a typical value to estimate, those with a spread among them.
  public var parameters: [PopulationParameter]
  /// The parameters in which subjects differ.
  public var random: [PopulationParameter]
  /// The parameters that differ between the occasions of a subject.
  public var occasional: [PopulationParameter]
  /// The parameters in which studies differ beyond their subjects, independent of each other; all of them are
  /// random.
  public var studyLevel: [PopulationParameter]
  /// The column of subjects.csv that names each subject's study.
  public var studyColumn: String
  /// Whether differences of parameters between subjects may go together, and so those between occasions.
  public var isFull: Bool
  /// Effects of covariates.
  public var covariates: [Covariate]
  /// The r-factor method whose prediction times exp(eta) is a subject's r; nil for one typical r.
  public var rFactor: (any RFactorMethod)?
  /// How the error of a reading depends on the concentration.
  public var error: ErrorModel
  /// Parameters that are the same for everybody and known, each in its unit.
  public var fixed: [FitParameter: Double]
  /// Typical values that are held, each in its unit; subjects may differ about them.
  package var fixedTypical: [PopulationParameter: Double] = [:]
  /// Variances of the logarithms between subjects that are held.
  package var fixedVariances: [PopulationParameter: Double] = [:]
  /// The ranges in which typical values are looked for, each in its unit.
  package var bounds: [PopulationParameter: ClosedRange<Double>] = [:]
  /// Which readings are used and what those below detection say; by their likelihood (M3) unless told.
  public var selection: ReadingSelection
  /// How readings are turned into g per kg of blood.
  public var factors: ConversionFactors

  /// Chooses a model; everything has a default.
  ///
  /// - `parameters`: What is estimated; nil for what is random.
  /// - `random`: What differs between subjects; nil for absorption, elimination and r.
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
  /// Whether a method predicts a parameter, which has no typical value then.
  func isPredicted(_ parameter: PopulationParameter) -> Bool {
    rFactor != nil && parameter == .kinetic(.r)
  }

  /// The parameters that differ on a level.
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
  /// The natural logarithms of the typical values, in the order of the model's parameters; where r is a
  /// method's prediction, 0 stands for it.
  public var typical: [Double]
  /// One for each effect of a covariate.
  public var coefficients: [Double]
  /// The covariance Omega of the logarithms between subjects, row-major.
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
  /// How readings err.
  var residual: ObservationModel {
    get { ObservationModel(sd: sd, cv: cv) }
    set { (sd, cv) = (newValue.sd, newValue.cv) }
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

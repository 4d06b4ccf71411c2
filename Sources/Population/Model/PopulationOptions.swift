package import AlcoholKinetics
package import Estimation

/// The options of population fits as stated, from which a ``PopulationModel`` follows for each r-factor method.
package struct PopulationOptions: Codable, Sendable {
  /// The structure of the between-subject covariance.
  package enum Covariance: String, CaseIterable, Codable, Sendable { case diagonal, full }

  package typealias Names = NameList<PopulationParameter>

  package var model = EliminationModel.widmark
  /// Parameters with between-subject variability; nil for those of absorption, elimination and r.
  package var random: Names?
  package var common: Names?
  package var occasional: Names?
  package var studyLevel: StudyLevel?
  package var studyColumn: String?
  package var covariance = Covariance.diagonal
  package var covariate: [CovariateList] = []
  package var rFactor = CovariateMethods.none
  package var bloodWater = BloodWater.perKilogram.content
  package var fix: [StatedValue<PopulationParameter>] = []
  package var fixOmega: [StatedVariance] = []
  package var initial: [StatedValue<PopulationParameter>] = []
  package var bound: [StatedRange<PopulationParameter>] = []
  package var error = ErrorModel.additive(sd: nil)
  package var censor: Censoring?
  package var lod: Double?
  package var excludeAfterDrinkMin: Double?
  package var method = PopulationMethod.focei
  package var nodes = 9
  package var starts = 3
  package var interval = PopulationFit.Intervals.wald
  package var replicates: Int?
  package var seed: UInt64 = 1
  package var factors = ConversionFactors()

  private enum CodingKeys: String, CodingKey {
    case model, random, common, occasional, covariance, covariate, fix, initial, bound, error
    case censor, lod, method, nodes, starts, interval, replicates, seed
    case studyLevel = "study_level"
    case studyColumn = "study_column"
    case rFactor = "r_factor"
    case bloodWater = "blood_water"
    case fixOmega = "fix_omega"
    case excludeAfterDrinkMin = "exclude_after_drink_min"
    case factors = "conversion_factors"
  }

  package init() {}

  /// Effects of covariates.
  private var covariates: [PopulationModel.Covariate] { covariate.flatMap(\.covariates) }

  /// The r-factor methods to compare by their names; nil for an r that is estimated.
  package var methods: [(name: String, method: (any RFactorMethod)?)] {
    rFactor.methods(BloodWater(content: bloodWater))
  }

  /// The model with r by a method.
  ///
  /// - Throws: ``Problem``.
  package func model(by method: (any RFactorMethod)?) throws(Problem) -> PopulationModel {
    let given = fix.byParameter()
    // As in a fit, what is fixed is left out of what is estimated by default.
    let usual = PopulationModel(self.model).random.filter { given[$0] == nil }
    let varying = fixOmega.map(\.parameter)
    let named = Set([random, common, occasional].flatMap { $0?.parameters ?? [] } + varying)
    var fixed: [FitParameter: Double] = [:]
    for (parameter, value) in given where !named.contains(parameter) {
      guard case .kinetic(let kinetic) = parameter else {
        throw .badOptions(
          "--fix cl=... needs a clearance in which people differ; add cl to --random.")
      }
      fixed[kinetic] = value
    }
    var model = PopulationModel(
      self.model, parameters: common?.parameters,
      random: random?.parameters ?? usual + varying.filter { !usual.contains($0) },
      occasional: occasional?.parameters ?? [], studyColumn: studyColumn ?? "study",
      isFull: covariance == .full, covariates: covariates, rFactor: method, error: error,
      fixed: fixed,
      selection: ReadingSelection(
        censoring: censor ?? .m3, limitOfDetection: lod,
        mouthAlcoholWindow: excludeAfterDrinkMin.map { Hours(minutes: $0) }),
      factors: factors)
    model.fixedTypical = given.filter { named.contains($0.key) }
    model.fixedVariances = Dictionary(fixOmega.map { ($0.parameter, $0.value) }) { first, _ in first
    }
    model.bounds = bound.byParameter()
    model.studyLevel = studyLevel.map { $0.list?.parameters.sorted() ?? model.random } ?? []
    return model
  }

  /// The options of the search.
  package func search(jobs: Int) -> PopulationFit.Options {
    var options = PopulationFit.Options(
      method: method, nodes: nodes, starts: starts, jobs: jobs, start: initial.byParameter())
    options.intervals = interval
    options.replicates = replicates
    options.seed = seed
    return options
  }

  /// Refuses options that are impossible for any study.
  ///
  /// - Throws: ``Problem``.
  package func check() throws(Problem) {
    try Self.check("--nodes", nodes, in: 1...25)
    try Self.check("--starts", starts, in: 1...100)
    try Self.check("--replicates", replicates, in: 100...100_000)
    try Self.check("--fix", fix.map(\.parameter.rawValue))
    try Self.check("--fix-omega", fixOmega.map(\.parameter.rawValue))
    try Self.check("--initial", initial.map(\.parameter.rawValue))
    try Self.check("--bound", bound.map(\.parameter.rawValue))
    try Self.check("--covariate", covariates.map { "\($0.parameter.rawValue)=\($0.name)" })
    guard studyLevel != nil || studyColumn == nil else {
      throw .badOptions("--study-column is for --study-level; give both, or neither.")
    }
    guard studyLevel == nil || method != .quadrature else {
      throw .badOptions(
        "--method quadrature cannot integrate over all people of a study; choose focei or laplace with "
          + "--study-level.")
    }
    guard censor != .oneSided else {
      throw .badOptions("--censor one-sided has no likelihood; choose m3, drop or none.")
    }
    _ = try model(by: nil)
  }

  private static func check(
    _ option: String, _ value: Int?, in range: ClosedRange<Int>
  ) throws(Problem) {
    guard let value, !range.contains(value) else { return }
    throw .badOptions(
      "\(option) is \(value); it must be from \(range.lowerBound) to \(range.upperBound).")
  }

  /// Refuses an option that is stated twice for one name.
  private static func check(_ option: String, _ names: [String]) throws(Problem) {
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw .badOptions("\(option) names \(name) twice.")
    }
  }

  /// The given options that have no effect in combination with the others.
  package func unused(given: Set<String>) -> [IneffectiveOptions] { unused.among(given) }

  /// All options that would have no effect.
  package var unused: [IneffectiveOptions] {
    let isBootstrap = interval.usualReplicates > 0
    return [
      IneffectiveOptions(
        ["nodes"], if: method != .quadrature,
        "because only a quadrature has nodes; add --method quadrature, or leave it out"),
      IneffectiveOptions(
        ["blood_water"], if: rFactor.text == CovariateMethods.none.text,
        "because no method predicts r; add --r-factor, or leave it out"),
      IneffectiveOptions(
        ["replicates"], if: !isBootstrap,
        "because only --interval bootstrap has replicates; add it, or leave it out"),
      IneffectiveOptions(
        ["covariance"],
        if: random.map { $0.parameters.count < 2 } ?? false
          && occasional?.parameters.count ?? 0 < 2,
        "because a single parameter has nothing to be correlated with; leave it out"),
      IneffectiveOptions(
        ["lod"], if: censor == Censoring.none,
        "because --censor none takes every reading at face value; leave one of them out"),
    ].compactMap(\.self)
  }
}

// MARK: - Values of options

extension PopulationParameter: NamedParameter {
  package static let allNames = FitParameter.allNames + ["cl"]
  package static var valueForm: String { "written as in ka=3" }
  package static var rangeForm: String { "written as in ka=0.5:30" }

  package func value(ofText text: some StringProtocol) throws(SeriesFailure) -> Double {
    let value: Double? =
      switch self {
      case .kinetic(let parameter): try parameter.value(ofText: text)
      case .clearance: Double(text)
      }
    guard let value, value > 0, value.isFinite else {
      throw .badOptions("'\(text)' is not a value of \(rawValue); it must be above zero.")
    }
    return value
  }

  package func text(of value: Double) -> String {
    switch self {
    case .kinetic(let parameter): parameter.text(of: value)
    case .clearance: value.exactText
    }
  }
}

/// A variance of a parameter's logarithm, stated as `NAME=VARIANCE`.
package struct StatedVariance: TextOption {
  package let parameter: PopulationParameter
  package let value: Double

  package init(parsing text: String) throws(SeriesFailure) {
    let (parameter, rest) = try PopulationParameter.parts(text, form: "written as in ka=0.09")
    guard let value = Double(rest), 1e-6...100 ~= value else {
      throw .badOptions(
        "'\(rest)' is not a variance of ln \(parameter.rawValue); it must be from 0.000001 to 100.")
    }
    self.parameter = parameter
    self.value = value
  }

  package var text: String { "\(parameter.rawValue)=\(value.exactText)" }
}

/// The parameters with between-study variability: a list, or all random ones.
package struct StudyLevel: TextOption {
  /// Nil for all.
  package let list: NameList<PopulationParameter>?

  package init(parsing text: String) throws(SeriesFailure) {
    list = text == "all" ? nil : try NameList(parsing: text)
  }

  package var text: String { list?.text ?? "all" }
}

/// Covariates of one parameter, as `NAME=COVARIATE[:exponential],...`.
package struct CovariateList: TextOption {
  package let covariates: [PopulationModel.Covariate]
  package let text: String

  package init(parsing text: String) throws(SeriesFailure) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw .badOptions("it must be NAME=COVARIATE, for example beta=sex,weight_kg.")
    }
    let parameter = try PopulationParameter(named: parts[0])
    var covariates: [PopulationModel.Covariate] = []
    for part in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let form =
        words.count == 1 ? .power : PopulationModel.CovariateForm(rawValue: String(words[1]))
      guard let name = words.first, !name.isEmpty, let form else {
        throw .badOptions("'\(part)' must be a covariate, or one with :power or :exponential.")
      }
      covariates.append(.init(parameter: parameter, name: String(name), form: form))
    }
    self.covariates = covariates
    self.text = text
  }
}

/// The r-factor methods to compare as covariate models: names separated by commas, `all` or `none`.
package struct CovariateMethods: TextOption {
  package static let none = CovariateMethods(text: "none")
  package let text: String

  private init(text: String) { self.text = text }

  package init(parsing text: String) throws(SeriesFailure) {
    for word in text.split(separator: ",", omittingEmptySubsequences: false)
    where word != "none" && word != "all" && Self.method(word, .perKilogram) == nil {
      let names = RFactorMethods.known().map(\.name).joined(separator: ", ")
      throw .badOptions("there is no method '\(word)'; choose from none, all, \(names).")
    }
    self.text = text
  }

  private static func method(_ word: some StringProtocol, _ water: BloodWater)
    -> (any RFactorMethod)?
  { RFactorMethods.stated(String(word), bloodWater: water) }

  /// The methods by their names; nil for an estimated r.
  func methods(_ water: BloodWater) -> [(name: String, method: (any RFactorMethod)?)] {
    let words =
      text == "all"
      ? ["none"] + RFactorMethods.all().map(\.name) : text.split(separator: ",").map(String.init)
    return words.map { ($0, $0 == "none" ? nil : Self.method($0, water)) }
  }

  /// Whether the text names a single method or none.
  package var isSingle: Bool { !text.contains(",") && text != "all" }
}

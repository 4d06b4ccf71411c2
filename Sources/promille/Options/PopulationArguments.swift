import AlcoholKinetics
import ArgumentParser
import Estimation
import Population
import StudyData

extension Study {
  /// The column of the name of the study that a person was read from.
  static let column = "study"

  /// Several studies as one: subjects are named after their study, whose name they also have as a covariate.
  init(pooling studies: [(path: String, study: Study)]) throws {
    self = studies[0].study
    var paths: Set<String> = []
    let names = studies.map(\.study.name)
    var all: [Series] = []
    for (path, study) in studies {
      guard paths.insert(path).inserted else {
        throw Self.refusal("\(path) is named twice; name each study once")
      }
      guard study.instrument == instrument else {
        throw Self.refusal(
          "\(studies[0].path) and \(path) state different instruments; give them the same in datapackage.json, or none"
        )
      }
      let isAlone = names.count { $0 == study.name } == 1
      let name = isAlone ? study.name : path
      all += study.series.map { series in
        var series = series
        series.subject.covariates[Self.column] = name
        series.subject.id = "\(name)/\(series.subject.id)"
        return series
      }
    }
    series = all
    diagnostics = studies.flatMap(\.study.diagnostics)
    inputs = studies.flatMap(\.study.inputs)
  }

  private static func refusal(_ message: String) -> Refusal {
    Refusal("E_OPTION", message, ExitCode.validationFailure)
  }
}

/// Where studies differ: some parameters, or all that are random.
struct StudyLevel: TypedValue {
  /// Nil for all.
  let list: NameList<PopulationParameter>?

  init(parsing argument: String) throws {
    list = argument == "all" ? nil : try NameList<PopulationParameter>(parsing: argument)
  }

  var text: String { list?.text ?? "all" }
}

extension PopulationParameter: NamedParameter {
  static let allNames = FitParameter.allNames + ["cl"]

  func value(ofArgument text: some StringProtocol) throws -> Double {
    let value: Double? =
      switch self {
      case .kinetic(let parameter): try parameter.value(ofArgument: text)
      case .clearance: Double(text)
      }
    guard let value, value > 0, value.isFinite else {
      throw ValidationError("'\(text)' is not a value of \(rawValue); it must be above zero.")
    }
    return value
  }
}

/// A typical value, or a variance of a parameter's logarithm.
typealias TypicalValue = Assignment<PopulationParameter, Double>
typealias TypicalRange = Assignment<PopulationParameter, ClosedRange<Double>>

extension Assignment<PopulationParameter, Double> {
  static func typical(_ argument: String) throws -> Self {
    try Self(parsing: argument, form: "written as in ka=3")
  }

  static func variance(_ argument: String) throws -> Self {
    let (parameter, text) = try parts(argument, form: "written as in ka=0.09")
    guard let value = Double(text), 1e-6...100 ~= value else {
      throw ValidationError(
        "'\(text)' is not a variance of ln \(parameter.rawValue); it must be from 0.000001 to 100.")
    }
    return Self(parameter: parameter, value: value, text: "\(parameter.rawValue)=\(text)")
  }
}

extension Assignment<PopulationParameter, ClosedRange<Double>> {
  static func typical(_ argument: String) throws -> Self {
    try Self(parsing: argument, form: "written as in ka=0.5:30")
  }
}

/// Covariates of one parameter, as `NAME=COVARIATE[:exponential],...`.
struct CovariateList: TypedValue {
  let covariates: [PopulationModel.Covariate]
  let text: String

  init(parsing argument: String) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw ValidationError("it must be NAME=COVARIATE, for example beta=sex,weight_kg.")
    }
    let parameter = try PopulationParameter(argument: parts[0])
    covariates = try parts[1].split(separator: ",", omittingEmptySubsequences: false).map { one in
      let words = one.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let form =
        words.count == 1 ? .power : PopulationModel.CovariateForm(rawValue: String(words[1]))
      guard let name = words.first, !name.isEmpty, let form else {
        throw ValidationError("'\(one)' must be a covariate, or one with :power or :exponential.")
      }
      return PopulationModel.Covariate(parameter: parameter, name: String(name), form: form)
    }
    text = argument
  }
}

/// Which effects of a population are tested.
struct PopulationTestArguments: FileNaming {
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Search for covariates by likelihood ratio, forward and backward, among these, written as for --covariate; "
        + "may be repeated.", valueName: "name=covariates"),
    transform: CovariateList.init(parsing:))
  var covariatesSearch: [CovariateList] = []

  @Option(help: "Add a covariate if p is below this.")
  var pForward = CovariateSearch.Limits().forward

  @Option(help: "Keep a covariate if p is below this.")
  var pBackward = CovariateSearch.Limits().backward

  @Option(
    help: ArgumentHelp(
      "Test the fit against the one in FILE, the JSON of an earlier result, by likelihood ratio; one must be the "
        + "other with fewer numbers to estimate. With --evaluate, two earlier results are tested.",
      valueName: "file"), completion: .file())
  var against: String?

  var namedFiles: [NamedFile] { [.read(against)] }

  func validate() throws {
    try require("--p-forward", pForward, in: 1e-6...0.5)
    try require("--p-backward", pBackward, in: 1e-6...0.5)
    try candidates.requireDifferent("--covariates-search") {
      "\($0.parameter.rawValue)=\($0.name)"
    }
  }

  var candidates: [PopulationModel.Covariate] { covariatesSearch.flatMap(\.covariates) }

  var limits: CovariateSearch.Limits {
    var limits = CovariateSearch.Limits()
    (limits.forward, limits.backward) = (pForward, pBackward)
    return limits
  }
}

/// The methods whose predictions of r are compared as covariate models.
struct CovariateMethods: TypedValue {
  static let none = CovariateMethods(text: "none")
  let text: String

  private init(text: String) { self.text = text }

  init(parsing argument: String) throws {
    text = argument
    for word in argument.split(separator: ",", omittingEmptySubsequences: false)
    where word != "none" && word != "all" && RFactorName(argument: String(word)) == nil {
      throw ValidationError(
        "there is no method '\(word)'; choose from none, all, \(RFactorName.names.joined(separator: ", "))."
      )
    }
  }

  /// By their names; nil for an r that is estimated.
  func methods(_ water: BloodWater) -> [(String, (any RFactorMethod)?)] {
    let words =
      text == "all"
      ? ["none"] + RFactorMethods.all().map(\.name) : text.split(separator: ",").map(String.init)
    return words.map { word in
      (word, word == "none" ? nil : RFactorName(argument: word)?.method(water))
    }
  }
}

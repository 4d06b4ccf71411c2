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

import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import Spreadsheets
import StudyData
import StudyFiles
import StudyStore
import Validation

/// Models whose predictions were computed elsewhere, with their files.
struct PredictionFiles: FileNaming {
  @Option(
    help: ArgumentHelp(
      """
      Compare your own model, too: its curves (subject, time_min and a concentration) or times (subject, and sober_min, \
      sober_h or sober_time) in FILE, with limits if it has any. "My app=FILE" names it; may be repeated. promille sober \
      --help-all says more.
      """,
      valueName: "name=file"), completion: .file())
  var predictions: [GivenModelFile] = []

  var namedFiles: [NamedFile] { predictions.map { .read($0.path) } }

  var isEmpty: Bool { predictions.isEmpty }

  /// The names of the models.
  var names: [String] { predictions.map(\.name) }

  /// The tables, opened.
  ///
  /// - Parameters:
  ///   - map: The stated meaning of their columns.
  ///   - starts: When the first drinks of the study were, by the clock.
  func open(
    _ map: ColumnMap, _ console: Console, starts: [SeriesKey: ClockedStart]
  ) throws -> [any PredictionSupply] {
    try predictions.map { file in
      guard file.isStudy else {
        return try PredictionTable(file.path, model: file.name, map: map, starts: starts)
      }
      let options = try StudyOptions.parse(["--", file.path])
      let study = try options.read(console, from: try options.open())
      return StudyPredictions(study, by: file.name)
    }
  }

  /// The headers of the tables.
  func headers() throws -> [String] {
    try predictions.filter { !$0.isStudy }.flatMap { try PredictionTable.headers($0.path) }
  }
}

/// A model by its name and its file, as `My app=app.csv` or `app.csv`.
struct GivenModelFile: TypedArgument {
  let name: String
  let path: String
  let text: String

  init?(argument: String) {
    text = argument
    if let equals = argument.firstIndex(of: "=") {
      name = argument[..<equals].trimmed
      path = String(argument[argument.index(after: equals)...])
    } else {
      name = URL(fileURLWithPath: argument).deletingPathExtension().lastPathComponent
      path = argument
    }
    guard !name.isEmpty, !path.isEmpty else { return nil }
  }

  /// Whether it is a study, in a folder or a database, and no table of predictions.
  var isStudy: Bool { StudyReader.isFolder(path) || StudyStore.accepts(path) }
}

extension PredictionTable: PredictionSupply {}

/// A study whose readings are the curves of a model.
private final class StudyPredictions: PredictionSupply {
  private let study: Study
  private let model: String
  private let byName: [SeriesKey: Series]

  init(_ study: Study, by model: String) {
    self.study = study
    self.model = model
    byName = Dictionary(
      study.series.map { (SeriesKey(subject: $0.subject.id, occasion: $0.occasion), $0) },
      uniquingKeysWith: { first, _ in first })
  }

  func prediction(of series: Series) -> GivenPrediction {
    byName[SeriesKey(subject: series.subject.id, occasion: series.occasion)]?
      .asPrediction(by: model) ?? GivenPrediction(model: model, .missing)
  }

  func findings() -> [Diagnostic] { [] }
  var inputs: [InputDigest] { study.inputs }
}

extension Console {
  /// Warns about missing or coarse predictions of given models.
  func warn(about check: GivenModelCheck) {
    for finding in check.findings { warning(finding.code, finding.sentence) }
  }

  /// Warns about correlated errors and trends of the methods.
  func warn(about diagnostics: [ErrorDiagnostics]) {
    for finding in ErrorDiagnostics.warnings(of: diagnostics) {
      warning(finding.code, finding.sentence)
    }
  }
}

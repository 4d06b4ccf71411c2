import AlcoholKinetics
import ArgumentParser
import StudyData

extension Study {
  /// The column of the name of the study that a person was read from.
  static let column = "study"

  /// Why studies cannot be fitted as one.
  enum PoolingError: Error, CustomStringConvertible {
    case twice(String)
    case instruments(String, String)

    var description: String {
      switch self {
      case .twice(let path): "\(path) is named twice; name each study once"
      case .instruments(let one, let other):
        "\(one) and \(other) state different instruments; give them the same in datapackage.json, or none"
      }
    }
  }

  /// Several studies as one: subjects are named after their study, whose name they also have as a covariate.
  init(pooling studies: [(path: String, study: Study)]) throws(PoolingError) {
    self = studies[0].study
    var paths: Set<String> = []
    let names = studies.map(\.study.name)
    var all: [Series] = []
    for (path, study) in studies {
      guard paths.insert(path).inserted else { throw .twice(path) }
      guard study.instrument == instrument else { throw .instruments(studies[0].path, path) }
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
}

/// Where studies differ: some parameters, or all that are random.
struct StudyLevel: TypedValue {
  /// Nil for all.
  let list: PopulationList?

  init(parsing argument: String) throws {
    list = argument == "all" ? nil : try PopulationList(parsing: argument)
  }

  var text: String { list?.text ?? "all" }
}

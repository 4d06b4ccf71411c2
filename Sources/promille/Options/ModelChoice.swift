import AlcoholKinetics
import ArgumentParser

/// Which model is fitted.
enum ModelChoice: ExpressibleByArgument, Equatable {
  /// One of them.
  case one(EliminationModel)
  /// All, with and without a lag, to choose between.
  case all

  init?(argument: String) {
    if argument == "all" {
      self = .all
    } else if let model = EliminationModel(rawValue: argument) {
      self = .one(model)
    } else {
      return nil
    }
  }

  static let allValueStrings = EliminationModel.allCases.map(\.rawValue) + ["all"]

  var name: String {
    switch self {
    case .one(let model): model.rawValue
    case .all: "all"
    }
  }

  var defaultValueDescription: String { name }

  /// The model of a single fit; of a choice between all, the one that the others are built from.
  var model: EliminationModel {
    switch self {
    case .one(let model): model
    case .all: .widmark
    }
  }
}

import ArgumentParser
import Estimation

/// Which model is fitted.
enum ModelChoice: String, CaseIterable, ExpressibleByArgument {
  case widmark
  case michaelisMenten = "michaelis-menten"
  /// Both, with and without a lag, to choose between.
  case all

  /// The model of a single fit; of a choice between all, the one that the others are built from.
  var model: EliminationModel {
    switch self {
    case .widmark, .all: .widmark
    case .michaelisMenten: .michaelisMenten
    }
  }
}

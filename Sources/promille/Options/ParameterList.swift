import AlcoholKinetics
import ArgumentParser
import Estimation

/// Names of parameters, separated by commas.
struct ParameterList {
  let parameters: Set<FitParameter>

  init(parsing argument: String) throws {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    let parameters = try names.map { try FitParameter(argument: $0) }
    guard Set(parameters).count == parameters.count else {
      throw ValidationError("a parameter is named twice.")
    }
    self.parameters = Set(parameters)
  }
}

extension Set<FitParameter> {
  /// The names, separated by commas, in the order of results.
  var text: String { sorted().map(\.rawValue).joined(separator: ",") }
}

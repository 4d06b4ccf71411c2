import ArgumentParser
import Validation

/// Names of parameters, separated by commas.
struct ParameterList: ExpressibleByArgument {
  let parameters: Set<FitParameter>

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    let parameters = names.compactMap { FitParameter(rawValue: $0) }
    guard parameters.count == names.count, Set(parameters).count == names.count else { return nil }
    self.parameters = Set(parameters)
  }

  init(_ parameters: Set<FitParameter>) {
    self.parameters = parameters
  }

  var defaultValueDescription: String { text }

  var text: String {
    parameters.sorted().map(\.rawValue).joined(separator: ",")
  }
}

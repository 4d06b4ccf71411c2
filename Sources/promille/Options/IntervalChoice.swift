import ArgumentParser
import Estimation

/// How intervals of estimates are made, or that there are none.
enum IntervalChoice: String, CaseIterable, ExpressibleByArgument {
  case wald
  case profile
  case residualBootstrap = "residual-bootstrap"
  case parametricBootstrap = "parametric-bootstrap"
  case none

  init?(argument: String) {
    self.init(rawValue: argument == "bootstrap" ? Self.residualBootstrap.rawValue : argument)
  }

  /// The kind as the library knows it.
  var kind: IntervalOptions.Kind? {
    switch self {
    case .wald: .wald
    case .profile: .profile
    case .residualBootstrap: .residualBootstrap
    case .parametricBootstrap: .parametricBootstrap
    case .none: nil
    }
  }
}

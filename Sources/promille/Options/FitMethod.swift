import ArgumentParser

/// How a series is fitted.
enum FitMethod: String, CaseIterable, ExpressibleByArgument {
  /// The model's whole curve, by nonlinear least squares.
  case nonlinear
  /// A straight line through the readings after absorption.
  case eliminationLine = "elimination-line"
}

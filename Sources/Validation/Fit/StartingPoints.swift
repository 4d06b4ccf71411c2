import GSL
import RealModule

/// Where a fit starts from.
///
/// The zero clamp makes real local minima, so that one start is not enough. The first start is a
/// typical person; the others fill a box of plausible parameters evenly (Sobol's sequence), each
/// axis on a logarithmic scale.
enum StartingPoints {
  /// Logarithms of the starting values: `count` points with one coordinate per parameter.
  static func logarithms(
    of parameters: [FitParameter], count: Int
  ) throws(GSLError) -> [[Double]] {
    let typical = parameters.map { Double.log($0.typicalValue) }
    guard count > 1 else { return [typical] }
    let design = try QuasiRandomSequence(.sobol, dimension: parameters.count)
    let points = try design.points(count - 1).map { point in
      zip(parameters, point).map { parameter, position in
        let low = Double.log(parameter.plausibleRange.lowerBound)
        let high = Double.log(parameter.plausibleRange.upperBound)
        return low + position * (high - low)
      }
    }
    return [typical] + points
  }
}

extension FitParameter {
  /// A value from the middle of what people show, fasting and social drinking together.
  fileprivate var typicalValue: Double {
    switch self {
    case .ka: 6
    case .beta: 0.15
    case .r: 0.65
    }
  }

  /// The box of starts: a little wider than the plausible ranges, for the minimum may lie outside.
  fileprivate var plausibleRange: ClosedRange<Double> {
    switch self {
    case .ka: 0.3...40
    case .beta: 0.05...0.4
    case .r: 0.35...1.1
    }
  }
}

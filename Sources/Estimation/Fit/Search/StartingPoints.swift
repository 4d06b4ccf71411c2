import AlcoholKinetics
import GSL
import RealModule

/// The starts of a fit, laid out from their design.
enum StartingPoints {
  /// Coordinates of the starts: as many points as the design asks for, one coordinate per parameter.
  static func coordinates(
    of parameters: [FitParameter],
    in bounds: [FitParameter: ClosedRange<Double>],
    _ design: StartDesign
  ) throws(GSLError) -> [[Double]] {
    let box = parameters.map { $0.traits.startRange.clamped(into: bounds[$0] ?? $0.defaultBounds) }
    let typical = zip(parameters, box).map { parameter, range in
      parameter.coordinate(
        of: min(max(parameter.traits.typicalValue, range.lowerBound), range.upperBound))
    }
    guard design.count > 1 else { return [typical] }
    let points = try unitPoints(design, dimension: parameters.count).map { point in
      parameters.indices.map { index in
        let low = parameters[index].coordinate(of: box[index].lowerBound)
        let high = parameters[index].coordinate(of: box[index].upperBound)
        return low + point[index] * (high - low)
      }
    }
    return [typical] + points
  }

  private static func unitPoints(
    _ design: StartDesign, dimension: Int
  ) throws(GSLError) -> [[Double]] {
    let kind: QuasiRandomKind =
      switch design.sequence {
      case .sobol: .sobol
      case .halton: .halton
      }
    let points = try QuasiRandomSequence(kind, dimension: dimension).points(design.count - 1)
    guard design.seed != 0 else { return points }
    let generator = try RandomGenerator(seed: design.seed)
    let shift = (0..<dimension).map { _ in generator.nextUniform() }
    return points.map { point in
      zip(point, shift).map { ($0 + $1).truncatingRemainder(dividingBy: 1) }
    }
  }
}

extension ClosedRange<Double> {
  /// What both ranges share; the other range if they share nothing.
  fileprivate func clamped(into other: ClosedRange<Double>) -> ClosedRange<Double> {
    overlaps(other) ? clamped(to: other) : other
  }
}

import AlcoholKinetics
import GSL
import RealModule

/// The starts of a multi-start fit.
///
/// Curves that stop at zero cause local minima, so one start is not enough. The first start is a typical subject; the
/// others fill a box of plausible parameters evenly, each axis on the scale in which the parameter is estimated.
public struct StartDesign: Hashable, Sendable {
  /// A sequence of points that fill a box evenly.
  public enum Sequence: String, CaseIterable, Codable, Hashable, Sendable {
    /// Sobol's (1967).
    case sobol
    /// Halton's (1960).
    case halton
  }

  /// The number of starts; at least 1.
  public var count: Int
  /// The sequence that fills the box.
  public var sequence: Sequence
  /// 0 for the sequence itself; any other number moves all its points by the same random distance,
  /// modulo the box (Cranley & Patterson 1976).
  public var seed: UInt64

  /// The number of starts unless set.
  public static let defaultCount = 8

  /// Creates a design.
  public init(
    count: Int = StartDesign.defaultCount, sequence: Sequence = .sobol, seed: UInt64 = 0
  ) {
    self.count = count
    self.sequence = sequence
    self.seed = seed
  }
}

/// Computes the starts of a fit from their design.
enum StartingPoints {
  /// Returns the starts in coordinates: one point for each start of the design, one coordinate for each parameter.
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
  /// Returns the intersection of both ranges; the other range if it is empty.
  fileprivate func clamped(into other: ClosedRange<Double>) -> ClosedRange<Double> {
    overlaps(other) ? clamped(to: other) : other
  }
}

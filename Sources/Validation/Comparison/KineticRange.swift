public import AlcoholKinetics

/// A range of the parameters of absorption and elimination over which a method has to predict better before
/// it is called so.
///
/// Which of two methods looks better depends on the kinetic parameters that both predict with: where beta is
/// too large, the method with the smaller r makes up for it. What is true of methods must not.
public struct KineticRange: Codable, Hashable, Sendable {
  /// Positive values of each parameter, in its unit.
  public let ranges: [FitParameter: ClosedRange<Double>]

  /// The range for a model: k_a 1-20 /h and beta 0.10-0.25 g/kg/h, within which nearly everybody is who
  /// drinks: beta of 95 % of subjects is 0.085-0.275 g/kg/h (Jones and Andersson 1996). Of other parameters,
  /// of which less is known, all that a search starts from.
  public static func plausible(_ model: EliminationModel) -> KineticRange {
    let known = KineticRange(ka: 1...20, beta: 0.10...0.25).ranges
    return KineticRange(
      Dictionary(
        uniqueKeysWithValues: model.defaultEstimate.map { ($0, known[$0] ?? $0.traits.startRange) })
    )
  }

  /// Chooses a range of positive values for Widmark's model.
  public init(ka: ClosedRange<PerHour>, beta: ClosedRange<GramsPerKilogramHour>) {
    self.init([
      .ka: ka.lowerBound.value...ka.upperBound.value,
      .beta: beta.lowerBound.value...beta.upperBound.value,
    ])
  }

  /// Chooses ranges of positive values.
  public init(_ ranges: [FitParameter: ClosedRange<Double>]) {
    self.ranges = ranges
  }

  /// The values in the middle, as the geometric means of the ends.
  public var middle: [FitParameter: Double] {
    ranges.mapValues { ($0.lowerBound * $0.upperBound).squareRoot() }
  }

  /// The corners of the range and its middle.
  var points: [PredictionParameters] {
    let corners = ranges.sorted { $0.key < $1.key }.reduce([[:]]) { corners, side in
      corners.flatMap { corner in
        [side.value.lowerBound, side.value.upperBound].map { end in
          corner.merging([side.key: end]) { _, new in new }
        }
      }
    }
    return (corners + [middle]).map(PredictionParameters.given)
  }
}

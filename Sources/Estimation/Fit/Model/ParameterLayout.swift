import AlcoholKinetics
import RealModule

/// Which parameters a solve moves, between which bounds, and where they stand in the solver's
/// vector of coordinates; the others are held.
struct ParameterLayout: Hashable, Sendable {
  /// The model.
  let model: EliminationModel
  /// The parameters that are moved, in the order of the vector.
  let free: [FitParameter]
  /// The value of every parameter of the model; those of the free ones are not used.
  let held: ParameterValues
  /// The lowest coordinate of each free parameter.
  let lowest: [Double]
  /// The highest coordinate of each free parameter.
  let highest: [Double]

  /// Where the free parameters stand among those of the model: the order of derivatives.
  let places: SIMD8<Int>
  static let placeOfR = 1
  static let placeOfGain = 3
  /// Where the free parameters stand in ``ParameterValues``.
  let slots: [Int]
  /// Whether the coordinate of a free parameter is its logarithm.
  let areLogarithmic: [Bool]

  /// The range of each free parameter, in its unit.
  let ranges: [ClosedRange<Double>]
  /// What somebody asked for.
  private let bounds: [FitParameter: ClosedRange<Double>]

  init(
    _ model: EliminationModel, free: Set<FitParameter>, held: ParameterValues,
    bounds: [FitParameter: ClosedRange<Double>]
  ) {
    self.model = model
    self.free = free.sorted()
    let order = model.traits.map(\.parameter)
    var places = SIMD8<Int>()
    for (index, parameter) in self.free.enumerated() {
      places[index] = order.firstIndex(of: parameter) ?? order.count
    }
    self.places = places
    slots = self.free.map(\.slot)
    areLogarithmic = self.free.map(\.isLogarithmic)
    self.held = held
    self.bounds = bounds
    ranges = self.free.map { bounds[$0] ?? $0.defaultBounds }
    lowest = zip(self.free, ranges).map { $0.coordinate(of: $1.lowerBound) }
    highest = zip(self.free, ranges).map { $0.coordinate(of: $1.upperBound) }
  }

  /// Number of free parameters.
  var count: Int { free.count }

  /// The values of all parameters at the coordinates of the free ones, each kept in its bounds.
  func values(at coordinates: UnsafePointer<Double>) -> ParameterValues {
    var values = held
    for index in slots.indices {
      values[slot: slots[index]] = value(of: index, at: coordinates[index])
    }
    return values
  }

  /// The value of a free parameter at its coordinate, kept in its bounds; at a bound exactly that.
  private func value(of index: Int, at coordinate: Double) -> Double {
    if coordinate >= highest[index] { return ranges[index].upperBound }
    if coordinate <= lowest[index] { return ranges[index].lowerBound }
    return areLogarithmic[index] ? .exp(coordinate) : coordinate
  }

  /// The values of all parameters at the coordinates of the free ones, each kept in its bounds.
  func values(at coordinates: [Double]) -> ParameterValues {
    coordinates.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { values(at: $0) } ?? held
    }
  }

  /// Whether a coordinate stands at a bound that nobody asked for; a lag of zero is no such bound.
  func isAtDefaultBound(_ index: Int, _ coordinate: Double) -> Bool {
    guard bounds[free[index]] == nil else { return false }
    return coordinate >= highest[index] || (free[index] != .lag && coordinate <= lowest[index])
  }

  /// Whether a coordinate is beyond its bounds, where the model does not follow it.
  func isOutside(_ index: Int, _ coordinate: Double) -> Bool {
    coordinate < lowest[index] || coordinate > highest[index]
  }
}

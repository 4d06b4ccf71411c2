import AlcoholKinetics
import RealModule

/// Which parameters a solve moves, between which bounds, and where they stand in the solver's
/// vector of coordinates; the others are held.
///
/// It is a value, kept by reference as it is handed on hundreds of times per fit.
final class ParameterLayout: Hashable, Sendable {
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
  private static let placeOfR = 1
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

  /// The same as a layout, with other values of those that are held.
  init(_ layout: ParameterLayout, holding held: ParameterValues) {
    model = layout.model
    free = layout.free
    bounds = layout.bounds
    self.held = held
    lowest = layout.lowest
    highest = layout.highest
    ranges = layout.ranges
    places = layout.places
    slots = layout.slots
    areLogarithmic = layout.areLogarithmic
  }

  // All else follows from these.

  static func == (left: ParameterLayout, right: ParameterLayout) -> Bool {
    left.model == right.model && left.free == right.free && left.held == right.held
      && left.bounds == right.bounds
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(model)
    hasher.combine(free)
    hasher.combine(held)
    hasher.combine(bounds)
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

  /// The same at a point of a search.
  func values(at coordinates: Coordinates) -> ParameterValues {
    withUnsafePointer(to: coordinates) {
      $0.withMemoryRebound(to: Double.self, capacity: Coordinates.scalarCount) { values(at: $0) }
    }
  }

  /// The same as an array has them.
  func values(at coordinates: [Double]) -> ParameterValues {
    coordinates.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { values(at: $0) } ?? held
    }
  }

  /// The derivative of what the instrument shows by a free coordinate over that of the curve by the parameter.
  func factor(of index: Int, _ value: Double, gain: Double) -> Double {
    switch places[index] {
    // Every dose is divided by r.
    case Self.placeOfR: -gain
    case Self.placeOfGain: 1
    default: areLogarithmic[index] ? gain * value : gain
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

/// Turns derivatives by a model's parameters into derivatives by the coordinates that a solver
/// moves.
///
/// What is the same for all rows of a Jacobian is worked out once for each point.
struct JacobianColumns {
  private let count: Int
  /// Where the parameter of a column stands among those of the model.
  private let places: SIMD8<Int>
  /// The derivative of what the instrument shows by the coordinate over that by the parameter; 0 beyond a bound, where
  /// the model stays at the bound.
  private var factors = SIMD8<Double>()

  /// Prepares the columns at a point.
  init(
    _ layout: ParameterLayout, _ values: ParameterValues, at coordinates: UnsafePointer<Double>
  ) {
    count = layout.count
    places = layout.places
    for index in 0..<count where !layout.isOutside(index, coordinates[index]) {
      factors[index] = layout.factor(
        of: index, values[slot: layout.slots[index]], gain: values[known: .gain])
    }
  }

  /// Writes one row: derivatives of what the instrument shows by the coordinates, times a factor.
  ///
  /// - Parameter prediction: What the instrument shows, gain x concentration.
  func write(
    _ sample: CurveSample, prediction: Double, times factor: Double,
    into row: UnsafeMutablePointer<Double>
  ) {
    for column in 0..<count {
      let place = places[column]
      let derivative =
        place == ParameterLayout.placeOfGain ? prediction : sample.derivatives[place]
      row[column] = derivative * factors[column] * factor
    }
  }
}

import AlcoholKinetics
import RealModule

/// The free parameters of a fit with their bounds and order in the vector of coordinates, and the values of the fixed ones.
///
/// It is an immutable value, passed by reference since it is handed on hundreds of times per fit.
final class ParameterLayout: Hashable, Sendable {
  /// The model.
  let model: EliminationModel
  /// The free parameters, in the order of the vector of coordinates.
  let free: [FitParameter]
  /// The value of every parameter of the model; those of the free ones are not used.
  let held: ParameterValues
  /// The lowest coordinate of each free parameter.
  let lowest: [Double]
  /// The highest coordinate of each free parameter.
  let highest: [Double]

  /// The index of each free parameter among those of the model, which is the order of derivatives.
  let modelIndices: SIMD8<Int>
  private static let modelIndexOfR = 1
  static let modelIndexOfGain = 3
  /// The slot of each free parameter in ``ParameterValues``.
  let slots: [Int]
  /// True for each free parameter whose coordinate is its logarithm.
  let areLogarithmic: [Bool]

  /// The range of each free parameter, in its unit.
  let ranges: [ClosedRange<Double>]
  /// The bounds given by the options.
  private let bounds: [FitParameter: ClosedRange<Double>]

  init(
    _ model: EliminationModel, free: Set<FitParameter>, held: ParameterValues,
    bounds: [FitParameter: ClosedRange<Double>]
  ) {
    self.model = model
    self.free = free.sorted()
    let order = model.traits.map(\.parameter)
    var modelIndices = SIMD8<Int>()
    for (index, parameter) in self.free.enumerated() {
      modelIndices[index] = order.firstIndex(of: parameter) ?? order.count
    }
    self.modelIndices = modelIndices
    slots = self.free.map(\.slot)
    areLogarithmic = self.free.map(\.isLogarithmic)
    self.held = held
    self.bounds = bounds
    ranges = self.free.map { bounds[$0] ?? $0.defaultBounds }
    lowest = zip(self.free, ranges).map { $0.coordinate(of: $1.lowerBound) }
    highest = zip(self.free, ranges).map { $0.coordinate(of: $1.upperBound) }
  }

  /// Copies a layout with other values of the fixed parameters.
  init(_ layout: ParameterLayout, holding held: ParameterValues) {
    model = layout.model
    free = layout.free
    bounds = layout.bounds
    self.held = held
    lowest = layout.lowest
    highest = layout.highest
    ranges = layout.ranges
    modelIndices = layout.modelIndices
    slots = layout.slots
    areLogarithmic = layout.areLogarithmic
  }

  // All other properties follow from these.

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

  /// The number of free parameters.
  var count: Int { free.count }

  /// Returns the values of all parameters at the coordinates of the free ones, clamped to their bounds.
  func values(at coordinates: UnsafePointer<Double>) -> ParameterValues {
    var values = held
    for index in slots.indices {
      values[slot: slots[index]] = value(of: index, at: coordinates[index])
    }
    return values
  }

  /// Returns the value of a free parameter at its coordinate, clamped to its bounds; exact at a bound.
  private func value(of index: Int, at coordinate: Double) -> Double {
    if coordinate >= highest[index] { return ranges[index].upperBound }
    if coordinate <= lowest[index] { return ranges[index].lowerBound }
    return areLogarithmic[index] ? .exp(coordinate) : coordinate
  }

  /// Returns the values of all parameters at a point of a search.
  func values(at coordinates: Coordinates) -> ParameterValues {
    withUnsafePointer(to: coordinates) {
      $0.withMemoryRebound(to: Double.self, capacity: Coordinates.scalarCount) { values(at: $0) }
    }
  }

  /// Returns the values of all parameters at an array of coordinates.
  func values(at coordinates: [Double]) -> ParameterValues {
    coordinates.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { values(at: $0) } ?? held
    }
  }

  /// Returns the derivative of a predicted reading by a free coordinate over that of the curve by the parameter.
  func factor(of index: Int, _ value: Double, gain: Double) -> Double {
    switch modelIndices[index] {
    // Every dose is divided by r.
    case Self.modelIndexOfR: -gain
    case Self.modelIndexOfGain: 1
    default: areLogarithmic[index] ? gain * value : gain
    }
  }

  /// Returns true if a coordinate is at a default bound of the search; a lag of zero does not count.
  func isAtDefaultBound(_ index: Int, _ coordinate: Double) -> Bool {
    guard bounds[free[index]] == nil else { return false }
    return coordinate >= highest[index] || (free[index] != .lag && coordinate <= lowest[index])
  }

  /// Returns true if a coordinate is beyond its bounds, where the model is constant in it.
  func isOutside(_ index: Int, _ coordinate: Double) -> Bool {
    coordinate < lowest[index] || coordinate > highest[index]
  }
}

/// Converts derivatives by a model's parameters to derivatives by the coordinates of a solver.
///
/// The factors are the same for all rows of a Jacobian and are computed once for each point.
struct JacobianColumns {
  private let count: Int
  /// The index of the parameter of each column among those of the model.
  private let modelIndices: SIMD8<Int>
  /// The derivative of a predicted reading by the coordinate over that of the curve by the parameter; 0 beyond a bound,
  /// where the model is constant.
  private var factors = SIMD8<Double>()

  /// Prepares the columns at a point.
  init(
    _ layout: ParameterLayout, _ values: ParameterValues, at coordinates: UnsafePointer<Double>
  ) {
    count = layout.count
    modelIndices = layout.modelIndices
    for index in 0..<count where !layout.isOutside(index, coordinates[index]) {
      factors[index] = layout.factor(
        of: index, values[slot: layout.slots[index]], gain: values[known: .gain])
    }
  }

  /// Writes one row: the derivatives of a predicted reading by the coordinates, times a factor.
  ///
  /// - Parameter prediction: The predicted reading, gain x concentration, in g/kg.
  func write(
    _ sample: CurveSample, prediction: Double, times factor: Double,
    into row: UnsafeMutablePointer<Double>
  ) {
    for column in 0..<count {
      let modelIndex = modelIndices[column]
      let derivative =
        modelIndex == ParameterLayout.modelIndexOfGain ? prediction : sample.derivatives[modelIndex]
      row[column] = derivative * factors[column] * factor
    }
  }
}

package import AlcoholKinetics

// The objective of a fit at eight points at once. Nothing here allocates: it runs dozens of times per
// fit.

extension CurveObjective: LanedSumOfSquares {
  /// Errors that go together would need the rows of readings before.
  package var lanes: (any LanedSumOfSquares)? { whitening == nil ? self : nil }

  package func serve(_ request: Int, in lane: Int) { replicates?.serve(request, in: lane) }

  package func accumulate(_ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>) {
    let lanes = memory.lanes
    equations.clear()
    let count = layout.count
    for index in 0..<count {
      lanes.values[layout.slots[index]] = layout.value(of: index, at: coordinates[index])
    }
    kinetics.follow(
      regimen, lanes: lanes.values, at: memory.times, count: self.count, into: lanes.samples)
    let gain = lanes.values[FitParameter.gain.slot]
    for index in 0..<count {
      let value = LaneNumber(lanes.values[layout.slots[index]])
      lanes.factors[index] = layout.factor(of: index, value, gain: LaneNumber(gain)).lanes
    }
    let (rule, replicates) = (rule, replicates)
    let (width, row, factors, columns) = (lanes.width, lanes.row, lanes.factors, lanes.columns)
    for reading in 0..<self.count {
      let sample = lanes.samples + reading * width
      let prediction = gain * sample[0]
      sample[1 + ParameterLayout.placeOfGain] = prediction
      let (residual, slope) =
        if let replicates {
          replicates.terms(of: prediction, at: reading, rule.precisions[reading])
        } else {
          rule.terms(of: LaneNumber(prediction), at: reading)
        }
      for index in 0..<count {
        row[index] = slope.lanes * (factors[index] * sample[columns[index]])
      }
      equations.add(residual.lanes, row)
    }
    prior?.accumulate(equations, lanes.row, at: coordinates)
  }
}

/// Readings of replicates of a series, those of one in each lane.
final class ReplicateReadings {
  private let replicates: [Observations]
  /// For each reading what the lanes measured, or their limits of detection.
  private let levels: UnsafeMutablePointer<Lanes>
  /// For each reading the lanes in which it is not censored.
  private let areQuantified: UnsafeMutablePointer<LaneMask>

  init(_ replicates: [Observations], count: Int) {
    self.replicates = replicates
    levels = .allocate(capacity: count)
    levels.initialize(repeating: .zero, count: count)
    areQuantified = .allocate(capacity: count)
    areQuantified.initialize(repeating: LaneMask(repeating: true), count: count)
  }

  deinit {
    levels.deallocate()
    areQuantified.deallocate()
  }

  /// Puts a replicate into a lane.
  func serve(_ request: Int, in lane: Int) {
    for (index, observation) in replicates[request].all.enumerated() {
      levels[index][lane] = observation.level
      areQuantified[index][lane] = !observation.isCensored
    }
  }

  /// The residuals of a reading, and their slopes by the predictions.
  @inline(__always)
  func terms(
    of prediction: Lanes, at index: Int, _ precision: Double
  ) -> (residual: LaneNumber, slope: LaneNumber) {
    let residual = (prediction - levels[index]) * precision
    return ResidualRule.counted(
      LaneNumber(residual), LaneNumber(everywhere: precision),
      where: (residual .> 0) .| areQuantified[index])
  }
}

extension ParameterLayout {
  /// The values of a free parameter at coordinates within its bounds; at a bound exactly that.
  fileprivate func value(of index: Int, at coordinate: Lanes) -> Lanes {
    guard areLogarithmic[index] else { return coordinate }
    let (lower, upper) = (ranges[index].lowerBound, ranges[index].upperBound)
    let value = Lanes(repeating: upper)
      .kept(where: coordinate .>= highest[index], else: .exp(coordinate))
    return Lanes(repeating: lower).kept(where: coordinate .<= lowest[index], else: value)
  }
}

extension Prior.Rows {
  /// Adds what the prior says at points within the bounds.
  fileprivate func accumulate(
    _ equations: NormalEquations, _ row: UnsafeMutablePointer<Lanes>,
    at coordinates: UnsafePointer<Lanes>
  ) {
    for index in 0..<count {
      row.update(repeating: .zero, count: equations.count)
      var residual = Lanes.zero
      for column in 0...index {
        let weight = whitener[index * count + column]
        row[positions[column]] = Lanes(repeating: weight)
        residual += weight * (coordinates[positions[column]] - mean[column])
      }
      equations.add(residual, row)
    }
  }
}

/// What a worker needs to evaluate objectives of a problem at eight points at once.
final class CurveLanes {
  /// Of the curves, by slot of ``ParameterValues``.
  let values: UnsafeMutablePointer<Lanes>
  /// A row for each reading, see ``EliminationKinetics``.
  let samples: UnsafeMutablePointer<Lanes>
  /// The length of such a row.
  let width: Int
  /// The derivative of what the instrument shows by a coordinate over that of the curve by the parameter.
  let factors: UnsafeMutablePointer<Lanes>
  /// A row of the Jacobian.
  let row: UnsafeMutablePointer<Lanes>
  /// Where the derivative by a free parameter stands in a row of a sample.
  let columns: UnsafeMutablePointer<Int>

  init(_ problem: FitProblem) {
    let layout = problem.layout
    values = .allocate(capacity: ParameterValues.slotCount)
    for slot in 0..<ParameterValues.slotCount {
      (values + slot).initialize(to: Lanes(repeating: layout.held[slot: slot]))
    }
    width = 1 + layout.model.traits.count
    samples = .allocate(capacity: max(1, problem.observations.count * width))
    samples.initialize(repeating: .zero, count: max(1, problem.observations.count * width))
    factors = .allocate(capacity: layout.count + 1)
    factors.initialize(repeating: .zero, count: layout.count + 1)
    row = .allocate(capacity: layout.count + 1)
    row.initialize(repeating: .zero, count: layout.count + 1)
    columns = .allocate(capacity: layout.count + 1)
    columns.initialize(repeating: 0, count: layout.count + 1)
    for index in 0..<layout.count { columns[index] = 1 + layout.places[index] }
  }

  deinit {
    values.deallocate()
    samples.deallocate()
    factors.deallocate()
    row.deallocate()
    columns.deallocate()
  }
}

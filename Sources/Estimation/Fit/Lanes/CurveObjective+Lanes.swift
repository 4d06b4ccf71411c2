package import AlcoholKinetics

// The objective of a fit at eight points at once. Nothing here allocates: it runs dozens of times per
// fit.

extension CurveObjective: LanedSumOfSquares {
  /// Errors that go together would need the rows of readings before.
  package var hasLanes: Bool { weights.whitening == nil }

  package func accumulate(_ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>) {
    let rule = rule
    accumulate(equations, at: coordinates) { prediction, reading in
      let (residual, slope) = rule.terms(of: LaneNumber(prediction), at: reading)
      return (residual.lanes, slope.lanes)
    }
  }

  /// Adds up the normal equations.
  ///
  /// - Parameter residuals: Residuals of a reading, and their slopes by its predictions.
  @inline(__always)
  func accumulate(
    _ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>,
    residuals: (_ prediction: Lanes, _ reading: Int) -> (residual: Lanes, slope: Lanes)
  ) {
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
      let place = layout.places[index]
      lanes.factors[index] =
        switch place {
        // Every dose is divided by r.
        case ParameterLayout.placeOfR: -gain
        case ParameterLayout.placeOfGain: Lanes(repeating: 1)
        default:
          layout.areLogarithmic[index] ? gain * lanes.values[layout.slots[index]] : gain
        }
    }
    let (width, row, factors, columns) = (lanes.width, lanes.row, lanes.factors, lanes.columns)
    for reading in 0..<self.count {
      let sample = lanes.samples + reading * width
      let prediction = gain * sample[0]
      sample[1 + ParameterLayout.placeOfGain] = prediction
      let (residual, slope) = residuals(prediction, reading)
      for index in 0..<count { row[index] = slope * (factors[index] * sample[columns[index]]) }
      equations.add(residual, row)
    }
    prior?.accumulate(equations, lanes.row, at: coordinates)
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

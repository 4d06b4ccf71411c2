package import AlcoholKinetics
private import CLanes

// The objective of a fit at eight points at once. Nothing here allocates: it runs dozens of times per
// fit.

extension CurveObjective: LanedSumOfSquares {
  /// Errors that go together would need the rows of readings before.
  package var lanes: (any LanedSumOfSquares)? { whitening == nil ? self : nil }

  package func serve(_ request: Int, in lane: Int) { replicates?.serve(request, in: lane) }

  package func accumulate(
    _ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>, _ startKind: StartKind
  ) {
    let lanes = memory.lanes
    equations.clear()
    lanes.place(coordinates)
    kinetics.follow(
      regimen, lanes: lanes.values, at: memory.times, count: count, into: lanes.samples,
      toleranceFactor: startKind.toleranceFactor)
    let gain = lanes.values + FitParameter.gain.slot
    if !rule.isPlain, replicates == nil {
      for reading in 0..<count {
        let prediction = gain.pointee * lanes.samples[reading * lanes.width]
        for lane in 0..<Lanes.scalarCount {
          let (residual, slope) = rule.terms(of: prediction[lane], at: reading)
          lanes.terms[2 * reading][lane] = residual
          lanes.terms[2 * reading + 1][lane] = slope
        }
      }
    }
    var task = reading_task(
      reading_count: Int32(count), count: Int32(equations.count), width: Int32(lanes.width),
      samples: lanes.samples.numbers, waits: coordinates.numbers, gain: gain.numbers,
      factors: lanes.factors.numbers, columns: lanes.columns, levels: rule.levels,
      precisions: rule.precisions, terms: nil,
      lane_levels: nil, are_quantified: nil)
    if let replicates {
      task.lane_levels = UnsafePointer(replicates.levels.numbers)
      task.are_quantified = UnsafePointer(replicates.areQuantified.numbers)
    } else if !rule.isPlain {
      task.terms = UnsafePointer(lanes.terms.numbers)
    }
    add_readings(&task, equations.storage.numbers)
    prior?.accumulate(equations, lanes.row, at: coordinates)
  }
}

extension StartKind {
  /// How many times the error estimate of curves that are integrated may be what it is where GSL finishes, with errors
  /// of 1e-11 g/kg or less: usually 1e-8 in searches and 1e-9 on profiles. More would save little, since a reading ends
  /// a step.
  fileprivate var toleranceFactor: Double {
    switch self {
    case .initial, .probe: 10_000
    case .profile: 64
    case .warm, .reweighting: 1
    }
  }
}

/// Readings of replicates of a series, those of one in each lane.
final class ReplicateReadings {
  private let replicates: [Observations]
  /// For each reading what the lanes measured, or their limits of detection.
  let levels: UnsafeMutablePointer<Lanes>
  /// For each reading 1 in the lanes in which it is not censored, else 0.
  let areQuantified: UnsafeMutablePointer<Lanes>

  init(_ replicates: [Observations], count: Int) {
    self.replicates = replicates
    levels = .zeros(count)
    areQuantified = .zeros(count)
  }

  deinit {
    levels.deallocate()
    areQuantified.deallocate()
  }

  /// Puts a replicate into a lane.
  func serve(_ request: Int, in lane: Int) {
    for (index, observation) in replicates[request].all.enumerated() {
      levels[index][lane] = observation.level
      areQuantified[index][lane] = observation.isCensored ? 0 : 1
    }
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
  /// For each reading its residuals and their slopes by the predictions.
  let terms: UnsafeMutablePointer<Lanes>
  /// The derivative of what the instrument shows by a coordinate over that of the curve by the parameter.
  let factors: UnsafeMutablePointer<Lanes>
  /// A row of the Jacobian.
  let row: UnsafeMutablePointer<Lanes>
  /// Where the derivative by a free parameter stands in a row of a sample.
  let columns: UnsafeMutablePointer<Int>
  /// For how many readings, and how many free parameters, there is room.
  private let room: (readings: Int, parameters: Int)
  /// k_a where it is not estimated.
  private var heldKa = Lanes.zero
  private let parameters: UnsafeMutablePointer<free_parameters>
  /// What the compiled code knows of the free parameters.
  private let slots: UnsafeMutablePointer<Int>
  private let areLogarithmic: UnsafeMutablePointer<Bool>
  /// The lowest coordinates, the highest ones, and the values of both.
  private let bounds: UnsafeMutablePointer<Double>

  init(_ problem: FitProblem) {
    let layout = problem.layout
    // As much as most people need, so that it serves for those who follow.
    room = (max(64, problem.observations.count), max(5, layout.count))
    width = 1 + layout.model.traits.count
    values = .zeros(ParameterValues.slotCount)
    samples = .zeros(room.readings * width)
    terms = .zeros(room.readings * 2)
    factors = .zeros(room.parameters)
    row = .zeros(room.parameters)
    columns = .allocate(capacity: room.parameters)
    slots = .allocate(capacity: room.parameters)
    areLogarithmic = .allocate(capacity: room.parameters)
    bounds = .allocate(capacity: 4 * room.parameters)
    bounds.initialize(repeating: 0, count: 4 * room.parameters)
    parameters = .allocate(capacity: 1)
    parameters.initialize(
      to: free_parameters(
        count: 0, slots: slots, are_logarithmic: areLogarithmic, lowest: bounds,
        highest: bounds + room.parameters, lower: bounds + 2 * room.parameters,
        upper: bounds + 3 * room.parameters, ka: FitParameter.ka.slot, r: FitParameter.r.slot,
        gain: FitParameter.gain.slot))
    take(layout)
  }

  deinit {
    for memory in [values, samples, terms, factors, row] { memory.deallocate() }
    columns.deallocate()
    slots.deallocate()
    areLogarithmic.deallocate()
    bounds.deallocate()
    parameters.deallocate()
  }

  /// Serves another problem, if there is room for it; whether there is.
  func serve(_ problem: FitProblem) -> Bool {
    let layout = problem.layout
    guard problem.observations.count <= room.readings, layout.count <= room.parameters,
      width == 1 + layout.model.traits.count
    else { return false }
    take(layout)
    return true
  }

  private func take(_ layout: ParameterLayout) {
    for slot in 0..<ParameterValues.slotCount {
      values[slot] = Lanes(repeating: layout.held[slot: slot])
    }
    heldKa = values[FitParameter.ka.slot]
    parameters.pointee.count = Int32(layout.count)
    for index in 0..<layout.count {
      (columns + index).initialize(to: 1 + layout.places[index])
      (slots + index).initialize(to: layout.slots[index])
      (areLogarithmic + index).initialize(to: layout.areLogarithmic[index])
      let range = layout.ranges[index]
      let bound = bounds + index
      bound[0] = layout.lowest[index]
      bound[room.parameters] = layout.highest[index]
      bound[2 * room.parameters] = range.lowerBound
      bound[3 * room.parameters] = range.upperBound
    }
  }

  /// Sets the values of the free parameters at coordinates within their bounds, at a bound exactly that, and the factors
  /// of their derivatives. Lanes whose coordinates are NaN wait.
  func place(_ coordinates: UnsafePointer<Lanes>) {
    values[FitParameter.ka.slot] = heldKa
    place_values(parameters, coordinates.numbers, values.numbers, factors.numbers)
  }
}

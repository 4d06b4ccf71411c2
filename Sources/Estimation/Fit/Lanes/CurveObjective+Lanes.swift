package import AlcoholKinetics
private import CLanes

// The objective of a fit at eight points at once. Nothing here allocates: it runs dozens of times per
// fit.

extension CurveObjective: LanedSumOfSquares {
  package var lanes: (any LanedSumOfSquares)? { self }

  package func assign(_ request: Int, to lane: Int) { replicates?.assign(request, to: lane) }

  package func accumulate(
    _ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>, _ startKind: StartKind
  ) {
    let lanes = memory.lanes
    equations.clear()
    lanes.setParameters(at: coordinates)
    kinetics.follow(
      regimen, lanes: lanes.values, at: memory.times, count: count, into: lanes.samples,
      toleranceFactor: startKind.toleranceFactor)
    let gain = lanes.values + FitParameter.gain.slot
    white?.whiten(lanes, count: equations.count, at: coordinates)
    if !rule.isPlain, replicates == nil {
      for reading in 0..<count {
        let prediction = gain.pointee * lanes.samples[reading * lanes.width]
        if let white, !memory.areCensored[reading] {
          lanes.terms[2 * reading] = prediction - white.levels[reading]
          lanes.terms[2 * reading + 1] = Lanes(repeating: 1)
          continue
        }
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
      factors: lanes.factors.numbers, columns: lanes.columns,
      levels: white.map { UnsafePointer($0.levels) } ?? rule.levels,
      precisions: white.map { UnsafePointer($0.units) } ?? rule.precisions, terms: nil,
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

/// Readings whose correlated errors are whitened, for eight curves at once.
///
/// Whitening is linear: curves over their standard deviations are whitened with their derivatives, and the readings once.
/// Censored readings have no neighbours and stay as they are.
final class WhiteReadings {
  /// The whitened readings.
  let levels: UnsafeMutablePointer<Double>
  /// 1 for each reading: what whitened curves are multiplied with.
  let units: UnsafeMutablePointer<Double>
  private let count: Int
  private let hasNugget: Bool
  private let predecessors: UnsafeMutablePointer<Int>
  /// The factors of a curve at a reading, of the one before, and of the whitened one before.
  private let own: UnsafeMutablePointer<Double>
  private let before: UnsafeMutablePointer<Double>
  private let carried: UnsafeMutablePointer<Double>
  /// The columns of samples that are whitened.
  private let columns: UnsafeMutablePointer<Int>

  init(
    _ whitening: Whitening, _ memory: CurveMemory, precisions: UnsafePointer<Double>, count: Int
  ) {
    self.count = count
    hasNugget = whitening.hasNugget
    levels = .allocate(capacity: count)
    units = .allocate(capacity: count)
    predecessors = .allocate(capacity: count)
    own = .allocate(capacity: count)
    before = .allocate(capacity: count)
    carried = .allocate(capacity: count)
    columns = .allocate(capacity: 1 + FitParameter.allCases.count)
    units.initialize(repeating: 1, count: count)
    for index in 0..<count {
      let predecessor = whitening.predecessors[index]
      let scale = whitening.scales[index]
      let isCensored = memory.areCensored[index]
      (predecessors + index).initialize(to: predecessor)
      (levels + index).initialize(to: memory.levels[index] * precisions[index])
      (own + index).initialize(to: isCensored ? 1 : precisions[index] * scale)
      (before + index).initialize(
        to: predecessor < 0 ? 0 : -whitening.decays[index] * precisions[predecessor] * scale)
      (carried + index).initialize(to: whitening.carries[index])
    }
    whitening.whiten(levels, columns: 1)
  }

  deinit {
    for memory in [levels, units, own, before, carried] { memory.deallocate() }
    predecessors.deallocate()
    columns.deallocate()
  }

  /// Whitens curves with their derivatives by some free parameters, in place.
  func whiten(_ lanes: CurveLanes, count parameters: Int, at coordinates: UnsafePointer<Lanes>) {
    columns.initialize(to: 0)
    var used = 1
    for index in 0..<parameters where lanes.columns[index] != Int(GAIN_COLUMN) {
      (columns + used).initialize(to: lanes.columns[index])
      used += 1
    }
    var task = whitening_task(
      reading_count: Int32(count), width: Int32(lanes.width), column_count: Int32(used),
      columns: columns, waits: coordinates.numbers, predecessors: predecessors, own: own,
      before: before, carried: carried, carries: hasNugget, samples: lanes.samples.numbers)
    whiten_samples(&task)
  }
}

extension StartKind {
  /// The factor of the tolerance of integrated curves, relative to that of polished minima with errors of 1e-11 g/kg or
  /// less. It gives errors of usually 1e-8 in searches and 1e-9 on profiles. A larger factor would save little, since steps
  /// end at readings.
  fileprivate var toleranceFactor: Double {
    switch self {
    case .initial, .probe: 10_000
    case .profile: 64
    case .warm, .reweighting: 1
    }
  }
}

/// The readings of bootstrap replicates, with one replicate in each lane.
final class ReplicateReadings {
  private let replicates: [Observations]
  /// For each reading the concentrations in the lanes, or their limits of detection, in g/kg.
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

  /// Loads a replicate into a lane.
  func assign(_ request: Int, to lane: Int) {
    for (index, observation) in replicates[request].all.enumerated() {
      levels[index][lane] = observation.level
      areQuantified[index][lane] = observation.isCensored ? 0 : 1
    }
  }
}

extension Prior.Rows {
  /// Adds the residuals of the prior at points within the bounds.
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

/// A reusable workspace for evaluating objectives of a problem at eight points at once.
final class CurveLanes {
  /// The parameters of the curves, by slot of ``ParameterValues``.
  let values: UnsafeMutablePointer<Lanes>
  /// The curves with their derivatives, a row for each reading (``EliminationKinetics``).
  let samples: UnsafeMutablePointer<Lanes>
  /// The length of such a row.
  let width: Int
  /// For each reading its residuals and their slopes by the predictions.
  let terms: UnsafeMutablePointer<Lanes>
  /// The derivative of a predicted reading by a coordinate over that of the curve by the parameter.
  let factors: UnsafeMutablePointer<Lanes>
  /// A row of the Jacobian.
  let row: UnsafeMutablePointer<Lanes>
  /// The column of the derivative by each free parameter in a row of ``samples``.
  let columns: UnsafeMutablePointer<Int>
  /// The capacity in readings and free parameters.
  private let capacity: (readings: Int, parameters: Int)
  /// k_a where it is not estimated.
  private var heldKa = Lanes.zero
  private let parameters: UnsafeMutablePointer<free_parameters>
  /// The slots of the free parameters, for the C code.
  private let slots: UnsafeMutablePointer<Int>
  private let areLogarithmic: UnsafeMutablePointer<Bool>
  /// The lowest coordinates, the highest ones, and the values of both.
  private let bounds: UnsafeMutablePointer<Double>

  init(_ problem: FitProblem) {
    let layout = problem.layout
    // Enough for most series, so that the workspace can be reused.
    capacity = (max(64, problem.observations.count), max(5, layout.count))
    width = 1 + layout.model.traits.count
    values = .zeros(ParameterValues.slotCount)
    samples = .zeros(capacity.readings * width)
    terms = .zeros(capacity.readings * 2)
    factors = .zeros(capacity.parameters)
    row = .zeros(capacity.parameters)
    columns = .allocate(capacity: capacity.parameters)
    slots = .allocate(capacity: capacity.parameters)
    areLogarithmic = .allocate(capacity: capacity.parameters)
    bounds = .allocate(capacity: 4 * capacity.parameters)
    bounds.initialize(repeating: 0, count: 4 * capacity.parameters)
    parameters = .allocate(capacity: 1)
    parameters.initialize(
      to: free_parameters(
        count: 0, slots: slots, are_logarithmic: areLogarithmic, lowest: bounds,
        highest: bounds + capacity.parameters, lower: bounds + 2 * capacity.parameters,
        upper: bounds + 3 * capacity.parameters, ka: FitParameter.ka.slot, r: FitParameter.r.slot,
        gain: FitParameter.gain.slot))
    load(layout)
  }

  deinit {
    for memory in [values, samples, terms, factors, row] { memory.deallocate() }
    columns.deallocate()
    slots.deallocate()
    areLogarithmic.deallocate()
    bounds.deallocate()
    parameters.deallocate()
  }

  /// Replaces the problem; false if the workspace is too small.
  func reload(_ problem: FitProblem) -> Bool {
    let layout = problem.layout
    guard problem.observations.count <= capacity.readings, layout.count <= capacity.parameters,
      width == 1 + layout.model.traits.count
    else { return false }
    load(layout)
    return true
  }

  private func load(_ layout: ParameterLayout) {
    for slot in 0..<ParameterValues.slotCount {
      values[slot] = Lanes(repeating: layout.held[slot: slot])
    }
    heldKa = values[FitParameter.ka.slot]
    parameters.pointee.count = Int32(layout.count)
    for index in 0..<layout.count {
      (columns + index).initialize(to: 1 + layout.modelIndices[index])
      (slots + index).initialize(to: layout.slots[index])
      (areLogarithmic + index).initialize(to: layout.areLogarithmic[index])
      let range = layout.ranges[index]
      let bound = bounds + index
      bound[0] = layout.lowest[index]
      bound[capacity.parameters] = layout.highest[index]
      bound[2 * capacity.parameters] = range.lowerBound
      bound[3 * capacity.parameters] = range.upperBound
    }
  }

  /// Sets the values of the free parameters at coordinates within their bounds, exact at a bound, and the factors of their
  /// derivatives. Lanes with NaN coordinates are inactive.
  func setParameters(at coordinates: UnsafePointer<Lanes>) {
    values[FitParameter.ka.slot] = heldKa
    place_values(parameters, coordinates.numbers, values.numbers, factors.numbers)
  }
}

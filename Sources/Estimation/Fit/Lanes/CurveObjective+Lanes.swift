package import AlcoholKinetics

// The objective of a fit at eight points at once. Nothing here allocates: it runs dozens of times per
// fit.

extension CurveObjective: LanedSumOfSquares {
  /// Errors that go together would need the rows of readings before.
  package var lanes: (any LanedSumOfSquares)? { whitening == nil ? self : nil }

  package func serve(_ request: Int, in lane: Int) { replicates?.serve(request, in: lane) }

  package func accumulate(
    _ equations: NormalEquations, at coordinates: UnsafePointer<Lanes>, _ reach: Reach
  ) {
    let lanes = memory.lanes
    equations.clear()
    let count = layout.count
    lanes.values[FitParameter.ka.slot] = lanes.heldKa
    for index in 0..<count {
      lanes.values[layout.slots[index]] = layout.value(of: index, at: coordinates[index])
    }
    let waits = coordinates[0] .!= coordinates[0]
    lanes.values[FitParameter.ka.slot].take(Lanes(repeating: .nan), where: waits)
    kinetics.follow(
      regimen, lanes: lanes.values, at: memory.times, count: self.count, into: lanes.samples,
      looseness: reach.looseness)
    let gain = lanes.values[FitParameter.gain.slot]
    for index in 0..<count {
      let value = LaneNumber(lanes.values[layout.slots[index]])
      lanes.factors[index] = layout.factor(of: index, value, gain: LaneNumber(gain)).lanes
    }
    let pairs = LanePairs(in: coordinates[0])
    for pair in 0..<LanePairs.count where pairs.contains(pair) {
      // Of the usual numbers of parameters the compiler knows, so that all sums stay in registers.
      switch count {
      case 2: addReadings(2, in: pair, to: equations)
      case 3: addReadings(3, in: pair, to: equations)
      case 4: addReadings(4, in: pair, to: equations)
      default: addReadings(count, in: pair, to: equations)
      }
    }
    prior?.accumulate(equations, lanes.row, at: coordinates)
  }

  /// Adds up what the readings say in two lanes about so many parameters.
  @inline(__always)
  private func addReadings(_ count: Int, in pair: Int, to equations: NormalEquations) {
    let (lanes, rule, replicates) = (memory.lanes, rule, replicates)
    let (size, offset) = (MemoryLayout<Lanes>.stride, pair * LanePairs.stride)
    let (factors, columns) = (UnsafeRawPointer(lanes.factors) + offset, lanes.columns)
    let gain = PairNumber(at: UnsafeRawPointer(lanes.values + FitParameter.gain.slot) + offset)
    // As many parameters as a model can have; first r^T r, then J^T r, then J^T J by rows.
    var sums = InlineArray<45, PairNumber>(repeating: .zero)
    var row = InlineArray<8, PairNumber>(repeating: .zero)
    var sample = UnsafeMutableRawPointer(lanes.samples) + offset
    for reading in 0..<self.count {
      let prediction = gain * PairNumber(at: sample)
      prediction.store(to: sample + (1 + ParameterLayout.placeOfGain) &* size)
      let (residual, slope) =
        if let replicates {
          replicates.terms(of: prediction, at: reading, rule.precisions[reading], offset)
        } else {
          rule.terms(of: prediction, at: reading)
        }
      sums[0] += residual * residual
      for index in 0..<count {
        let derivative = PairNumber(at: sample + columns[index] &* size)
        row[index] = slope * (PairNumber(at: factors + index &* size) * derivative)
      }
      var place = 1 &+ count
      for i in 0..<count {
        sums[1 &+ i] += row[i] * residual
        var j = 0
        repeat {
          sums[place] += row[i] * row[j]
          place &+= 1
          j &+= 1
        } while j <= i
      }
      sample += lanes.width &* size
    }
    let goal = equations.place(of: pair)
    for index in 0..<NormalEquations.size(count) { sums[index].store(to: goal + index &* size) }
  }
}

extension Reach {
  /// How many times the error estimate of curves that are integrated may be what it is where GSL finishes, with errors
  /// of 1e-11 g/kg or less: usually 1e-8 in searches and 1e-9 on profiles. More would save little, since a reading ends
  /// a step.
  fileprivate var looseness: Double {
    switch self {
    case .far, .probing: 10_000
    case .along: 256
    case .near, .settling: 1
    }
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

  /// The residuals of a reading in a pair of lanes at an offset, and their slopes by the predictions.
  @inline(__always)
  func terms(
    of prediction: PairNumber, at index: Int, _ precision: Double, _ offset: Int
  ) -> (residual: PairNumber, slope: PairNumber) {
    let precision = PairNumber(everywhere: precision)
    let level = PairNumber(at: UnsafeRawPointer(levels + index) + offset)
    let residual = (prediction - level) * precision
    let isQuantified = (UnsafeRawPointer(areQuantified + index) + offset)
      .load(as: PairNumber.Answer.self)
    return ResidualRule.counted(
      residual, precision, where: residual.isAbove(.zero) | isQuantified)
  }
}

extension ParameterLayout {
  /// The values of a free parameter at coordinates within its bounds; at a bound exactly that.
  fileprivate func value(of index: Int, at coordinate: Lanes) -> Lanes {
    // A lag of a lane that waits is none, since walks compare lags.
    guard areLogarithmic[index] else {
      return coordinate.kept(where: coordinate .== coordinate, else: .zero)
    }
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
  /// k_a where it is not estimated.
  private(set) var heldKa = Lanes.zero
  /// For how many readings, and how many free parameters, there is room.
  private let room: (readings: Int, parameters: Int)
  /// The derivative of what the instrument shows by a coordinate over that of the curve by the parameter.
  let factors: UnsafeMutablePointer<Lanes>
  /// A row of the Jacobian.
  let row: UnsafeMutablePointer<Lanes>
  /// Where the derivative by a free parameter stands in a row of a sample.
  let columns: UnsafeMutablePointer<Int>

  init(_ problem: FitProblem) {
    let layout = problem.layout
    // As much as most people need, so that it serves for those who follow.
    room = (max(64, problem.observations.count), max(5, layout.count))
    width = 1 + layout.model.traits.count
    values = Self.zeros(ParameterValues.slotCount)
    samples = Self.zeros(room.readings * width)
    factors = Self.zeros(room.parameters)
    row = Self.zeros(room.parameters)
    columns = .allocate(capacity: room.parameters)
    columns.initialize(repeating: 0, count: room.parameters)
    take(layout)
  }

  private static func zeros(_ count: Int) -> UnsafeMutablePointer<Lanes> {
    let memory = UnsafeMutablePointer<Lanes>.allocate(capacity: count)
    memory.initialize(repeating: .zero, count: count)
    return memory
  }

  deinit {
    values.deallocate()
    samples.deallocate()
    factors.deallocate()
    row.deallocate()
    columns.deallocate()
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
    for index in 0..<layout.count { columns[index] = 1 + layout.places[index] }
  }
}

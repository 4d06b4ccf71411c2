import AlcoholKinetics
import Estimation
import RealModule

/// Residual error as population models have it: sigma^2 = a^2 + (b f)^2.
struct ResidualVariance: Hashable, Sendable {
  /// a, in g/kg; 0 for none.
  var sd: Double
  /// b; 0 for none.
  var cv: Double
  /// What takes the place of a prediction of zero, in g/kg.
  var floor: Double

  func variance(at prediction: Double) -> Double {
    let level = Self.level(Lanes(repeating: prediction), floor: floor).level[0]
    return sd * sd + cv * cv * level * level
  }

  /// The level to which a proportional error relates, and its derivative by the prediction f: f itself from twice the
  /// floor F on, and with u = f / 2 F below 1
  ///
  ///     2 F (1/2 + u^3 - u^4 / 2),
  ///
  /// which has continuous second derivatives. With the larger of f and F the likelihood would jump wherever
  /// a prediction crosses F, and no search could end.
  @inline(__always)
  static func level(_ prediction: Lanes, floor: Double) -> (level: Lanes, slope: Lanes) {
    let isAbove = prediction .>= 2 * floor
    let u = prediction / (2 * floor)
    let square = u * u
    let bent = 2 * floor * (0.5 + square * u * (1 - 0.5 * u))
    let one = Lanes(repeating: 1)
    return (
      prediction.kept(where: isAbove, else: bent),
      one.kept(where: isAbove, else: square * (3 - 2 * u))
    )
  }
}

/// The likelihood of one series' readings at eight points of the parameters at once.
///
/// D = sum of ln sigma^2 + (y - f)^2 / sigma^2, and -2 ln Phi((L - f) / sigma) for readings below their
/// limit L (M3, Beal 2001); its gradient; and the expected half of its second derivatives, in which those of
/// f have no part (Almquist, Leander & Jirstrand 2015).
final class ReadingsLikelihood {
  /// The number of readings.
  let count: Int
  /// How many of them were not below detection.
  let quantifiedCount: Int
  /// When, in h.
  let times: [Double]
  /// What was measured, or the limits, in g/kg.
  let levels: [Double]
  let areCensored: [Bool]
  /// Where each stands among the readings of its series.
  let places: [Int]
  /// The limits of detection in g/kg, where they are known.
  let limits: [Double?]

  /// D at each point; NaN where there is no curve.
  private(set) var deviance = Lanes.zero
  /// The gradient of D by the logarithms of the parameters.
  let gradient: UnsafeMutablePointer<Lanes>
  /// The lower triangle of the information, by rows.
  let information: UnsafeMutablePointer<Lanes>

  private let structure: Structure
  private let regimen: Regimen
  private let values: UnsafeMutablePointer<Lanes>
  private let samples: UnsafeMutablePointer<Lanes>
  private let factors: UnsafeMutablePointer<Lanes>
  private let row: UnsafeMutablePointer<Lanes>
  private let width: Int
  private let reachesZero: Bool
  /// Where the derivative by a kinetic parameter stands in a sample.
  private let columns: [Int]
  private let lowest: [Double]
  private let highest: [Double]

  /// Takes the readings of a problem, or others of the same series.
  convenience init(
    _ problem: FitProblem, _ structure: Structure, _ observations: Observations? = nil
  ) {
    self.init(
      (observations ?? problem.observations).all, of: problem.regimen, held: problem.heldValues,
      structure)
  }

  init(
    _ observations: [Observations.Observation], of regimen: Regimen, held: ParameterValues,
    _ structure: Structure
  ) {
    self.structure = structure
    self.regimen = regimen
    count = observations.count
    quantifiedCount = observations.count { !$0.isCensored }
    times = observations.map(\.time)
    levels = observations.map(\.level)
    areCensored = observations.map(\.isCensored)
    places = observations.map(\.index)
    limits = observations.map(\.limit)
    let traits = structure.model.traits
    width = 1 + traits.count
    reachesZero = structure.model == .widmark
    columns = structure.kinetic.map { parameter in
      1 + (traits.firstIndex { $0.parameter == parameter } ?? 0)
    }
    // A time may be zero, and its logarithm may not: a second is as good.
    lowest = structure.kinetic.map { .log(max($0.defaultBounds.lowerBound, 1.0 / 3600)) }
    highest = structure.kinetic.map { .log($0.defaultBounds.upperBound) }
    values = .allocate(capacity: ParameterValues.slotCount)
    for slot in 0..<ParameterValues.slotCount {
      (values + slot).initialize(to: Lanes(repeating: held[slot: slot]))
    }
    func lanes(_ count: Int) -> UnsafeMutablePointer<Lanes> {
      let memory = UnsafeMutablePointer<Lanes>.allocate(capacity: max(1, count))
      memory.initialize(repeating: .zero, count: max(1, count))
      return memory
    }
    samples = lanes(count * width)
    factors = lanes(structure.kinetic.count)
    row = lanes(structure.count)
    gradient = lanes(structure.count)
    information = lanes(structure.count * (structure.count + 1) / 2)
  }

  deinit {
    for memory in [values, samples, factors, row, gradient, information] { memory.deallocate() }
  }

  /// What D leaves out for each reading that was not below detection: ln 2 pi.
  static let constant = Double.log(2 * .pi)

  /// Evaluates D and its derivatives.
  ///
  /// - Parameters:
  ///   - logarithms: Of the parameters, one after the other.
  ///   - sd: a at each point.
  ///   - cv: b at each point.
  ///   - floor: See ``ResidualVariance``.
  ///   - fixed: The variance of each reading, if it does not follow from the curve.
  func evaluate(
    at logarithms: UnsafePointer<Lanes>, sd: Lanes, cv: Lanes, floor: Double, fixed: [Double]? = nil
  ) {
    follow(at: logarithms)
    let size = structure.count
    deviance = .zero
    gradient.update(repeating: .zero, count: size)
    information.update(repeating: .zero, count: size * (size + 1) / 2)
    let (additive, proportional) = (sd * sd, cv * cv)
    let gain = values[FitParameter.gain.slot]
    var product = Lanes(repeating: 1)
    for reading in 0..<count {
      let prediction = predict(reading, gain)
      var variance: Lanes
      var slope = Lanes.zero
      if let fixed {
        variance = Lanes(repeating: fixed[reading])
      } else {
        let (level, rise) = ResidualVariance.level(prediction, floor: floor)
        variance = additive + proportional * level * level
        slope = 2 * proportional * level * rise
      }
      let error = levels[reading] - prediction
      let pull: Lanes
      let weight: Lanes
      if areCensored[reading] {
        (pull, weight) = censored(error, variance, slope)
      } else {
        let precision = 1 / variance
        let relative = slope * precision
        product *= variance
        deviance += error * error * precision
        pull = relative - error * precision * (2 + error * relative)
        weight = precision + 0.5 * relative * relative
      }
      add(pull, weight)
      // The logarithm of a product, before it leaves the range of numbers.
      if reading % 8 == 7 || reading == count - 1 {
        for lane in 0..<Lanes.scalarCount { deviance[lane] += .log(product[lane]) }
        product = Lanes(repeating: 1)
      }
    }
  }

  /// What a reading below its limit adds, lane by lane.
  private func censored(
    _ distance: Lanes, _ variance: Lanes, _ slope: Lanes
  ) -> (pull: Lanes, weight: Lanes) {
    var (pull, weight) = (Lanes.zero, Lanes.zero)
    for lane in 0..<Lanes.scalarCount {
      let sigma = variance[lane].squareRoot()
      let z = distance[lane] / sigma
      let (cost, hazard) = BelowLimit.cost(z)
      deviance[lane] += cost
      let change = -1 / sigma - z * slope[lane] / (2 * variance[lane])
      pull[lane] = -2 * hazard * change
      weight[lane] = hazard * (hazard + z) * change * change
    }
    return (pull, weight)
  }

  private func add(_ pull: Lanes, _ weight: Lanes) {
    var place = 0
    for i in 0..<structure.count {
      gradient[i] += pull * row[i]
      let weighted = weight * row[i]
      for j in 0...i {
        information[place] += weighted * row[j]
        place += 1
      }
    }
  }

  /// Follows the curves, and prepares the factors of their derivatives.
  private func follow(at logarithms: UnsafePointer<Lanes>) {
    let kinetic = structure.kinetic
    for index in kinetic.indices {
      var logarithm = Lanes.zero
      if structure.isPlain {
        logarithm = logarithms[index]
      } else {
        for column in 0..<structure.count {
          logarithm += structure.map[index, column] * logarithms[column]
        }
      }
      let inside = Lanes(repeating: highest[index])
        .orLess(Lanes(repeating: lowest[index]).orMore(logarithm))
      let value = Lanes.exp(inside)
      values[kinetic[index].slot] = value
      let isInside = inside .== logarithm
      factors[index] =
        switch kinetic[index] {
        // Every dose is divided by r; the gain multiplies all.
        case .r: Lanes(repeating: -1).kept(where: isInside, else: .zero)
        case .gain: Lanes(repeating: 1).kept(where: isInside, else: .zero)
        default: value.kept(where: isInside, else: .zero)
        }
    }
    let gain = values[FitParameter.gain.slot]
    values[FitParameter.gain.slot] = Lanes(repeating: 1)
    times.withUnsafeBufferPointer { times in
      guard let base = times.baseAddress else { return }
      structure.model.kinetics.follow(
        regimen, lanes: values, at: base, count: count, into: samples)
    }
    values[FitParameter.gain.slot] = gain
  }

  /// Below this, in g/kg, predictions of curves that reach zero are bent: see ``predict(_:_:)``.
  private static let bend = 0.02

  /// A prediction in g/kg; its derivatives by the logarithms of the parameters are left in `row`.
  ///
  /// Where a curve comes to zero, its derivatives end at once, and with them the information of a reading:
  /// every approximation of the likelihood by a normal density would jump wherever somebody's curve reaches
  /// zero at a reading. With w = 0.02 g/kg and u = f / w, a prediction f below w becomes
  /// w (3 u^2 - 3 u^3 + u^4), whose derivative goes down to zero with it. That is 0.0021 g/kg less at most.
  private func predict(_ reading: Int, _ gain: Lanes) -> Lanes {
    let prediction = gain * samples[reading * width]
    writeRow(reading, prediction)
    guard reachesZero else { return prediction }
    let isAbove = prediction .>= Self.bend
    let u = prediction / Self.bend
    let bent = Self.bend * u * u * (3 - u * (3 - u))
    let slope = Lanes(repeating: 1).kept(where: isAbove, else: u * (6 - u * (9 - 4 * u)))
    for index in 0..<structure.count { row[index] *= slope }
    return prediction.kept(where: isAbove, else: bent)
  }

  /// Writes the derivatives of a prediction by the logarithms of the parameters.
  private func writeRow(_ reading: Int, _ prediction: Lanes) {
    let sample = samples + reading * width
    let gain = values[FitParameter.gain.slot]
    if structure.isPlain {
      for index in structure.kinetic.indices {
        row[index] = derivative(index, sample, gain, prediction)
      }
    } else {
      for column in 0..<structure.count { row[column] = .zero }
      for index in structure.kinetic.indices {
        let own = derivative(index, sample, gain, prediction)
        for column in 0..<structure.count { row[column] += structure.map[index, column] * own }
      }
    }
  }

  private func derivative(
    _ index: Int, _ sample: UnsafeMutablePointer<Lanes>, _ gain: Lanes, _ prediction: Lanes
  ) -> Lanes {
    structure.kinetic[index] == .gain
      ? factors[index] * prediction : factors[index] * gain * sample[columns[index]]
  }

  /// The predictions at eight points in g/kg, reading by reading.
  func predictions(at logarithms: [Lanes]) -> [Lanes] {
    logarithms.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { follow(at: base) }
    }
    let gain = values[FitParameter.gain.slot]
    return (0..<count).map { gain * samples[$0 * width] }
  }

  /// The predictions at one point in g/kg, with their derivatives by the logarithms of the parameters.
  func predictions(at logarithms: [Double]) -> (values: [Double], derivatives: Dense) {
    let lanes = logarithms.map { Lanes(repeating: $0) }
    lanes.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { follow(at: base) }
    }
    var derivatives = Dense(count, structure.count)
    var predicted: [Double] = []
    for reading in 0..<count {
      let prediction = predict(reading, values[FitParameter.gain.slot])
      predicted.append(prediction[0])
      for column in 0..<structure.count { derivatives[reading, column] = row[column][0] }
    }
    return (predicted, derivatives)
  }
}

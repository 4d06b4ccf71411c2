import AlcoholKinetics
import Estimation
import RealModule

/// The likelihood of one series' readings at eight points of the parameters at once.
///
/// It evaluates D = -2 ln L by the `ObservationModel`, its gradient, and half its expected Hessian, which needs only first
/// derivatives of predictions (Almquist, Leander & Jirstrand 2015).
final class ReadingsLikelihood {
  /// The number of readings.
  let count: Int
  /// The number of readings above the limit of detection.
  let quantifiedCount: Int
  /// The times of the readings, in h.
  let times: [Double]
  /// The measured concentrations, or the limits of detection of censored readings, in g/kg.
  let levels: [Double]
  let areCensored: [Bool]
  /// The index of each reading in its series.
  let places: [Int]
  /// The limits of detection in g/kg; nil where unknown.
  let limits: [Double?]

  /// D at each point; NaN where there is no curve.
  private(set) var deviance = Lanes.zero
  /// The gradient of D by the logarithms of the parameters, a row for each.
  let gradient: UnsafeMutablePointer<Lanes>
  /// The lower triangle of the information (half the expected Hessian of D), row by row.
  let information: UnsafeMutablePointer<Lanes>

  private let structure: Structure
  private let regimen: Regimen
  private let values: UnsafeMutablePointer<Lanes>
  private let samples: UnsafeMutablePointer<Lanes>
  private let factors: UnsafeMutablePointer<Lanes>
  private let row: UnsafeMutablePointer<Lanes>
  private let width: Int
  private let reachesZero: Bool
  /// The column of the derivative by each kinetic parameter in a sample.
  private let columns: [Int]
  private let lowest: [Double]
  private let highest: [Double]

  init(
    _ observations: [Observations.Observation], of regimen: Regimen, held: ParameterValues,
    _ structure: Structure
  ) {
    self.structure = structure
    self.regimen = regimen
    count = observations.count
    quantifiedCount = observations.count { !$0.isCensored }
    times = observations.map(\.elapsed)
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
    // A lag may be zero, but not its logarithm: the bound is a second.
    lowest = structure.kinetic.map { .log(max($0.defaultBounds.lowerBound, 1.0 / 3600)) }
    highest = structure.kinetic.map { .log($0.defaultBounds.upperBound) }
    values = .allocate(capacity: ParameterValues.slotCount)
    for slot in 0..<ParameterValues.slotCount {
      (values + slot).initialize(to: Lanes(repeating: held[slot: slot]))
    }
    samples = .zeros(count * width)
    factors = .zeros(structure.kinetic.count)
    row = .zeros(structure.count)
    gradient = .zeros(structure.count)
    information = .zeros(structure.count * (structure.count + 1) / 2)
  }

  deinit {
    for memory in [values, samples, factors, row, gradient, information] { memory.deallocate() }
  }

  /// Evaluates D and its derivatives at eight points.
  ///
  /// - Parameters:
  ///   - logarithms: The logarithms of the parameters, a row for each.
  ///   - sd: The standard deviation of readings at zero, in g/kg.
  ///   - cv: The coefficient of variation at high concentrations.
  ///   - fixed: The variance of each reading, if it does not follow from the curve.
  func evaluate(
    at logarithms: UnsafePointer<Lanes>, sd: Lanes, cv: Lanes, fixed: [Double]? = nil
  ) {
    follow(at: logarithms)
    let size = structure.count
    deviance = .zero
    gradient.update(repeating: .zero, count: size)
    information.update(repeating: .zero, count: size * (size + 1) / 2)
    let gain = values[FitParameter.gain.slot]
    var product = Lanes(repeating: 1)
    for reading in 0..<count {
      let prediction = predict(reading, gain)
      let (variance, rise) =
        fixed.map { (Lanes(repeating: $0[reading]), Lanes.zero) }
        ?? ObservationModel.variance(of: prediction, sd: sd, cv: cv, isFloored: sd[0] == 0)
      let terms = ObservationModel.terms(
        levels[reading] - prediction, isCensored: areCensored[reading], variance, rise: rise)
      deviance += terms.cost
      if !areCensored[reading] { product *= variance }
      add(terms.slope, terms.information)
      // One logarithm serves eight variances, whose product neither overflows nor underflows.
      if reading % 8 == 7 || reading == count - 1 {
        for lane in 0..<Lanes.scalarCount { deviance[lane] += .log(product[lane]) }
        product = Lanes(repeating: 1)
      }
    }
  }

  /// Adds the gradient and the information of a reading, from those by its prediction.
  private func add(_ slope: Lanes, _ information: Lanes) {
    var entry = 0
    for i in 0..<structure.count {
      gradient[i] += slope * row[i]
      let weighted = information * row[i]
      for j in 0...i {
        self.information[entry] += weighted * row[j]
        entry += 1
      }
    }
  }

  /// Computes the curves, and the factors of their derivatives by the logarithms of the kinetic parameters.
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
        .min(Lanes(repeating: lowest[index]).max(logarithm))
      let value = Lanes.exp(inside)
      values[kinetic[index].slot] = value
      let isInside = inside .== logarithm
      factors[index] =
        switch kinetic[index] {
        // Every dose is divided by r; the gain multiplies all.
        case .r: Lanes(repeating: -1).selected(where: isInside, else: .zero)
        case .gain: Lanes(repeating: 1).selected(where: isInside, else: .zero)
        default: value.selected(where: isInside, else: .zero)
        }
    }
    let gain = values[FitParameter.gain.slot]
    values[FitParameter.gain.slot] = Lanes(repeating: 1)
    times.withUnsafeBufferPointer { times in
      guard let base = times.baseAddress else { return }
      structure.model.kinetics.follow(
        regimen, lanes: values, at: base, count: count, into: samples, toleranceFactor: 1)
    }
    values[FitParameter.gain.slot] = gain
  }

  /// Predictions below this, in g/kg, are smoothed if the curves reach zero: see ``predict(_:_:)``.
  private static let bend = 0.02

  /// Computes a prediction in g/kg, and leaves its derivatives by the logarithms of the parameters in `row`.
  ///
  /// Where a curve reaches zero its derivatives drop to zero at once, and every normal approximation of the likelihood would
  /// jump if that happens at a reading. With w = 0.02 g/kg and u = f / w, a prediction f below w is therefore replaced by
  /// w (3 u^2 - 3 u^3 + u^4), whose derivative vanishes smoothly. It is lower by 0.0021 g/kg at most.
  private func predict(_ reading: Int, _ gain: Lanes) -> Lanes {
    let prediction = gain * samples[reading * width]
    writeRow(reading, prediction)
    guard reachesZero else { return prediction }
    let isAbove = prediction .>= Self.bend
    let u = prediction / Self.bend
    let bent = Self.bend * u * u * (3 - u * (3 - u))
    let slope = Lanes(repeating: 1).selected(where: isAbove, else: u * (6 - u * (9 - 4 * u)))
    for index in 0..<structure.count { row[index] *= slope }
    return prediction.selected(where: isAbove, else: bent)
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
        let slope = derivative(index, sample, gain, prediction)
        for column in 0..<structure.count { row[column] += structure.map[index, column] * slope }
      }
    }
  }

  private func derivative(
    _ index: Int, _ sample: UnsafeMutablePointer<Lanes>, _ gain: Lanes, _ prediction: Lanes
  ) -> Lanes {
    structure.kinetic[index] == .gain
      ? factors[index] * prediction : factors[index] * gain * sample[columns[index]]
  }

  /// The predictions at eight points in g/kg, one for each reading.
  func predictions(at logarithms: [Lanes]) -> [Lanes] {
    follow(at: logarithms)
    let gain = values[FitParameter.gain.slot]
    return (0..<count).map { gain * samples[$0 * width] }
  }

  /// The predictions at one point in g/kg, with their derivatives by the logarithms of the parameters.
  func predictions(at logarithms: [Double]) -> (values: [Double], derivatives: Dense) {
    follow(at: logarithms.map { Lanes(repeating: $0) })
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

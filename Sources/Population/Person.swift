import AlcoholKinetics
import Estimation
import RealModule

/// What a person's readings say of what makes them differ from typical people.
///
/// The logarithms of the parameters on occasion o are mu_o + eta + kappa_o: eta is the person's own, kappa_o
/// that of the occasion. All of them together are the random effects b ~ N(0, Lambda), and
///
///     J(b) = sum of D_o(mu_o + eta + kappa_o) + b^T Lambda^-1 b
///
/// is -2 ln of the joint density of readings and b, but for constants.
final class Person {
  /// The place among the people of the study.
  let index: Int
  /// One for each occasion.
  let occasions: [ReadingsLikelihood]
  /// What the logarithms of the typical values are shifted by on each occasion; of r that of a method.
  let offsets: [[Double]]
  /// The covariates on each occasion, centred, in the order of the coefficients.
  let covariates: [[Double]]
  /// How many random effects there are.
  let count: Int
  /// Where the mode was found last: a search from there is short.
  private(set) var last: [Double]

  private let random: RandomEffects
  private let size: Int
  private let logarithms: UnsafeMutablePointer<Lanes>

  init(
    _ index: Int, _ occasions: [ReadingsLikelihood], offsets: [[Double]], covariates: [[Double]],
    _ random: RandomEffects, size: Int
  ) {
    (self.index, self.occasions, self.offsets, self.covariates) = (
      index, occasions, offsets, covariates
    )
    (self.random, self.size) = (random, size)
    count = random.count(occasions: occasions.count)
    last = [Double](repeating: 0, count: count)
    logarithms = .allocate(capacity: size)
    logarithms.initialize(repeating: .zero, count: size)
  }

  deinit {
    logarithms.deallocate()
  }

  /// Readings that were not below detection.
  var quantifiedCount: Int { occasions.reduce(0) { $0 + $1.quantifiedCount } }
  var readingCount: Int { occasions.reduce(0) { $0 + $1.count } }

  /// The random effects that move a parameter on an occasion.
  func effects(of parameter: Int, on occasion: Int) -> [Int] {
    random.effects(of: parameter, on: occasion)
  }

  // MARK: Eight points

  /// J, half its gradient and its information at some points, eight at most.
  struct Terms {
    var value: Double
    var gradient: [Double]
    var information: Dense
  }

  /// J at points.
  ///
  /// - Parameters:
  ///   - fixed: The variances of the readings of each occasion, if they do not follow from the curves.
  /// - Returns: For each point J, and what to call for the rest of it.
  private func evaluate(
    at points: [[Double]], _ setting: Setting, fixed: [[Double]]? = nil
  ) -> (values: [Double], terms: (Int) -> Terms) {
    var values = points.map { setting.quadratic($0, occasions.count) }
    var gradients = [[Double]](
      repeating: [Double](repeating: 0, count: count), count: points.count)
    var informations = [Dense](repeating: Dense(count, count), count: points.count)
    for (occasion, readings) in occasions.enumerated() {
      let mean = setting.means[index][occasion]
      for parameter in 0..<size {
        var lanes = Lanes(repeating: mean[parameter])
        for effect in effects(of: parameter, on: occasion) {
          for (lane, point) in points.enumerated() { lanes[lane] += point[effect] }
        }
        logarithms[parameter] = lanes
      }
      let residual = setting.residual
      readings.evaluate(
        at: logarithms, sd: Lanes(repeating: residual.sd), cv: Lanes(repeating: residual.cv),
        floor: residual.floor, fixed: fixed?[occasion])
      for lane in points.indices {
        values[lane] += readings.deviance[lane]
        var place = 0
        for i in 0..<size {
          let effects = effects(of: i, on: occasion)
          for effect in effects { gradients[lane][effect] += 0.5 * readings.gradient[i][lane] }
          for j in 0...i {
            let entry = readings.information[place][lane]
            place += 1
            guard !effects.isEmpty else { continue }
            for effect in effects {
              for other in self.effects(of: j, on: occasion) {
                informations[lane][effect, other] += entry
                if i != j { informations[lane][other, effect] += entry }
              }
            }
          }
        }
      }
    }
    let precision = setting.precision(occasions.count)
    return (
      values.map { $0.isNaN ? .infinity : $0 },
      { lane in
        let prior = precision * points[lane]
        return Terms(
          value: values[lane], gradient: zip(gradients[lane], prior).map { $0 + $1 },
          information: informations[lane] + precision)
      }
    )
  }

  // MARK: The mode

  /// Where J is least.
  struct Mode {
    var effects: [Double]
    /// J there.
    var value: Double
    /// The expected half of the second derivatives, Lambda^-1 included.
    var information: Dense
    var isConverged: Bool
  }

  /// Steps of the scoring method that are tried at once, as parts of the whole one.
  private static let shares: [Double] = [1, 0.5, 0.25, 0.1, 0.03, 0.005, 1.5, 2]
  private static let mostIterations = 100

  /// Finds the least J by Fisher's method of scoring, eight steps at a time.
  ///
  /// - Parameter fixed: The variances of the readings, if they do not follow from the curves.
  /// - Returns: Nil if no curve can be followed.
  func mode(_ setting: Setting, fixed: [[Double]]? = nil) -> Mode? {
    let starts = [last, last.map { 0.5 * $0 }, last.map { _ in 0 }]
    let first = evaluate(at: starts, setting, fixed: fixed)
    guard let best = starts.indices.min(by: { first.values[$0] < first.values[$1] }),
      first.values[best].isFinite
    else { return nil }
    var (point, terms) = (starts[best], first.terms(best))
    var isConverged = false
    for _ in 0..<Self.mostIterations {
      guard let (inverse, _) = terms.information.inverted else { break }
      let step = (inverse * terms.gradient).map { -$0 }
      let promise = -dot(step, terms.gradient)
      if promise < 1e-17 {
        isConverged = true
        break
      }
      let trials = Self.shares.map { share in zip(point, step).map { $0 + share * $1 } }
      let tried = evaluate(at: trials, setting, fixed: fixed)
      let rounding = 1e-12 * max(1, abs(terms.value))
      // Where J no longer tells steps apart, the whole one is right.
      let isNear = promise < 1e-8 && tried.values[0] <= terms.value + rounding
      let lane = isNear ? 0 : trials.indices.min { tried.values[$0] < tried.values[$1] } ?? 0
      guard isNear || tried.values[lane] < terms.value else {
        break
      }
      (point, terms) = (trials[lane], tried.terms(lane))
    }
    if !isConverged, fixed == nil { (point, terms) = polished(point, terms, setting) }
    isConverged = isConverged || promise(of: terms) < 1e-6
    last = point
    return Mode(
      effects: point, value: terms.value, information: terms.information, isConverged: isConverged)
  }

  /// What a step of the scoring method promises to take from J, twice.
  private func promise(of terms: Terms) -> Double {
    guard let (inverse, _) = terms.information.inverted else { return .infinity }
    return dot(terms.gradient, inverse * terms.gradient)
  }

  /// Newton's steps with all second derivatives, where J no longer tells points apart but its gradient does.
  private func polished(
    _ point: [Double], _ terms: Terms, _ setting: Setting
  ) -> (point: [Double], terms: Terms) {
    var (point, terms) = (point, terms)
    for _ in 0..<4 {
      let slopes = occasions.indices.map { self.slopes(at: point, on: $0, setting) }
      guard let inverse = curvature(slopes, setting).inverted?.inverse else { break }
      let step = inverse * terms.gradient
      let trial = zip(point, step).map { $0 - $1 }
      let next = evaluate(at: [trial], setting).terms(0)
      let rounding = 1e-9 * max(1, abs(terms.value))
      guard next.value <= terms.value + rounding, promise(of: next) < promise(of: terms) else {
        break
      }
      (point, terms) = (trial, next)
      if promise(of: terms) < 1e-17 { break }
    }
    return (point, terms)
  }

  /// J at many points, in their order.
  func values(at points: [[Double]], _ setting: Setting) -> [Double] {
    stride(from: 0, to: points.count, by: Lanes.scalarCount).flatMap { first in
      evaluate(
        at: Array(points[first..<min(points.count, first + Lanes.scalarCount)]), setting
      ).values
    }
  }

  /// The logarithms of the parameters on an occasion.
  func logarithms(_ effects: [Double], on occasion: Int, _ setting: Setting) -> [Double] {
    (0..<size).map { parameter in
      self.effects(of: parameter, on: occasion).reduce(setting.means[index][occasion][parameter]) {
        $0 + effects[$1]
      }
    }
  }

  // MARK: Differences

  /// The derivatives at a mode that only differences give, for one occasion, by the n logarithms of the
  /// parameters and then by ln a and ln b where these are estimated.
  struct Slopes {
    /// Of D.
    var gradient: [Double]
    /// Of the gradient by the parameters: rows are what it is a derivative by.
    var curvature: [[Double]]
    /// Of the information.
    var information: [Dense]
  }

  private static let difference = 1e-4

  /// Central differences about a mode, eight points at a time.
  func slopes(at effects: [Double], on occasion: Int, _ setting: Setting) -> Slopes {
    let center = logarithms(effects, on: occasion, setting)
    let residual = setting.residual
    let extra = setting.estimatedResiduals.count
    let readings = occasions[occasion]
    var probes: [(logarithms: [Double], sd: Double, cv: Double)] = []
    for direction in 0..<size + extra {
      for sign in [1.0, -1.0] {
        var (point, sd, cv) = (center, residual.sd, residual.cv)
        let change = Double.exp(sign * Self.difference)
        if direction < size {
          point[direction] += sign * Self.difference
        } else if setting.estimatedResiduals[direction - size] == .sd {
          sd *= change
        } else {
          cv *= change
        }
        probes.append((point, sd, cv))
      }
    }
    // Of D itself the gradient is known.
    probes.append((center, residual.sd, residual.cv))
    var deviances: [Double] = []
    var gradients: [[Double]] = []
    var informations: [Dense] = []
    for first in stride(from: 0, to: probes.count, by: Lanes.scalarCount) {
      let batch = probes[first..<min(probes.count, first + Lanes.scalarCount)]
      var (sd, cv) = (Lanes(repeating: residual.sd), Lanes(repeating: residual.cv))
      for parameter in 0..<size { logarithms[parameter] = Lanes(repeating: center[parameter]) }
      for (lane, probe) in batch.enumerated() {
        (sd[lane], cv[lane]) = (probe.sd, probe.cv)
        for parameter in 0..<size { logarithms[parameter][lane] = probe.logarithms[parameter] }
      }
      readings.evaluate(at: logarithms, sd: sd, cv: cv, floor: residual.floor)
      for lane in 0..<batch.count {
        deviances.append(readings.deviance[lane])
        gradients.append((0..<size).map { readings.gradient[$0][lane] })
        var information = Dense(size, size)
        var place = 0
        for i in 0..<size {
          for j in 0...i {
            information[i, j] = readings.information[place][lane]
            information[j, i] = information[i, j]
            place += 1
          }
        }
        informations.append(information)
      }
    }
    let scale = 1 / (2 * Self.difference)
    let directions = 0..<size + extra
    return Slopes(
      gradient: directions.map { direction in
        direction < size
          ? gradients[gradients.count - 1][direction]
          : scale * (deviances[2 * direction] - deviances[2 * direction + 1])
      },
      curvature: directions.map { direction in
        zip(gradients[2 * direction], gradients[2 * direction + 1]).map { scale * ($0 - $1) }
      },
      information: directions.map {
        scale * (informations[2 * $0] + -1 * informations[2 * $0 + 1])
      })
  }
}

/// Which parameters vary between people, and between the occasions of one.
struct RandomEffects: Hashable, Sendable {
  /// Places among the parameters.
  let between: [Int]
  let within: [Int]

  func count(occasions: Int) -> Int { between.count + occasions * within.count }

  /// The random effects of a person that move a parameter on an occasion.
  func effects(of parameter: Int, on occasion: Int) -> [Int] {
    var effects: [Int] = []
    if let place = between.firstIndex(of: parameter) { effects.append(place) }
    if let place = within.firstIndex(of: parameter) {
      effects.append(between.count + occasion * within.count + place)
    }
    return effects
  }
}

/// Values of a population's parameters, worked out for what people are asked.
struct Setting: Sendable {
  /// The means of the logarithms of the parameters, by person and occasion.
  let means: [[[Double]]]
  let residual: ResidualVariance
  let estimatedResiduals: [ResidualParameter]
  let between: (precision: Dense, logDeterminant: Double)
  let within: (precision: Dense, logDeterminant: Double)

  /// Lambda^-1.
  func precision(_ occasions: Int) -> Dense {
    let (own, other) = (between.precision.rows, within.precision.rows)
    var precision = Dense(own + occasions * other, own + occasions * other)
    for i in 0..<own { for j in 0..<own { precision[i, j] = between.precision[i, j] } }
    for occasion in 0..<occasions {
      let begin = own + occasion * other
      for i in 0..<other {
        for j in 0..<other { precision[begin + i, begin + j] = within.precision[i, j] }
      }
    }
    return precision
  }

  /// b^T Lambda^-1 b.
  func quadratic(_ effects: [Double], _ occasions: Int) -> Double {
    dot(effects, precision(occasions) * effects)
  }

  /// ln |Lambda|.
  func logDeterminant(_ occasions: Int) -> Double {
    between.logDeterminant + Double(occasions) * within.logDeterminant
  }
}

/// A parameter of the residual error that is estimated.
enum ResidualParameter: String, Sendable { case sd, cv }

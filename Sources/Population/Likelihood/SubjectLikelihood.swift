import AlcoholKinetics
import Estimation
import RealModule
import Statistics

/// The joint density of a subject's readings and random effects, and its mode.
///
/// The logarithms of the parameters on occasion o are mu_o + eta + kappa_o, with the between-subject effect eta and the
/// between-occasion effect kappa_o. Together they are the random effects b ~ N(0, Lambda), and
///
///     J(b) = sum of D_o(mu_o + eta + kappa_o) + b^T Lambda^-1 b
///
/// is -2 ln of the joint density of readings and b, up to constants. Its minimum is the posterior mode (EBE).
///
/// Where studies differ, the subjects of one study are dependent, and the study is treated as one subject with the effects
/// of the study, of its subjects and of their occasions.
///
/// Buffers are kept between calls, but no state: no result depends on earlier calls.
final class SubjectLikelihood {
  /// The index among the subjects or the studies.
  let index: Int
  /// The readings of each occasion.
  let occasions: [ReadingsLikelihood]
  /// The shifts of the logarithms of the typical values on each occasion: for r, the logarithm of a method's value.
  let offsets: [[Double]]
  /// The covariates on each occasion, centred, in the order of the coefficients.
  let covariates: [[Double]]
  /// The number of random effects.
  let count: Int
  /// The random effects of each study, subject and occasion, by their first index.
  let blocks: [RandomEffectBlock]
  /// The subject of each occasion, and its number among that subject's occasions.
  let sources: [(subject: Int, occasion: Int)]

  /// The indices of the random effects that act on each parameter, by occasion and parameter.
  let moving: [[[Int]]]
  /// The number of parameters.
  let size: Int
  /// The logarithms of the parameters at the evaluated points.
  let logarithms: UnsafeMutablePointer<Lanes>
  /// The contribution of the readings to half the gradient of J and to the lower triangle of its information.
  private let gradient: UnsafeMutablePointer<Lanes>
  private let information: UnsafeMutablePointer<Lanes>

  init(
    _ index: Int, _ occasions: [ReadingsLikelihood], offsets: [[Double]], covariates: [[Double]],
    _ random: RandomEffects, size: Int
  ) {
    self.index = index
    self.occasions = occasions
    self.offsets = offsets
    self.covariates = covariates
    self.size = size
    count = random.count(occasions: occasions.count)
    blocks = random.blocks(occasions: occasions.count)
    sources = occasions.indices.map { (index, $0) }
    moving = occasions.indices.map { occasion in
      (0..<size).map { random.effects(of: $0, on: occasion) }
    }
    logarithms = .zeros(size)
    gradient = .zeros(count)
    information = .zeros(count * (count + 1) / 2)
  }

  /// A study of several subjects.
  init(study index: Int, of members: [SubjectLikelihood], _ random: RandomEffects) {
    self.index = index
    occasions = members.flatMap(\.occasions)
    offsets = members.flatMap(\.offsets)
    covariates = members.flatMap(\.covariates)
    sources = members.flatMap(\.sources)
    size = members.first?.size ?? 0
    var begin = random.study.count
    var blocks = [RandomEffectBlock(level: .study, begin: 0)]
    var moving: [[[Int]]] = []
    for member in members {
      blocks += member.blocks.map { .init(level: $0.level, begin: begin + $0.begin) }
      moving += member.moving.map { parameters in
        parameters.enumerated().map { parameter, effects in
          random.study.indices.filter { random.study[$0] == parameter }
            + effects.map { begin + $0 }
        }
      }
      begin += member.count
    }
    count = begin
    self.blocks = blocks
    self.moving = moving
    logarithms = .zeros(size)
    gradient = .zeros(count)
    information = .zeros(count * (count + 1) / 2)
  }

  deinit {
    for memory in [logarithms, gradient, information] { memory.deallocate() }
  }

  /// The number of readings above the limit of detection.
  var quantifiedCount: Int { occasions.reduce(0) { $0 + $1.quantifiedCount } }
  var readingCount: Int { occasions.reduce(0) { $0 + $1.count } }

  /// The indices of the random effects that act on a parameter on an occasion.
  func effects(of parameter: Int, on occasion: Int) -> [Int] { moving[occasion][parameter] }

  /// The means of the logarithms of the parameters on an occasion.
  private func means(on occasion: Int, _ prepared: PreparedPopulation) -> [Double] {
    prepared.means[sources[occasion].subject][sources[occasion].occasion]
  }

  /// Lambda^-1.
  func precision(_ prepared: PreparedPopulation) -> Dense {
    var precision = Dense(count, count)
    for block in blocks { precision.add(prepared.spreads[block.level].precision, at: block.begin) }
    return precision
  }

  /// ln |Lambda|.
  func logDeterminant(_ prepared: PreparedPopulation) -> Double {
    blocks.reduce(0) { $0 + prepared.spreads[$1.level].logDeterminant }
  }

  /// The logarithms of the parameters on an occasion.
  func logarithms(_ effects: [Double], on occasion: Int, _ prepared: PreparedPopulation) -> [Double]
  {
    zip(means(on: occasion, prepared), moving[occasion]).map { mean, moving in
      moving.reduce(mean) { $0 + effects[$1] }
    }
  }

  /// The gradient of a prediction by the random effects, from its gradient by the logarithms of the parameters.
  func byEffects(_ derivatives: Dense, of reading: Int, on occasion: Int) -> [Double] {
    var row = [Double](repeating: 0, count: count)
    for parameter in 0..<derivatives.columns {
      for effect in effects(of: parameter, on: occasion) {
        row[effect] += derivatives[reading, parameter]
      }
    }
    return row
  }

  // MARK: Eight points

  /// J at eight points, infinite where there is no curve. The derivatives are kept for ``terms(_:_:_:_:)`` until the next
  /// call.
  ///
  /// - Parameters:
  ///   - points: The random effects, one lane for each point.
  ///   - fixed: The residual variances of each occasion, if they do not follow from the curves.
  private func evaluate(
    _ points: [Lanes], _ prepared: PreparedPopulation, fixed: [[Double]]? = nil
  ) -> Lanes {
    var values = Lanes.zero
    for block in blocks {
      let precision = prepared.spreads[block.level].precision
      for i in 0..<precision.rows {
        for j in 0..<precision.rows {
          values += precision[i, j] * points[block.begin + i] * points[block.begin + j]
        }
      }
    }
    gradient.update(repeating: .zero, count: count)
    information.update(repeating: .zero, count: count * (count + 1) / 2)
    let residual = prepared.residual
    for (occasion, readings) in occasions.enumerated() {
      let means = means(on: occasion, prepared)
      let moving = moving[occasion]
      for parameter in 0..<size {
        var lanes = Lanes(repeating: means[parameter])
        for effect in moving[parameter] { lanes += points[effect] }
        logarithms[parameter] = lanes
      }
      readings.evaluate(
        at: logarithms, sd: Lanes(repeating: residual.sd), cv: Lanes(repeating: residual.cv),
        fixed: fixed?[occasion])
      values += readings.deviance
      var index = 0
      for i in 0..<size {
        for effect in moving[i] { gradient[effect] += 0.5 * readings.gradient[i] }
        for j in 0...i {
          let entry = readings.information[index]
          index += 1
          for effect in moving[i] {
            for partner in moving[j] where i != j || partner <= effect {
              let row = max(effect, partner)
              let column = min(effect, partner)
              information[row * (row + 1) / 2 + column] += entry
            }
          }
        }
      }
    }
    return values.selected(where: values .== values, else: Lanes(repeating: .infinity))
  }

  /// Half the gradient of J at one of the points.
  private func gradient(_ lane: Int, _ points: [Lanes], _ prepared: PreparedPopulation) -> [Double]
  {
    var sum = (0..<count).map { gradient[$0][lane] }
    for block in blocks {
      let precision = prepared.spreads[block.level].precision
      for i in 0..<precision.rows {
        for j in 0..<precision.rows {
          sum[block.begin + i] += precision[i, j] * points[block.begin + j][lane]
        }
      }
    }
    return sum
  }

  /// J at some random effects with its derivatives; at the end of a search, the posterior mode (EBE).
  struct Mode {
    let effects: [Double]
    let value: Double
    /// Half the gradient of J.
    let gradient: [Double]
    /// Half the expected Hessian of J, Lambda^-1 included.
    let information: Dense
    /// The gradient of D by the logarithms of the parameters, for each occasion.
    let scores: [[Double]]

    /// The expected decrease of J by a Fisher scoring step.
    var expectedDecrease: Double {
      guard let factor = information.cholesky else { return .infinity }
      let whitened = factor.forward(gradient)
      return dot(whitened, whitened)
    }
  }

  private func terms(
    _ lane: Int, _ points: [Lanes], _ value: Double, _ prepared: PreparedPopulation
  ) -> Mode {
    var matrix = Dense(count, lowerTriangle: { information[$0][lane] })
    for block in blocks { matrix.add(prepared.spreads[block.level].precision, at: block.begin) }
    return Mode(
      effects: points.map { $0[lane] }, value: value, gradient: gradient(lane, points, prepared),
      information: matrix,
      scores: occasions.map { readings in (0..<size).map { readings.gradient[$0][lane] } })
  }

  /// J with its derivatives at eight points or fewer.
  func modes(at points: [[Double]], _ prepared: PreparedPopulation) -> [Mode] {
    let lanes = Self.lanes(points[...], count)
    let values = evaluate(lanes, prepared)
    return points.indices.map { terms($0, lanes, values[$0], prepared) }
  }

  /// J at many points, in their order.
  func values(
    at points: [[Double]], _ prepared: PreparedPopulation, fixed: [[Double]]? = nil
  ) -> [Double] {
    stride(from: 0, to: points.count, by: Lanes.scalarCount).flatMap { first in
      let batch = points[first..<min(points.count, first + Lanes.scalarCount)]
      let values = evaluate(Self.lanes(batch, count), prepared, fixed: fixed)
      return batch.indices.map { values[$0 - first] }
    }
  }

  /// The lanes of eight points or fewer; further lanes repeat the first.
  static func lanes(_ points: ArraySlice<[Double]>, _ count: Int) -> [Lanes] {
    (0..<count).map { effect in
      var lanes = Lanes(repeating: points.first?[effect] ?? 0)
      for (lane, point) in points.enumerated() { lanes[lane] = point[effect] }
      return lanes
    }
  }

  // MARK: The mode

  /// Fractions of the scoring step that are tried at once.
  private static let shares = Lanes(1, 0.5, 0.25, 0.1, 0.03, 0.005, 1.5, 2)
  private static let mostIterations = 100
  /// The search for the mode converges if the expected decrease of J is below this.
  private static let smallestExpectedDecrease = 1e-17
  /// J is nearly quadratic, and Newton's method safe, if the expected decrease is below this.
  private static let nearExpectedDecrease = 1e-3

  /// The posterior mode, the minimum of J; nil if no curve can be followed.
  ///
  /// Fisher scoring tries eight step lengths at a time. Newton's method ends the search, its Hessian from differences between
  /// lanes. The start is the best of `near`, half of it, and zero.
  func mode(_ prepared: PreparedPopulation, near: [Double]? = nil, fixed: [[Double]]? = nil)
    -> Mode?
  {
    let none = [Double](repeating: 0, count: count)
    let starts = near.map { near in [near, near.map { 0.5 * $0 }, none] } ?? [none]
    var points = probes(about: starts)
    var values = evaluate(points, prepared, fixed: fixed)
    let best = starts.indices.min { values[$0] < values[$1] } ?? 0
    guard values[best].isFinite else { return nil }
    var current = terms(best, points, values[best], prepared)
    var curvature = best == 0 ? curvature(points, starts.count, prepared) : nil
    var isFound = false
    for _ in 0..<Self.mostIterations {
      guard let factor = current.information.cholesky else { break }
      let whitened = factor.forward(current.gradient)
      let expectedDecrease = dot(whitened, whitened)
      isFound = expectedDecrease < Self.smallestExpectedDecrease
      if isFound { break }
      let isNear = expectedDecrease < Self.nearExpectedDecrease
      func merit(_ lane: Int) -> Double {
        // Near the minimum rounding hides differences of J, but not of its gradient.
        guard isNear else { return values[lane] }
        let rest = factor.forward(gradient(lane, points, prepared))
        return dot(rest, rest)
      }
      if isNear, let newton = curvature?.cholesky {
        let step = newton.backward(newton.forward(current.gradient))
        points = probes(about: [zip(current.effects, step).map { $0 - $1 }])
        values = evaluate(points, prepared, fixed: fixed)
        curvature = nil
        if merit(0) < expectedDecrease {
          current = terms(0, points, values[0], prepared)
          curvature = self.curvature(points, 1, prepared)
        }
        continue
      }
      let step = factor.backward(whitened)
      points = (0..<count).map { current.effects[$0] - Self.shares * step[$0] }
      values = evaluate(points, prepared, fixed: fixed)
      let merits = (0..<Lanes.scalarCount).map(merit)
      let lane = merits.indices.min { merits[$0] < merits[$1] } ?? 0
      guard merits[lane] < (isNear ? expectedDecrease : current.value) else { break }
      current = terms(lane, points, values[lane], prepared)
      curvature = nil
      guard isNear, 1 + count <= Lanes.scalarCount else { continue }
      points = probes(about: [current.effects])
      values = evaluate(points, prepared, fixed: fixed)
      curvature = self.curvature(points, 1, prepared)
    }
    return isFound || fixed != nil ? current : polished(current, prepared)
  }

  /// The step of forward differences.
  private static let probe = 1e-4

  /// The points, followed by the first of them moved along each random effect if there are lanes enough.
  private func probes(about points: [[Double]]) -> [Lanes] {
    var lanes = Self.lanes(points[...], count)
    if points.count + count <= Lanes.scalarCount {
      for effect in 0..<count { lanes[effect][points.count + effect] += Self.probe }
    }
    return lanes
  }

  /// Half the Hessian of J at the first point, by forward differences with the probes in the lanes after `first`; nil if
  /// there are none.
  private func curvature(_ points: [Lanes], _ first: Int, _ prepared: PreparedPopulation) -> Dense?
  {
    guard first + count <= Lanes.scalarCount else { return nil }
    let center = gradient(0, points, prepared)
    var curvature = Dense(count, count)
    for effect in 0..<count {
      let moved = gradient(first + effect, points, prepared)
      for column in 0..<count {
        let second = 0.5 * (moved[column] - center[column]) / Self.probe
        curvature[effect, column] += second
        curvature[column, effect] += second
      }
    }
    return curvature
  }

  /// Refines a mode by Newton steps with the full Hessian, where Fisher scoring stops early.
  private func polished(_ mode: Mode, _ prepared: PreparedPopulation) -> Mode {
    var current = mode
    for _ in 0..<4 {
      let before = current.expectedDecrease
      // The last digits of integrated curves depend on their steps.
      guard before > 1e-13 else { break }
      let slopes = occasions.indices.map { self.slopes(at: current, on: $0, prepared) }
      guard let factor = curvature(slopes, prepared).cholesky else { break }
      let step = factor.backward(factor.forward(current.gradient))
      let points = (0..<count).map { Lanes(repeating: current.effects[$0] - step[$0]) }
      let value = evaluate(points, prepared)[0]
      let next = self.terms(0, points, value, prepared)
      guard value <= current.value + 1e-8 * max(1, abs(current.value)),
        next.expectedDecrease < before
      else { break }
      current = next
    }
    return current
  }
}

extension Dense {
  /// Makes a symmetric matrix from its lower triangle, row by row.
  init(_ size: Int, lowerTriangle entry: (Int) -> Double) {
    self.init(size, size)
    var index = 0
    for i in 0..<size {
      for j in 0...i {
        self[i, j] = entry(index)
        self[j, i] = self[i, j]
        index += 1
      }
    }
  }
}

// Derivatives at a mode by finite differences.

extension SubjectLikelihood {
  /// Derivatives at a mode for one occasion, by the logarithms of the parameters and then by ln a and ln b where these are
  /// estimated.
  struct Slopes {
    /// The gradient of D.
    var gradient: [Double]
    /// The derivatives of the gradient of D by the parameters, a row for each direction.
    var curvature: [[Double]]
    /// The derivatives of the information, one for each direction.
    var information: [Dense]
  }

  private static let difference = 1e-4

  /// Derivatives by central differences, eight points at a time.
  func slopes(at mode: Mode, on occasion: Int, _ prepared: PreparedPopulation) -> Slopes {
    let center = logarithms(mode.effects, on: occasion, prepared)
    let residual = prepared.residual
    let extra = prepared.estimatedResiduals.count
    let readings = occasions[occasion]
    let larger = Double.exp(Self.difference)
    let smaller = Double.exp(-Self.difference)
    var slopes = Slopes(gradient: mode.scores[occasion], curvature: [], information: [])
    let scale = 1 / (2 * Self.difference)
    let directions = size + extra
    // Lanes 2 i and 2 i + 1 are the two sides of the mode along direction i.
    for first in stride(from: 0, to: directions, by: Lanes.scalarCount / 2) {
      let batch = first..<min(directions, first + Lanes.scalarCount / 2)
      var sd = Lanes(repeating: residual.sd)
      var cv = Lanes(repeating: residual.cv)
      for parameter in 0..<size { logarithms[parameter] = Lanes(repeating: center[parameter]) }
      for direction in batch {
        let lane = 2 * (direction - first)
        if direction < size {
          logarithms[direction][lane] += Self.difference
          logarithms[direction][lane + 1] -= Self.difference
        } else if prepared.estimatedResiduals[direction - size] == .sd {
          sd[lane + 1] = sd[lane] * smaller
          sd[lane] *= larger
        } else {
          cv[lane + 1] = cv[lane] * smaller
          cv[lane] *= larger
        }
      }
      readings.evaluate(at: logarithms, sd: sd, cv: cv)
      for direction in batch {
        let lane = 2 * (direction - first)
        func slope(_ lanes: Lanes) -> Double { scale * (lanes[lane] - lanes[lane + 1]) }
        if direction >= size { slopes.gradient.append(slope(readings.deviance)) }
        slopes.curvature.append((0..<size).map { slope(readings.gradient[$0]) })
        slopes.information.append(
          Dense(size, lowerTriangle: { slope(readings.information[$0]) }))
      }
    }
    return slopes
  }

  /// Half the Hessian of J by the random effects.
  func curvature(_ slopes: [Slopes], _ prepared: PreparedPopulation) -> Dense {
    var curvature = precision(prepared)
    for (slopes, moving) in zip(slopes, moving) {
      for i in 0..<size {
        for j in 0..<size {
          let second = 0.25 * (slopes.curvature[i][j] + slopes.curvature[j][i])
          for row in moving[i] { for column in moving[j] { curvature[row, column] += second } }
        }
      }
    }
    return curvature
  }
}

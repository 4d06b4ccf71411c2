import AlcoholKinetics
import Estimation
import RealModule
import Statistics

/// A subject's readings and the random effects by which the subject differs from a typical one.
///
/// The logarithms of the parameters on occasion o are mu_o + eta + kappa_o: eta is the subject's own, kappa_o
/// that of the occasion. All of them together are the random effects b ~ N(0, Lambda), and
///
///     J(b) = sum of D_o(mu_o + eta + kappa_o) + b^T Lambda^-1 b
///
/// is -2 ln of the joint density of readings and b, but for constants.
///
/// Where studies differ, the subjects of one are not independent, and the study is treated as one subject: with the
/// effects of the study, of each member and of each of their occasions.
///
/// No answer depends on earlier ones: what is kept between calls is memory, not state.
final class SubjectLikelihood {
  /// The place among the subjects or the studies.
  let index: Int
  /// One for each occasion.
  let occasions: [ReadingsLikelihood]
  /// The shifts of the logarithms of the typical values on each occasion: for r, the logarithm of a method's value.
  let offsets: [[Double]]
  /// The covariates on each occasion, centred, in the order of the coefficients.
  let covariates: [[Double]]
  /// How many random effects there are.
  let count: Int
  /// Where the random effects of each study, subject and occasion begin.
  let blocks: [RandomEffectBlock]
  /// The subject of each occasion, and its number among that subject's occasions.
  let sources: [(subject: Int, occasion: Int)]

  /// The random effects that move each parameter on each occasion.
  let moving: [[[Int]]]
  /// How many parameters there are.
  let size: Int
  /// The logarithms of the parameters at the points that are evaluated.
  let logarithms: UnsafeMutablePointer<Lanes>
  /// What the readings add to half the gradient of J and to the lower triangle of its information.
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
    var (begin, blocks) = (random.study.count, [RandomEffectBlock(level: .study, begin: 0)])
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

  /// How many readings were not below detection.
  var quantifiedCount: Int { occasions.reduce(0) { $0 + $1.quantifiedCount } }
  var readingCount: Int { occasions.reduce(0) { $0 + $1.count } }

  /// The random effects that move a parameter on an occasion.
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

  /// The derivatives of a prediction by the random effects, from those by the logarithms of the parameters.
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

  /// J at eight points, each random effect being a number of `points`; `terms` are theirs until the next are evaluated.
  /// `fixed` has the variances of the readings of each occasion, if they do not follow from the curves.
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
      let (means, moving) = (means(on: occasion, prepared), moving[occasion])
      for parameter in 0..<size {
        var lanes = Lanes(repeating: means[parameter])
        for effect in moving[parameter] { lanes += points[effect] }
        logarithms[parameter] = lanes
      }
      readings.evaluate(
        at: logarithms, sd: Lanes(repeating: residual.sd), cv: Lanes(repeating: residual.cv),
        fixed: fixed?[occasion])
      values += readings.deviance
      var place = 0
      for i in 0..<size {
        for effect in moving[i] { gradient[effect] += 0.5 * readings.gradient[i] }
        for j in 0...i {
          let entry = readings.information[place]
          place += 1
          for effect in moving[i] {
            for other in moving[j] where i != j || other <= effect {
              let (row, column) = (max(effect, other), min(effect, other))
              information[row * (row + 1) / 2 + column] += entry
            }
          }
        }
      }
    }
    return values.kept(where: values .== values, else: Lanes(repeating: .infinity))
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

  /// J at random effects with its derivatives; at the end of a search the posterior mode.
  struct Mode {
    let effects: [Double]
    let value: Double
    /// Half the gradient.
    let gradient: [Double]
    /// The expected half of the second derivatives, Lambda^-1 included.
    let information: Dense
    /// The gradients of D, by the logarithms of the parameters on each occasion.
    let scores: [[Double]]

    /// The decrease of J that a step of the scoring method expects.
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

  /// J with its derivatives at some points, as many as there are lanes at most.
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

  /// The numbers of eight points at most, the first again where there are fewer.
  static func lanes(_ points: ArraySlice<[Double]>, _ count: Int) -> [Lanes] {
    (0..<count).map { effect in
      var lanes = Lanes(repeating: points.first?[effect] ?? 0)
      for (lane, point) in points.enumerated() { lanes[lane] = point[effect] }
      return lanes
    }
  }

  // MARK: The mode

  /// Steps of the scoring method that are tried at once, as parts of the whole one.
  private static let shares = Lanes(1, 0.5, 0.25, 0.1, 0.03, 0.005, 1.5, 2)
  private static let mostIterations = 100
  /// The expected decrease of J below which the mode is found.
  private static let smallestExpectedDecrease = 1e-17
  /// The expected decrease below which J is nearly a parabola, so that Newton's method is safe.
  private static let nearExpectedDecrease = 1e-3

  /// Finds the least J: by Fisher's method of scoring, eight steps at a time; at the end by Newton's, whose second
  /// derivatives are differences between the lanes. It begins at the best of `near`, half of it and no effects. Nil if no
  /// curve can be followed.
  func mode(_ prepared: PreparedPopulation, near: [Double]? = nil, fixed: [[Double]]? = nil)
    -> Mode?
  {
    let none = [Double](repeating: 0, count: count)
    let starts = near.map { near in [near, near.map { 0.5 * $0 }, none] } ?? [none]
    var points = probes(about: starts)
    var values = evaluate(points, prepared, fixed: fixed)
    let best = starts.indices.min { values[$0] < values[$1] } ?? 0
    guard values[best].isFinite else { return nil }
    var here = terms(best, points, values[best], prepared)
    var curvature = best == 0 ? curvature(points, starts.count, prepared) : nil
    var isFound = false
    for _ in 0..<Self.mostIterations {
      guard let factor = here.information.cholesky else { break }
      let whitened = factor.forward(here.gradient)
      let expectedDecrease = dot(whitened, whitened)
      isFound = expectedDecrease < Self.smallestExpectedDecrease
      if isFound { break }
      let isNear = expectedDecrease < Self.nearExpectedDecrease
      func merit(_ lane: Int) -> Double {
        // Where J no longer tells points apart, its gradient does.
        guard isNear else { return values[lane] }
        let rest = factor.forward(gradient(lane, points, prepared))
        return dot(rest, rest)
      }
      if isNear, let newton = curvature?.cholesky {
        let step = newton.backward(newton.forward(here.gradient))
        points = probes(about: [zip(here.effects, step).map { $0 - $1 }])
        values = evaluate(points, prepared, fixed: fixed)
        curvature = nil
        if merit(0) < expectedDecrease {
          here = terms(0, points, values[0], prepared)
          curvature = self.curvature(points, 1, prepared)
        }
        continue
      }
      let step = factor.backward(whitened)
      points = (0..<count).map { here.effects[$0] - Self.shares * step[$0] }
      values = evaluate(points, prepared, fixed: fixed)
      let merits = (0..<Lanes.scalarCount).map(merit)
      let lane = merits.indices.min { merits[$0] < merits[$1] } ?? 0
      guard merits[lane] < (isNear ? expectedDecrease : here.value) else { break }
      here = terms(lane, points, values[lane], prepared)
      curvature = nil
      guard isNear, 1 + count <= Lanes.scalarCount else { continue }
      points = probes(about: [here.effects])
      values = evaluate(points, prepared, fixed: fixed)
      curvature = self.curvature(points, 1, prepared)
    }
    return isFound || fixed != nil ? here : polished(here, prepared)
  }

  /// How far a probe is.
  private static let probe = 1e-4

  /// Points, and where the lanes suffice the first of them moved in each direction.
  private func probes(about points: [[Double]]) -> [Lanes] {
    var lanes = Self.lanes(points[...], count)
    if points.count + count <= Lanes.scalarCount {
      for effect in 0..<count { lanes[effect][points.count + effect] += Self.probe }
    }
    return lanes
  }

  /// Half the second derivatives of J about the first of some points, by the probes behind them; nil where
  /// there are none.
  private func curvature(_ points: [Lanes], _ first: Int, _ prepared: PreparedPopulation) -> Dense?
  {
    guard first + count <= Lanes.scalarCount else { return nil }
    let center = gradient(0, points, prepared)
    var curvature = Dense(count, count)
    for effect in 0..<count {
      let moved = gradient(first + effect, points, prepared)
      for other in 0..<count {
        let second = 0.5 * (moved[other] - center[other]) / Self.probe
        curvature[effect, other] += second
        curvature[other, effect] += second
      }
    }
    return curvature
  }

  /// Newton's steps with all second derivatives, where the method of scoring stops before the mode.
  private func polished(_ mode: Mode, _ prepared: PreparedPopulation) -> Mode {
    var here = mode
    for _ in 0..<4 {
      let before = here.expectedDecrease
      // The last digits of integrated curves are those of their steps.
      guard before > 1e-13 else { break }
      let slopes = occasions.indices.map { self.slopes(at: here, on: $0, prepared) }
      guard let factor = curvature(slopes, prepared).cholesky else { break }
      let step = factor.backward(factor.forward(here.gradient))
      let points = (0..<count).map { Lanes(repeating: here.effects[$0] - step[$0]) }
      let value = evaluate(points, prepared)[0]
      let next = self.terms(0, points, value, prepared)
      guard value <= here.value + 1e-8 * max(1, abs(here.value)),
        next.expectedDecrease < before
      else { break }
      here = next
    }
    return here
  }
}

extension Dense {
  /// A symmetric matrix by the entries of its lower triangle, row after row.
  init(_ size: Int, lowerTriangle entry: (Int) -> Double) {
    self.init(size, size)
    var place = 0
    for i in 0..<size {
      for j in 0...i {
        self[i, j] = entry(place)
        self[j, i] = self[i, j]
        place += 1
      }
    }
  }
}

// Derivatives at a mode that only differences give.

extension SubjectLikelihood {
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

  /// Central differences, eight points at a time.
  func slopes(at mode: Mode, on occasion: Int, _ prepared: PreparedPopulation) -> Slopes {
    let center = logarithms(mode.effects, on: occasion, prepared)
    let residual = prepared.residual
    let extra = prepared.estimatedResiduals.count
    let readings = occasions[occasion]
    let (larger, smaller) = (Double.exp(Self.difference), Double.exp(-Self.difference))
    var slopes = Slopes(gradient: mode.scores[occasion], curvature: [], information: [])
    let scale = 1 / (2 * Self.difference)
    let directions = size + extra
    // Lanes 2 i and 2 i + 1 are on both sides of the mode in one direction.
    for first in stride(from: 0, to: directions, by: Lanes.scalarCount / 2) {
      let batch = first..<min(directions, first + Lanes.scalarCount / 2)
      var (sd, cv) = (Lanes(repeating: residual.sd), Lanes(repeating: residual.cv))
      for parameter in 0..<size { logarithms[parameter] = Lanes(repeating: center[parameter]) }
      for direction in batch {
        let lane = 2 * (direction - first)
        if direction < size {
          logarithms[direction][lane] += Self.difference
          logarithms[direction][lane + 1] -= Self.difference
        } else if prepared.estimatedResiduals[direction - size] == .sd {
          (sd[lane], sd[lane + 1]) = (sd[lane] * larger, sd[lane] * smaller)
        } else {
          (cv[lane], cv[lane + 1]) = (cv[lane] * larger, cv[lane] * smaller)
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

  /// Half the second derivatives of J by the random effects.
  func curvature(_ slopes: [Slopes], _ prepared: PreparedPopulation) -> Dense {
    var curvature = precision(prepared)
    for (slopes, moving) in zip(slopes, moving) {
      for i in 0..<size {
        for j in 0..<size {
          let second = 0.25 * (slopes.curvature[i][j] + slopes.curvature[j][i])
          for effect in moving[i] { for other in moving[j] { curvature[effect, other] += second } }
        }
      }
    }
    return curvature
  }
}

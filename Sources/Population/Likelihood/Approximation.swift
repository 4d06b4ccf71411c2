import Estimation
import RealModule
import Statistics

/// How the integral over the random effects of a subject is taken.
public enum PopulationMethod: String, CaseIterable, Codable, Sendable {
  /// The curve is linear about eta = 0 (Beal & Sheiner 1982).
  case fo
  /// It is linear about the mode; variances of readings are those of typical curves (Lindstrom & Bates 1990).
  case foce
  /// The same with variances that follow the subject's curve: with interaction (Beal & Sheiner 1998).
  case focei
  /// A normal density about the mode, with all second derivatives (Tierney & Kadane 1986; Wang 2007).
  case laplace
  /// Adaptive Gauss-Hermite quadrature (Pinheiro & Bates 1995).
  case quadrature
}

/// What one subject, or a study, contributes to -2 ln L, without n ln 2 pi.
struct Contribution: Sendable {
  var value: Double
  var mode: SubjectLikelihood.Mode?
  /// By the logarithms of the typical values, by subject's means.
  var typical: [Double] = []
  var coefficients: [Double] = []
  /// For each level the symmetric matrix A with which a change of its covariance changes the value by
  /// tr(A dOmega).
  var spreads: [PopulationLevel: Dense] = [:]
  /// By ln a, ln b where they are estimated.
  var residual: [Double] = []

  /// Adds a part of another one, without the mode.
  fileprivate mutating func add(_ other: Contribution, _ weight: Double, less value: Double) {
    func sum(_ left: [Double], _ right: [Double]) -> [Double] {
      left.isEmpty ? right.map { weight * $0 } : zip(left, right).map { $0 + weight * $1 }
    }
    self.value += weight * (other.value - value)
    typical = sum(typical, other.typical)
    coefficients = sum(coefficients, other.coefficients)
    spreads.merge(other.spreads.mapValues { weight * $0 }) { $0 + $1 }
    residual = sum(residual, other.residual)
  }
}

extension SubjectLikelihood {
  /// The variances of the readings of a typical subject, by occasion.
  func typicalVariances(_ prepared: PreparedPopulation) -> [[Double]] {
    let zero = [Double](repeating: 0, count: count)
    return occasions.indices.map { occasion in
      occasions[occasion].predictions(at: logarithms(zero, on: occasion, prepared)).values.map {
        prepared.residual.variance(at: $0)
      }
    }
  }

  /// The subject's contribution; nil if no curve can be followed, or the information is singular.
  func contribution(
    _ method: PopulationMethod, _ prepared: PreparedPopulation, near: [Double]? = nil, nodes: Int
  ) -> Contribution? {
    guard method != .fo else { return firstOrder(prepared) }
    let fixed = method == .foce ? typicalVariances(prepared) : nil
    guard let mode = mode(prepared, near: near, fixed: fixed) else { return nil }
    switch method {
    case .fo, .foce: return normal(mode, mode.information, prepared)
    case .focei:
      return sum(
        of: sides(of: mode, prepared).map { side in
          (normal(side.mode, side.mode.information, prepared), side.weight)
        }, at: mode)
    case .laplace:
      let slopes = occasions.indices.map { self.slopes(at: mode, on: $0, prepared) }
      // At a kink the second derivatives may not be those of a minimum; the expected ones are.
      return normal(mode, curvature(slopes, prepared), prepared)
        ?? normal(mode, mode.information, prepared)
    case .quadrature: return quadrature(mode, prepared, nodes)
    }
  }

  /// The integral of a normal density about the mode, by half the second derivatives of J.
  private func normal(_ mode: Mode, _ information: Dense, _ prepared: PreparedPopulation)
    -> Contribution?
  {
    guard let factor = information.cholesky else { return nil }
    let value = mode.value + logDeterminant(prepared) + factor.logDeterminantOfProduct
    return value.isFinite ? Contribution(value: value, mode: mode) : nil
  }

  private func firstOrder(_ prepared: PreparedPopulation) -> Contribution? {
    let zero = [Double](repeating: 0, count: count)
    guard let spread = precision(prepared).inverted?.inverse else { return nil }
    let total = readingCount
    var design = Dense(total, count)
    var (errors, variances): ([Double], [Double]) = ([], [])
    for occasion in occasions.indices {
      let readings = occasions[occasion]
      guard !readings.areCensored.contains(true) else { return nil }
      let (values, derivatives) = readings.predictions(at: logarithms(zero, on: occasion, prepared))
      for row in 0..<readings.count {
        let own = byEffects(derivatives, of: row, on: occasion)
        for effect in 0..<count { design[errors.count, effect] = own[effect] }
        errors.append(readings.levels[row] - values[row])
        variances.append(prepared.residual.variance(at: values[row]))
      }
    }
    let covariance = design * (spread * design.transposed) + Dense(diagonal: variances)
    guard let factor = covariance.cholesky else { return nil }
    let whitened = factor.forward(errors)
    return Contribution(
      value: factor.logDeterminantOfProduct + dot(whitened, whitened), mode: nil)
  }

  private func quadrature(_ mode: Mode, _ prepared: PreparedPopulation, _ nodes: Int)
    -> Contribution?
  {
    guard let (covariance, logDeterminant) = mode.information.inverted,
      let factor = covariance.cholesky
    else { return nil }
    let rule = HermiteRule.of(nodes)
    var points: [[Double]] = []
    var weights: [Double] = []
    var choice = [Int](repeating: 0, count: count)
    while true {
      let node = choice.map { rule.nodes[$0] }
      let direction = factor * node
      points.append(zip(mode.effects, direction).map { $0 + 2.0.squareRoot() * $1 })
      weights.append(choice.reduce(0) { $0 + rule.logWeights[$1] } + dot(node, node))
      guard let turn = choice.lastIndex(where: { $0 < nodes - 1 }) else { break }
      choice[turn] += 1
      for later in (turn + 1)..<max(turn + 1, count) { choice[later] = 0 }
    }
    let logs = zip(values(at: points, prepared), weights).map { $1 - 0.5 * ($0 - mode.value) }
    let largest = logs.max() ?? 0
    let sum = logs.reduce(0) { $0 + Double.exp($1 - largest) }
    // The constants of the two normal densities leave pi^(d/2).
    let integral = largest + .log(sum) - 0.5 * Double(count) * .log(.pi)
    let value =
      mode.value + self.logDeterminant(prepared) + logDeterminant - 2 * integral
    return value.isFinite ? Contribution(value: value, mode: mode) : nil
  }

  // MARK: The gradient

  /// The contribution by FOCE with interaction, with its derivatives.
  ///
  /// The mode moves with what it depends on (implicit differentiation; Almquist, Leander & Jirstrand 2015):
  /// K db = -1/2 d(dJ/db), K half the second derivatives of J. J is least at the mode, so that only ln |H|
  /// feels that; its slopes by the random effects are q.
  func contributionWithGradient(
    _ prepared: PreparedPopulation, _ coordinates: Coordinates, near: [Double]? = nil
  ) -> Contribution? {
    guard let mode = mode(prepared, near: near) else { return nil }
    let sides = sides(of: mode, prepared)
    return sum(
      of: sides.map { side in
        (
          contributionWithGradient(
            at: side.mode, moves: sides.count == 1, prepared, coordinates), side.weight
        )
      }, at: mode)
  }

  /// - Parameter moves: Whether the point is a mode, which moves with what it depends on.
  private func contributionWithGradient(
    at mode: Mode, moves: Bool, _ prepared: PreparedPopulation, _ coordinates: Coordinates
  ) -> Contribution? {
    guard var contribution = normal(mode, mode.information, prepared),
      let inverse = mode.information.inverted?.inverse
    else { return nil }
    let slopes = occasions.indices.map { self.slopes(at: mode, on: $0, prepared) }
    let size = coordinates.structure.count
    let extra = coordinates.residual.count
    // Of ln |H|, by the logarithms of the parameters on each occasion, and by ln a, ln b.
    var direct: [[Double]] = []
    var score = [Double](repeating: 0, count: count)
    for (occasion, slopes) in slopes.enumerated() {
      var spread = Dense(size, size)
      for i in 0..<size {
        for j in 0..<size {
          for effect in effects(of: i, on: occasion) {
            for other in effects(of: j, on: occasion) { spread[i, j] += inverse[effect, other] }
          }
        }
      }
      let own = slopes.information.map { dot($0.numbers, spread.numbers) }
      direct.append(own)
      for parameter in 0..<size {
        for effect in effects(of: parameter, on: occasion) { score[effect] += own[parameter] }
      }
    }
    guard let factor = curvature(slopes, prepared).cholesky ?? mode.information.cholesky
    else { return nil }
    let direction =
      moves ? factor.backward(factor.forward(score)) : [Double](repeating: 0, count: count)
    contribution.typical = [Double](repeating: 0, count: size)
    contribution.coefficients = [Double](repeating: 0, count: coordinates.coefficientCount)
    contribution.residual = [Double](repeating: 0, count: extra)
    for (occasion, slopes) in slopes.enumerated() {
      let shift = (0..<size).map { parameter in
        effects(of: parameter, on: occasion).reduce(0) { $0 + direction[$1] }
      }
      let own = (0..<size + extra).map { direction in
        slopes.gradient[direction] + direct[occasion][direction]
          - 0.5 * dot(slopes.curvature[direction], shift)
      }
      for parameter in 0..<size { contribution.typical[parameter] += own[parameter] }
      for (place, parameter) in coordinates.covariateParameters.enumerated() {
        contribution.coefficients[place] += own[parameter] * covariates[occasion][place]
      }
      for place in 0..<extra { contribution.residual[place] += own[size + place] }
    }
    for block in blocks {
      let slope = slope(
        block, mode.effects, direction, inverse, prepared.spreads[block.level].precision)
      contribution.spreads[block.level, default: Dense(slope.rows, slope.rows)].add(slope, at: 0)
    }
    return contribution
  }

  // MARK: Kinks

  /// An expected decrease of J above this is that of no mode: J has a kink there.
  private static let smallestKink = 1e-6
  /// How far from a kink its sides are looked at, in standard deviations of the posterior.
  private static let besideKink = 0.05

  /// The mode; or, where it lies in a kink, the points on both sides of it, with weights that make the gradient zero.
  ///
  /// A curve that comes to zero just when somebody drinks again is one: the more people, the surer somebody's mode is
  /// there. Neither derivatives at such a point nor those across it say where it goes, and the side on which a search
  /// ends is chance.
  private func sides(
    of mode: Mode, _ prepared: PreparedPopulation
  ) -> [(mode: Mode, weight: Double)] {
    let decrease = mode.expectedDecrease
    guard decrease > Self.smallestKink, let factor = mode.information.cholesky else {
      return [(mode, 1)]
    }
    let step = factor.backward(factor.forward(mode.gradient))
    let length = Self.besideKink / decrease.squareRoot()
    let sides = modes(
      at: [-length, length].map { share in zip(mode.effects, step).map { $0 + share * $1 } },
      prepared)
    let slopes = sides.map { dot($0.gradient, step) }
    guard slopes[0] < 0, slopes[1] > 0 else { return [(mode, 1)] }
    let weight = slopes[1] / (slopes[1] - slopes[0])
    return [(sides[0], weight), (sides[1], 1 - weight)]
  }

  /// The weighted sum of what a subject contributes by the sides of a mode, with J at the mode.
  private func sum(
    of sides: [(contribution: Contribution?, weight: Double)], at mode: Mode
  ) -> Contribution? {
    guard sides.count > 1 else { return sides.first?.contribution }
    var sum = Contribution(value: mode.value, mode: mode)
    for (contribution, weight) in sides {
      guard let contribution, let side = contribution.mode else { return nil }
      sum.add(contribution, weight, less: side.value)
    }
    return sum
  }

  /// What a change of the covariance of the random effects of a block changes.
  private func slope(
    _ block: RandomEffectBlock, _ effects: [Double], _ direction: [Double], _ inverse: Dense,
    _ precision: Dense
  ) -> Dense {
    let places = Array(block.begin..<block.begin + precision.rows)
    let pressed = precision * places.map { effects[$0] }
    let moved = precision * places.map { direction[$0] }
    var slope = precision - precision * (inverse.part(places) * precision)
    for i in places.indices {
      for j in places.indices {
        slope[i, j] +=
          0.5 * (moved[i] * pressed[j] + moved[j] * pressed[i]) - pressed[i] * pressed[j]
      }
    }
    return slope
  }
}

/// Nodes and weights for integrals of f(x) e^(-x^2) (Golub & Welsch 1969).
struct HermiteRule {
  let nodes: [Double]
  let logWeights: [Double]

  /// The rule of so many nodes.
  ///
  /// The nodes are the eigenvalues of the Jacobi matrix, made exact by Newton's method: they are the zeros
  /// of the Hermite polynomial. Orthonormal polynomials keep the numbers small.
  static func of(_ count: Int) -> HermiteRule {
    var jacobi = Dense(count, count)
    for index in 1..<max(1, count) {
      let side = (Double(index) / 2).squareRoot()
      jacobi[index, index - 1] = side
      jacobi[index - 1, index] = side
    }
    let nodes = jacobi.eigenvalues.map { polished($0, count) }
    return HermiteRule(
      nodes: nodes,
      logWeights: nodes.map { -.log(Double(count)) - 2 * .log(abs(polynomials($0, count).before)) })
  }

  private static func polynomials(_ x: Double, _ count: Int) -> (last: Double, before: Double) {
    var (before, last) = (0.0, 1 / Double.pi.squareRoot().squareRoot())
    for index in 0..<count {
      let next =
        x * (2 / Double(index + 1)).squareRoot() * last
        - (Double(index) / Double(index + 1)).squareRoot() * before
      (before, last) = (last, next)
    }
    return (last, before)
  }

  private static func polished(_ x: Double, _ count: Int) -> Double {
    var x = x
    for _ in 0..<3 {
      let (last, before) = polynomials(x, count)
      x -= last / ((2 * Double(count)).squareRoot() * before)
    }
    return x
  }
}

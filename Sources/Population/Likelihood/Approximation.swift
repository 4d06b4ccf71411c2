import Estimation
import RealModule
import Statistics

/// The approximation of the marginal likelihood, an integral over the random effects of each subject.
public enum PopulationMethod: String, CaseIterable, Codable, Sendable {
  /// First order (FO): linear about eta = 0 (Beal & Sheiner 1982).
  case fo
  /// First-order conditional estimation (FOCE): linear about the mode, with residual variances of the typical curve
  /// (Lindstrom & Bates 1990).
  case foce
  /// FOCE with interaction (FOCEI): residual variances follow the subject's curve (Beal & Sheiner 1998).
  case focei
  /// Laplace's approximation: a normal density at the mode with the full Hessian (Tierney & Kadane 1986; Wang 2007).
  case laplace
  /// Adaptive Gauss-Hermite quadrature (Pinheiro & Bates 1995).
  case quadrature
}

/// The contribution of one subject, or study, to the OFV (-2 ln L without n ln 2 pi), with its derivatives.
struct Contribution: Sendable {
  var value: Double
  var mode: SubjectLikelihood.Mode?
  /// The gradient by the logarithms of the typical values.
  var typical: [Double] = []
  /// The gradient by the covariate coefficients.
  var coefficients: [Double] = []
  /// The gradient by the covariance of each level: the symmetric matrix A such that the value changes by tr(A dOmega).
  var spreads: [PopulationLevel: Dense] = [:]
  /// The gradient by ln a and ln b, where they are estimated.
  var residual: [Double] = []

  /// Adds `weight` times another contribution, `value` taken off; the mode is left as it is.
  fileprivate mutating func add(_ term: Contribution, _ weight: Double, less value: Double) {
    func sum(_ left: [Double], _ right: [Double]) -> [Double] {
      left.isEmpty ? right.map { weight * $0 } : zip(left, right).map { $0 + weight * $1 }
    }
    self.value += weight * (term.value - value)
    typical = sum(typical, term.typical)
    coefficients = sum(coefficients, term.coefficients)
    spreads.merge(term.spreads.mapValues { weight * $0 }) { $0 + $1 }
    residual = sum(residual, term.residual)
  }
}

extension SubjectLikelihood {
  /// The residual variances along the typical curve, by occasion and reading.
  func typicalVariances(_ prepared: PreparedPopulation) -> [[Double]] {
    let zero = [Double](repeating: 0, count: count)
    return occasions.indices.map { occasion in
      occasions[occasion].predictions(at: logarithms(zero, on: occasion, prepared)).values.map {
        prepared.residual.variance(at: $0)
      }
    }
  }

  /// The contribution of the subject; nil if no curve can be followed or the information is singular.
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
      // At a kink the Hessian may not be positive definite; the expected information is.
      return normal(mode, curvature(slopes, prepared), prepared)
        ?? normal(mode, mode.information, prepared)
    case .quadrature: return quadrature(mode, prepared, nodes)
    }
  }

  /// The contribution with a normal density at the mode, by half the Hessian of J.
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
    var errors: [Double] = []
    var variances: [Double] = []
    for occasion in occasions.indices {
      let readings = occasions[occasion]
      guard !readings.areCensored.contains(true) else { return nil }
      let (values, derivatives) = readings.predictions(at: logarithms(zero, on: occasion, prepared))
      for row in 0..<readings.count {
        let slopes = byEffects(derivatives, of: row, on: occasion)
        for effect in 0..<count { design[errors.count, effect] = slopes[effect] }
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
    // pi^(d/2) remains of the constants of the two normal densities.
    let integral = largest + .log(sum) - 0.5 * Double(count) * .log(.pi)
    let value =
      mode.value + self.logDeterminant(prepared) + logDeterminant - 2 * integral
    return value.isFinite ? Contribution(value: value, mode: mode) : nil
  }

  // MARK: The gradient

  /// The contribution by FOCEI with its gradient; nil if no curve can be followed.
  ///
  /// The mode moves with the parameters (implicit differentiation; Almquist, Leander & Jirstrand 2015):
  /// K db = -1/2 d(dJ/db), where K is half the Hessian of J. J is at its minimum, so only ln |H| depends on that, with the
  /// gradient q by the random effects.
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

  /// - Parameter moves: Whether the point is a mode, which moves with the parameters.
  private func contributionWithGradient(
    at mode: Mode, moves: Bool, _ prepared: PreparedPopulation, _ coordinates: Coordinates
  ) -> Contribution? {
    guard var contribution = normal(mode, mode.information, prepared),
      let inverse = mode.information.inverted?.inverse
    else { return nil }
    let slopes = occasions.indices.map { self.slopes(at: mode, on: $0, prepared) }
    let size = coordinates.structure.count
    let extra = coordinates.residual.count
    // The derivatives of ln |H| by the logarithms of the parameters on each occasion, the random effects held.
    var direct: [[Double]] = []
    var score = [Double](repeating: 0, count: count)
    for (occasion, slopes) in slopes.enumerated() {
      var spread = Dense(size, size)
      for i in 0..<size {
        for j in 0..<size {
          for effect in effects(of: i, on: occasion) {
            for column in effects(of: j, on: occasion) {
              spread[i, j] += inverse[effect, column]
            }
          }
        }
      }
      let gradient = slopes.information.map { dot($0.numbers, spread.numbers) }
      direct.append(gradient)
      for parameter in 0..<size {
        for effect in effects(of: parameter, on: occasion) { score[effect] += gradient[parameter] }
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
      let gradient = (0..<size + extra).map { direction in
        slopes.gradient[direction] + direct[occasion][direction]
          - 0.5 * dot(slopes.curvature[direction], shift)
      }
      for parameter in 0..<size { contribution.typical[parameter] += gradient[parameter] }
      for (index, parameter) in coordinates.covariateParameters.enumerated() {
        contribution.coefficients[index] += gradient[parameter] * covariates[occasion][index]
      }
      for index in 0..<extra { contribution.residual[index] += gradient[size + index] }
    }
    for block in blocks {
      let slope = slope(
        block, mode.effects, direction, inverse, prepared.spreads[block.level].precision)
      contribution.spreads[block.level, default: Dense(slope.rows, slope.rows)].add(slope, at: 0)
    }
    return contribution
  }

  // MARK: Kinks

  /// J has a kink at a mode where the expected decrease stays above this.
  private static let smallestKink = 1e-6
  /// The distance from a kink at which its sides are evaluated, in posterior standard deviations.
  private static let besideKink = 0.05

  /// The mode, or where J has a kink there, a point on each side with weights that make the gradient zero.
  ///
  /// J has a kink where a curve reaches zero just as the subject drinks again; in a large study some mode lies there.
  /// Derivatives at or across the kink are then meaningless, and the side on which the search ends is chance.
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

  /// The weighted sum of the contributions by the sides of a mode, with J at the mode.
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

  /// The gradient of the contribution by the covariance of a block of random effects.
  private func slope(
    _ block: RandomEffectBlock, _ effects: [Double], _ direction: [Double], _ inverse: Dense,
    _ precision: Dense
  ) -> Dense {
    let rows = Array(block.begin..<block.begin + precision.rows)
    let weighted = precision * rows.map { effects[$0] }
    let moved = precision * rows.map { direction[$0] }
    var slope = precision - precision * (inverse.submatrix(rows) * precision)
    for i in rows.indices {
      for j in rows.indices {
        slope[i, j] +=
          0.5 * (moved[i] * weighted[j] + moved[j] * weighted[i]) - weighted[i] * weighted[j]
      }
    }
    return slope
  }
}

/// Gauss-Hermite quadrature: nodes and weights for integrals of f(x) e^(-x^2) (Golub & Welsch 1969).
struct HermiteRule {
  let nodes: [Double]
  let logWeights: [Double]

  /// The rule with `count` nodes.
  ///
  /// The nodes are the eigenvalues of the Jacobi matrix, refined by Newton's method on the Hermite polynomial. Orthonormal
  /// polynomials avoid overflow.
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
    var before = 0.0
    var last = 1 / Double.pi.squareRoot().squareRoot()
    for index in 0..<count {
      let next =
        x * (2 / Double(index + 1)).squareRoot() * last
        - (Double(index) / Double(index + 1)).squareRoot() * before
      before = last
      last = next
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

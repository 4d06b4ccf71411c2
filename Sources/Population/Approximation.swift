import RealModule

/// How the integral over the random effects of a person is taken.
public enum PopulationMethod: String, CaseIterable, Codable, Sendable {
  /// The curve is linear about eta = 0 (Beal & Sheiner 1982).
  case fo
  /// It is linear about the mode; variances of readings are those of typical curves (Lindstrom & Bates 1990).
  case foce
  /// The same with variances that follow the person's curve: with interaction (Beal & Sheiner 1998).
  case focei
  /// A normal density about the mode, with all second derivatives (Tierney & Kadane 1986; Wang 2007).
  case laplace
  /// Adaptive Gauss-Hermite quadrature (Pinheiro & Bates 1995).
  case quadrature
}

/// What one person contributes to -2 ln L, without n ln 2 pi.
struct Contribution: Sendable {
  var value: Double
  var mode: Person.Mode?
  /// By the logarithms of the typical values, by person's means.
  var typical: [Double] = []
  var coefficients: [Double] = []
  /// The symmetric matrix A with which a change of Omega changes the value by tr(A dOmega).
  var between = Dense(0, 0)
  var within: [Double] = []
  /// By ln a, ln b where they are estimated.
  var residual: [Double] = []
}

extension Person {
  /// What the person contributes; nil if no curve can be followed, or the information is singular.
  func contribution(
    _ method: PopulationMethod, _ setting: Setting, _ coordinates: Coordinates, nodes: Int
  ) -> Contribution? {
    switch method {
    case .fo: return firstOrder(setting)
    case .foce:
      let fixed = occasions.indices.map { occasion in
        let typical = logarithms([Double](repeating: 0, count: count), on: occasion, setting)
        return occasions[occasion].predictions(at: typical).values.map {
          setting.residual.variance(at: $0)
        }
      }
      return mode(setting, fixed: fixed).flatMap { linearised($0, setting) }
    case .focei: return mode(setting).flatMap { linearised($0, setting) }
    case .laplace: return mode(setting).flatMap { laplace($0, setting) }
    case .quadrature: return mode(setting).flatMap { quadrature($0, setting, nodes) }
    }
  }

  private func linearised(_ mode: Mode, _ setting: Setting) -> Contribution? {
    guard let (_, logDeterminant) = mode.information.inverted else { return nil }
    let value = mode.value + setting.logDeterminant(occasions.count) + logDeterminant
    return value.isFinite ? Contribution(value: value, mode: mode) : nil
  }

  private func laplace(_ mode: Mode, _ setting: Setting) -> Contribution? {
    let curvature = curvature(
      occasions.indices.map { slopes(at: mode.effects, on: $0, setting) }, setting)
    // At a kink the second derivatives may not be those of a minimum; the expected ones are.
    let inverted = curvature.inverted ?? mode.information.inverted
    guard let (_, logDeterminant) = inverted else { return nil }
    let value = mode.value + setting.logDeterminant(occasions.count) + logDeterminant
    return value.isFinite ? Contribution(value: value, mode: mode) : nil
  }

  /// Half the second derivatives of J by the random effects.
  func curvature(_ slopes: [Slopes], _ setting: Setting) -> Dense {
    var curvature = setting.precision(occasions.count)
    for (occasion, slopes) in slopes.enumerated() {
      let map = map(of: occasion, setting)
      let size = map.rows
      var second = Dense(size, size)
      for i in 0..<size {
        for j in 0..<size {
          second[i, j] = 0.25 * (slopes.curvature[i][j] + slopes.curvature[j][i])
        }
      }
      curvature = curvature + map.transposed * (second * map)
    }
    return curvature
  }

  /// How the logarithms of the parameters follow from the random effects on an occasion.
  private func map(of occasion: Int, _ setting: Setting) -> Dense {
    let size = setting.means[index][occasion].count
    var map = Dense(size, count)
    for parameter in 0..<size {
      for effect in effects(of: parameter, on: occasion) { map[parameter, effect] = 1 }
    }
    return map
  }

  private func firstOrder(_ setting: Setting) -> Contribution? {
    let zero = [Double](repeating: 0, count: count)
    guard let spread = setting.precision(occasions.count).inverted?.inverse else { return nil }
    let total = readingCount
    var design = Dense(total, count)
    var (errors, variances): ([Double], [Double]) = ([], [])
    for occasion in occasions.indices {
      let readings = occasions[occasion]
      guard !readings.areCensored.contains(true) else { return nil }
      let (values, derivatives) = readings.predictions(at: logarithms(zero, on: occasion, setting))
      let rows = derivatives * map(of: occasion, setting)
      for row in 0..<readings.count {
        for column in 0..<count { design[errors.count, column] = rows[row, column] }
        errors.append(readings.levels[row] - values[row])
        variances.append(setting.residual.variance(at: values[row]))
      }
    }
    let covariance = design * (spread * design.transposed) + Dense(diagonal: variances)
    guard let (inverse, logDeterminant) = covariance.inverted else { return nil }
    return Contribution(value: logDeterminant + dot(errors, inverse * errors), mode: nil)
  }

  private func quadrature(_ mode: Mode, _ setting: Setting, _ nodes: Int) -> Contribution? {
    guard let (covariance, logDeterminant) = mode.information.inverted,
      let factor = covariance.cholesky
    else { return nil }
    let rule = HermiteRule.of(nodes)
    var points: [[Double]] = []
    var weights: [Double] = []
    var choice = [Int](repeating: 0, count: count)
    while true {
      let node = choice.map { rule.nodes[$0] }
      let way = factor * node
      points.append(zip(mode.effects, way).map { $0 + 2.0.squareRoot() * $1 })
      weights.append(choice.reduce(0) { $0 + rule.logWeights[$1] } + dot(node, node))
      guard let turn = choice.lastIndex(where: { $0 < nodes - 1 }) else { break }
      choice[turn] += 1
      for later in (turn + 1)..<max(turn + 1, count) { choice[later] = 0 }
    }
    let logs = zip(values(at: points, setting), weights).map { $1 - 0.5 * ($0 - mode.value) }
    let largest = logs.max() ?? 0
    let sum = logs.reduce(0) { $0 + Double.exp($1 - largest) }
    // The constants of the two normal densities leave pi^(d/2).
    let integral = largest + .log(sum) - 0.5 * Double(count) * .log(.pi)
    let value =
      mode.value + setting.logDeterminant(occasions.count) + logDeterminant - 2 * integral
    return value.isFinite ? Contribution(value: value, mode: mode) : nil
  }

  // MARK: The gradient

  /// The contribution by FOCE with interaction, with its derivatives.
  ///
  /// The mode moves with what it depends on (implicit differentiation; Almquist, Leander & Jirstrand 2015):
  /// K db = -1/2 d(dJ/db), K half the second derivatives of J. J is least at the mode, so that only ln |H|
  /// feels that; its slopes by the random effects are q.
  func contributionWithGradient(_ setting: Setting, _ coordinates: Coordinates) -> Contribution? {
    guard let mode = mode(setting), var contribution = linearised(mode, setting),
      let inverse = mode.information.inverted?.inverse
    else { return nil }
    let slopes = occasions.indices.map { self.slopes(at: mode.effects, on: $0, setting) }
    let maps = occasions.indices.map { map(of: $0, setting) }
    let size = setting.means[index].first?.count ?? 0
    let extra = coordinates.residual.count
    // Of ln |H|, by the logarithms of the parameters on each occasion, and by ln a, ln b.
    var direct: [[Double]] = []
    var pull = [Double](repeating: 0, count: count)
    for (slopes, map) in zip(slopes, maps) {
      let spread = map * (inverse * map.transposed)
      let own = (0..<size + extra).map { direction in
        dot(slopes.information[direction].numbers, spread.numbers)
      }
      direct.append(own)
      let shared = map.transposed * Array(own[..<size])
      pull = zip(pull, shared).map { $0 + $1 }
    }
    let curvature = curvature(slopes, setting)
    guard let moving = curvature.inverted?.inverse ?? mode.information.inverted?.inverse
    else { return nil }
    let way = moving * pull
    contribution.typical = [Double](repeating: 0, count: size)
    contribution.coefficients = [Double](repeating: 0, count: coordinates.coefficientCount)
    contribution.residual = [Double](repeating: 0, count: extra)
    for occasion in occasions.indices {
      let (slopes, map) = (slopes[occasion], maps[occasion])
      let shift = map * way
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
    let precision = setting.precision(occasions.count)
    let pressed = precision * mode.effects
    let moved = precision * way
    let middle = precision * (inverse * precision)
    var slope = Dense(count, count)
    for i in 0..<count {
      for j in 0..<count {
        slope[i, j] =
          precision[i, j] - pressed[i] * pressed[j] - middle[i, j]
          + 0.5 * (moved[i] * pressed[j] + moved[j] * pressed[i])
      }
    }
    let own = coordinates.random.between.count
    contribution.between = slope.part(Array(0..<own))
    contribution.within = coordinates.random.within.indices.map { place in
      occasions.indices.reduce(0) { sum, occasion in
        let effect = own + occasion * coordinates.random.within.count + place
        return sum + slope[effect, effect]
      }
    }
    return contribution
  }
}

/// Nodes and weights for integrals of f(x) e^(-x^2) (Golub & Welsch 1969).
struct HermiteRule {
  let nodes: [Double]
  let logWeights: [Double]

  /// The rule of so many nodes.
  ///
  /// The nodes are the zeros of the Hermite polynomial, found by Newton's method from those of the
  /// eigenvalues' interlacing; orthonormal polynomials keep the numbers small.
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
    var (before, last) = (0.0, Double.pi.squareRoot().squareRoot().reciprocal)
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

extension Double {
  fileprivate var reciprocal: Double { 1 / self }
}

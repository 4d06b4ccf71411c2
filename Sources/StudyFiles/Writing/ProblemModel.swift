public import AlcoholKinetics

/// A population model as NONMEM and nlmixr2 take it, with its values as initial estimates.
public struct ProblemModel: Sendable {
  /// A typical value.
  public struct Parameter: Sendable {
    /// The name, as in `ka`.
    public let name: String
    /// Its unit.
    public let unit: String
    /// The typical value, in that unit.
    public let value: Double
    /// The variance of its logarithm between occasions; nil for none.
    public let within: Double?
    /// The standard error of its logarithm; nil if it is not known.
    public let error: Double?
    /// Whether it is known.
    public let isFixed: Bool

    /// Describes a typical value.
    public init(
      _ name: String, _ unit: String, _ value: Double, within: Double? = nil,
      error: Double? = nil, isFixed: Bool = false
    ) {
      self.isFixed = isFixed
      self.name = name
      self.unit = unit
      self.value = value
      self.within = within
      self.error = error
    }
  }

  /// The effect of a covariate on the logarithm of a typical value.
  public struct Effect: Sendable {
    /// On which parameter.
    public let parameter: String
    /// The covariate, as subjects.csv calls it.
    public let covariate: String
    /// Whether it is theta ln(x / center), else theta (x - center).
    public let isPower: Bool
    /// The centre.
    public let center: Double
    /// Theta.
    public let coefficient: Double
    /// Its standard error.
    public let error: Double?

    /// Describes an effect.
    public init(
      of covariate: String, on parameter: String, isPower: Bool, center: Double,
      coefficient: Double, error: Double?
    ) {
      self.parameter = parameter
      self.covariate = covariate
      self.isPower = isPower
      self.center = center
      self.coefficient = coefficient
      self.error = error
    }
  }

  /// How ethanol is eliminated.
  public var elimination: EliminationModel
  /// The typical values, r among them.
  public var parameters: [Parameter]
  /// The effects of covariates.
  public var effects: [Effect] = []
  /// The parameters that differ between people, and the covariance of their logarithms.
  public var between: (names: [String], covariance: [[Double]])
  /// The standard deviation of a reading at zero in g/kg; nil for the usual start.
  public var sd: Double?
  /// The coefficient of variation of readings.
  public var cv: Double?
  /// How many people it was estimated from, if it is to be a prior of the next study; nil for initial estimates alone.
  public var priorPeople: Int?
  /// The correlations of the uncertainties of parameters and effects, in their order; nil if they are not known.
  public var priorCorrelations: [[Double]]?

  /// Describes a model.
  public init(
    _ elimination: EliminationModel, _ parameters: [Parameter],
    between: (names: [String], covariance: [[Double]])
  ) {
    self.elimination = elimination
    self.parameters = parameters
    self.between = between
  }

  /// Widmark's model with values that a search can begin with.
  static let usual = ProblemModel(
    .widmark,
    [Parameter("ka", "1/h", 6), Parameter("beta", "g/kg/h", 0.15), Parameter("r", "kg/kg", 0.7)],
    between: (["ka", "beta", "r"], [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.01]]))
}

/// The parts of a control stream and of a script for R that say what the model is.
struct ProblemCode {
  private let model: ProblemModel
  /// The numbers of the occasions; none if the study has none.
  private let occasions: [Int]
  /// What one unit of a reading is in g/kg.
  private let factor: Double

  init(_ model: ProblemModel, occasions: [Int], factor: Double) {
    var model = model
    if occasions.isEmpty {
      // A single occasion differs by both.
      for parameter in model.parameters {
        guard let within = parameter.within,
          let row = model.between.names.firstIndex(of: parameter.name)
        else { continue }
        model.between.covariance[row][row] += within
      }
    }
    self.model = model
    self.occasions = occasions
    self.factor = factor
  }

  private var sizes: [(name: String, value: Double)] {
    let sd = model.sd ?? (model.cv == nil ? 0.05 : nil)
    return [sd.map { ("sd", $0 / factor) }, model.cv.map { ("cv", $0) }].compactMap(\.self)
  }

  private var varied: [ProblemModel.Parameter] {
    occasions.isEmpty ? [] : model.parameters.filter { $0.within != nil }
  }

  private var isFull: Bool {
    model.between.covariance.enumerated().contains { row, numbers in
      numbers.prefix(row).contains { $0 != 0 }
    }
  }

  private func triangle(_ matrix: [[Double]]) -> [String] {
    matrix.enumerated().map { row, numbers in
      numbers.prefix(row + 1).map { "\($0)" }.joined(separator: " ")
    }
  }

  /// The column of a covariate in tables for NONMEM.
  static func column(_ covariate: String) -> String {
    ["age_y": "AGE", "height_cm": "HT", "weight_kg": "WT", "sex": "MALE"][covariate] ?? covariate
  }

  /// The columns that the model needs of those that hold covariates.
  var columns: [String] { model.effects.map { Self.column($0.covariate) } }

  // MARK: NONMEM

  private func symbol(_ name: String) -> String { name == "lag" ? "ALAG1" : name.uppercased() }

  /// The assignments of $PK.
  var pk: String {
    var lines: [String] = []
    for number in varied.isEmpty ? [] : occasions {
      lines += ["OCC\(number) = 0", "IF (OCC.EQ.\(number)) OCC\(number) = 1"]
    }
    for (place, parameter) in varied.enumerated() {
      let first = model.between.names.count + place * occasions.count
      let sum = occasions.enumerated().map { "OCC\($1)*ETA(\(first + $0 + 1))" }
      lines.append("IOV\(symbol(parameter.name)) = \(sum.joined(separator: " + "))")
    }
    for (place, parameter) in model.parameters.enumerated() {
      let name = symbol(parameter.name)
      var expression = "THETA(\(place + 1))"
      for (number, effect) in model.effects.enumerated() where effect.parameter == parameter.name {
        let theta = "THETA(\(model.parameters.count + number + 1))"
        let column = Self.column(effect.covariate).uppercased()
        expression +=
          effect.covariate == "sex"
          ? "*EXP(\(theta)*(1 - MALE))"
          : effect.isPower
            ? "*(\(column)/\(effect.center))**\(theta)"
            : "*EXP(\(theta)*(\(column) - \(effect.center)))"
      }
      let eta = model.between.names.firstIndex(of: parameter.name).map { "ETA(\($0 + 1))" }
      let iov = varied.contains { $0.name == parameter.name } ? "IOV\(name)" : nil
      let random = [eta, iov].compactMap(\.self).joined(separator: " + ")
      lines.append("\(name) = \(expression)" + (random.isEmpty ? "" : "*EXP(\(random))"))
    }
    if model.parameters.contains(where: { $0.name == "cl" }) {
      lines.append(
        model.parameters.contains { $0.name == "r" } ? "KE = CL/R" : "R = CL/KE")
    }
    return lines.joined(separator: "\n")
  }

  /// What leaves the blood in $DES. A zero-order rate that stops at zero is none that solvers like: elimination ends in
  /// the last 0.001 g/kg.
  var elimination: String {
    switch model.elimination {
    case .widmark: "BETA*V*CONC/(CONC + 0.001)"
    case .michaelisMenten: "VMAX*V*CONC/(KM + CONC)"
    default: "KE*A(2)"
    }
  }

  /// The standard deviation of a reading.
  var deviation: String {
    let first = model.parameters.count + model.effects.count + 1
    switch sizes.map(\.name) {
    case ["sd"]: return "THETA(\(first))"
    case ["cv"]: return "THETA(\(first))*IPRED"
    default: return "SQRT(THETA(\(first))**2 + (THETA(\(first + 1))*IPRED)**2)"
    }
  }

  /// $THETA.
  func thetas(unit: String) -> String {
    let typical = model.parameters.map {
      "$THETA \($0.isFixed ? "\($0.value) FIX" : "(0, \($0.value))") ; \($0.name == "ka" ? "k_a" : $0.name) in \($0.unit)"
    }
    let effects = model.effects.map {
      "$THETA \($0.coefficient) ; \($0.covariate) on \($0.parameter)"
    }
    let errors = sizes.map {
      "$THETA (0, \($0.value)) ; " + ($0.name == "sd" ? "SD in \(unit)" : "CV")
    }
    return (typical + effects + errors).joined(separator: "\n")
  }

  /// $OMEGA; occasions have one variance each, the same for all.
  var omegas: String {
    let (names, covariance) = model.between
    let own =
      isFull
      ? ["$OMEGA BLOCK(\(names.count))"] + triangle(covariance)
      : ["$OMEGA " + names.indices.map { "\(covariance[$0][$0])" }.joined(separator: " ")]
    return
      (own
      + varied.flatMap { parameter in
        ["$OMEGA BLOCK(1) \(parameter.within ?? 0)"]
          + occasions.dropFirst().map { _ in "$OMEGA BLOCK(1) SAME" }
      }).joined(separator: "\n")
  }

  /// $PRIOR and its records; empty without a prior. A number without a standard error has as good as none.
  var prior: (subroutine: String, values: String) {
    guard let people = model.priorPeople else { return ("", "") }
    let means = model.parameters.map(\.value) + model.effects.map(\.coefficient)
    let errors =
      model.parameters.map { $0.isFixed ? 1e-6 : ($0.error ?? 100) * $0.value }
      + model.effects.map { $0.error ?? 100 }
    let variances = errors.indices.map { row in
      errors.indices.map { column in
        let known = model.priorCorrelations?[row][column] ?? 0
        return errors[row] * errors[column] * (row == column ? 1 : known)
      }
    }
    let etas = model.between.names.count
    let head =
      "$PRIOR NWPRI NTHETA=\(means.count + sizes.count) NETA=\(etas + varied.count * occasions.count) "
      + "NTHP=\(means.count) NETP=\(etas)\n"
    var lines = ["", "; what the population was estimated to be, from \(people) people"]
    lines += means.map { "$THETAP \($0) FIX" }
    lines += ["$THETAPV BLOCK(\(means.count)) FIX"] + triangle(variances)
    if isFull {
      lines += ["$OMEGAP BLOCK(\(etas)) FIX"] + triangle(model.between.covariance)
      lines.append("$OMEGAPD \(people) FIX")
    } else {
      lines += (0..<etas).map { "$OMEGAP \(model.between.covariance[$0][$0]) FIX" }
      lines += (0..<etas).map { _ in "$OMEGAPD \(people) FIX" }
    }
    return (head, lines.joined(separator: "\n"))
  }

  // MARK: nlmixr2

  /// The block ini of the script for R.
  var initials: String {
    var lines = model.parameters.map {
      "l\($0.name) <- " + ($0.isFixed ? "fix(log(\($0.value)))" : "log(\($0.value))")
    }
    lines += model.effects.map { "cov.\($0.parameter).\($0.covariate) <- \($0.coefficient)" }
    let (names, covariance) = model.between
    lines +=
      isFull
      ? [
        names.map { "eta.\($0)" }.joined(separator: " + ") + " ~ c("
          + triangle(covariance).map { $0.replacing(" ", with: ", ") }.joined(separator: ", ") + ")"
      ] : names.enumerated().map { "eta.\($1) ~ \(covariance[$0][$0])" }
    lines += varied.map { "iov.\($0.name) ~ \($0.within ?? 0) | OCC" }
    lines += sizes.map { "\($0.name) <- \($0.value)" }
    return lines.map { "    \($0)" }.joined(separator: "\n")
  }

  /// The parameters in the block model.
  var individual: String {
    var lines = model.parameters.map { parameter in
      let effects = model.effects.filter { $0.parameter == parameter.name }.map { effect in
        let column = Self.column(effect.covariate)
        let term =
          effect.covariate == "sex"
          ? "(1 - MALE)"
          : effect.isPower ? "log(\(column) / \(effect.center))" : "(\(column) - \(effect.center))"
        return "cov.\(effect.parameter).\(effect.covariate) * \(term)"
      }
      let random =
        (model.between.names.contains(parameter.name) ? ["eta.\(parameter.name)"] : [])
        + (varied.contains { $0.name == parameter.name } ? ["iov.\(parameter.name)"] : [])
      return "\(parameter.name) <- exp("
        + (["l\(parameter.name)"] + effects + random).joined(separator: " + ") + ")"
    }
    if model.parameters.contains(where: { $0.name == "cl" }) {
      lines.append(model.parameters.contains { $0.name == "r" } ? "ke <- cl / r" : "r <- cl / ke")
    }
    if model.parameters.contains(where: { $0.name == "lag" }) { lines.append("alag(gut) <- lag") }
    return lines.map { "    \($0)" }.joined(separator: "\n")
  }

  /// What leaves the blood in the script.
  var eliminationInR: String {
    switch model.elimination {
    case .widmark: "beta * v * conc / (conc + 0.001)"
    case .michaelisMenten: "vmax * v * conc / (km + conc)"
    default: "ke * body"
    }
  }

  /// The error of readings in the script.
  var errorInR: String {
    sizes.map { $0.name == "sd" ? "add(sd)" : "prop(cv)" }.joined(separator: " + ")
  }
}

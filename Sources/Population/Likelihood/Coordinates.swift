import AlcoholKinetics
import Estimation
import RealModule

/// A covariance matrix as unconstrained coordinates: the entries of its Cholesky factor, on the diagonal their logarithms.
struct CovarianceFactor: Sendable {
  let size: Int
  private let entries: [(row: Int, column: Int)]
  /// The fixed variances, by their rows.
  let held: [Int: Double]

  /// The lower limit of standard deviations of logarithms.
  static let smallestSpread = 1e-4

  init(_ size: Int, isFull: Bool, held: [Int: Double] = [:]) {
    self.size = size
    self.held = held
    entries = (0..<size).filter { held[$0] == nil }.flatMap { row in
      (0...row).filter { isFull || $0 == row }.map { (row, $0) }
    }
  }

  var count: Int { entries.count }
  var isFull: Bool { count > size }
  /// The row of a diagonal entry; nil for the others.
  func diagonalRow(_ entry: Int) -> Int? {
    entries[entry].row == entries[entry].column ? entries[entry].row : nil
  }

  /// The names of the entries: `ka` on the diagonal, `ka,beta` off it.
  func names(_ parameters: [PopulationParameter]) -> [String] {
    entries.map { row, column in
      row == column
        ? parameters[row].rawValue
        : "\(parameters[row].rawValue),\(parameters[column].rawValue)"
    }
  }

  private func factor(_ covariance: Dense) -> Dense {
    covariance.cholesky ?? Dense(diagonal: covariance.diagonal.map { max($0, 1e-8).squareRoot() })
  }

  /// The coordinates of a covariance.
  func numbers(_ covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    return entries.map { row, column in
      row == column ? .log(max(lower[row, row], Self.smallestSpread)) : lower[row, column]
    }
  }

  /// The covariance at coordinates.
  func covariance(_ numbers: some Sequence<Double>) -> Dense {
    var lower = Dense(size, size)
    for (row, variance) in held { lower[row, row] = variance.squareRoot() }
    for ((row, column), number) in zip(entries, numbers) {
      lower[row, column] = row == column ? max(.exp(number), Self.smallestSpread) : number
    }
    return lower * lower.transposed
  }

  /// The gradient by the coordinates of a function that changes by tr(A dOmega); A is `slope`.
  func gradient(_ slope: Dense, at covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    let product = slope * lower
    return entries.map { row, column in
      2 * product[row, column] * (row == column ? lower[row, row] : 1)
    }
  }

  /// Standard errors of the variances by the delta method, from the covariance of the whole vector; NaN for a variance at
  /// its lower limit.
  func standardErrors(_ errors: Dense, from begin: Int, at covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    return (0..<size).map { row in
      var slope = [Double](repeating: 0, count: errors.rows)
      for (index, entry) in entries.enumerated() where entry.row == row {
        let value = lower[row, entry.column]
        slope[begin + index] = 2 * value * (entry.column == row ? value : 1)
      }
      let variance = max(0, dot(slope, errors * slope))
      return variance > 0 ? variance.squareRoot() : .nan
    }
  }
}

/// The unconstrained coordinates of the estimated values of a population model.
///
/// They are, in this order: logarithms of typical values (the logit if there is a range), covariate coefficients, the
/// Cholesky factors of the covariances between subjects, occasions and studies, and logarithms of the residual error.
struct Coordinates: Sendable {
  let structure: Structure
  let random: RandomEffects
  /// The indices of the parameters whose typical values are estimated.
  let typical: [Int]
  /// The index of the parameter on which each covariate coefficient acts.
  let covariateParameters: [Int]
  let factors: PerLevel<CovarianceFactor>
  let residual: [ResidualParameter]
  /// The bounds of typical values on the log scale, by the index of the parameter.
  let ranges: [Int: ClosedRange<Double>]

  init(_ model: PopulationModel) throws(Problem) {
    structure = try Structure(model.elimination, model.parameters)
    for parameter in model.fixed.keys.sorted() {
      guard !structure.kinetic.contains(parameter) else {
        throw .badOptions(
          "\(parameter.rawValue) cannot be both estimated and fixed; leave out one of them")
      }
      guard model.elimination.parameters.contains(parameter) else {
        throw .badOptions("the \(model.elimination.rawValue) model has no \(parameter.rawValue)")
      }
    }
    let parameters = structure.parameters
    func indices(_ subset: [PopulationParameter]) -> [Int] {
      subset.compactMap { parameters.firstIndex(of: $0) }
    }
    let random = RandomEffects { indices(model[$0]) }
    self.random = random
    if let parameter = model.studyLevel.first(where: { !model.random.contains($0) }) {
      throw .badOptions(
        "studies differ in \(parameter.rawValue), in which people do not; let \(parameter.rawValue) be random"
      )
    }
    typical = parameters.indices.filter {
      !model.isPredicted(parameters[$0]) && model.fixedTypical[parameters[$0]] == nil
    }
    try Self.checkConstraints(of: model, parameters)
    ranges = Dictionary(
      uniqueKeysWithValues: typical.compactMap { index in
        model.bounds[parameters[index]].map { (index, .log($0.lowerBound) ... .log($0.upperBound)) }
      })
    covariateParameters = indices(model.covariates.map(\.parameter))
    factors = PerLevel { level in
      let held = zip(model.random.indices, model.random).compactMap { row, parameter in
        model.fixedVariances[parameter].map { (row, $0) }
      }
      return CovarianceFactor(
        random[level].count, isFull: model.isFull && level != .study,
        held: level == .person ? Dictionary(uniqueKeysWithValues: held) : [:])
    }
    residual = model.error.isEstimated ? model.error.parameters : []
  }

  /// Refuses fixed values and bounds of parameters that the model does not have.
  private static func checkConstraints(
    of model: PopulationModel, _ parameters: [PopulationParameter]
  ) throws(Problem) {
    for parameter in (Array(model.fixedTypical.keys) + Array(model.bounds.keys)).sorted() {
      guard parameters.contains(parameter), !model.isPredicted(parameter) else {
        throw .badOptions(
          "there is no typical \(parameter.rawValue) to fix or to bound; let people differ in it, or add it to those "
            + "that are the same for everybody")
      }
    }
    for parameter in model.fixedVariances.keys.sorted() where !model.random.contains(parameter) {
      throw .badOptions(
        "people do not differ in \(parameter.rawValue), whose variance is fixed; let it be random")
    }
    guard model.fixedVariances.isEmpty || !model.isFull else {
      throw .badOptions(
        "a variance can be fixed only if differences between people are independent; choose a diagonal covariance"
      )
    }
  }

  /// Starting values with the fixed variances, and typical values moved well inside their bounds.
  func holding(_ values: PopulationValues) -> PopulationValues {
    var values = values
    for (row, variance) in factors.person.held {
      values.between[row * factors.person.size + row] = variance
    }
    for (index, range) in ranges {
      let margin = 0.05 * (range.upperBound - range.lowerBound)
      values.typical[index] = Swift.min(
        range.upperBound - margin, Swift.max(range.lowerBound + margin, values.typical[index]))
    }
    return values
  }

  /// The relative position of a typical value between its bounds on the log scale, from 0 to 1; nil without bounds.
  func share(_ values: PopulationValues, _ parameter: Int) -> Double? {
    ranges[parameter].map { range in
      let share =
        (values.typical[parameter] - range.lowerBound) / (range.upperBound - range.lowerBound)
      return Swift.min(1 - 1e-9, Swift.max(1e-9, share))
    }
  }

  /// The derivative of the logarithm of a typical value by its coordinate.
  func slope(_ values: PopulationValues, _ parameter: Int) -> Double {
    guard let range = ranges[parameter], let share = share(values, parameter) else { return 1 }
    return (range.upperBound - range.lowerBound) * share * (1 - share)
  }

  var coefficientCount: Int { covariateParameters.count }

  var count: Int {
    PopulationLevel.ofVectors.reduce(typical.count + coefficientCount + residual.count) {
      $0 + factors[$1].count
    }
  }

  /// The coordinates of values.
  func vector(_ values: PopulationValues) -> [Double] {
    typical.map { parameter in
      share(values, parameter).map { .log($0 / (1 - $0)) } ?? values.typical[parameter]
    } + values.coefficients
      + PopulationLevel.ofVectors.flatMap { factors[$0].numbers(values[$0]) }
      + residual.map { .log(values.residual[$0]) }
  }

  /// The values at coordinates; those that are not estimated are taken from `others`.
  func values(_ vector: [Double], from others: PopulationValues) -> PopulationValues {
    var values = others
    var rest = vector[...]
    for parameter in typical {
      let number = rest.removeFirst()
      values.typical[parameter] =
        ranges[parameter].map {
          $0.lowerBound + ($0.upperBound - $0.lowerBound) / (1 + .exp(-number))
        } ?? number
    }
    values.coefficients = (0..<coefficientCount).map { _ in rest.removeFirst() }
    for level in PopulationLevel.ofVectors {
      values[level] = factors[level].covariance(rest.prefix(factors[level].count))
      rest = rest.dropFirst(factors[level].count)
    }
    for parameter in residual {
      values.residual[parameter] = .exp(rest.removeFirst())
    }
    return values
  }

  /// Prepares a population for evaluation; nil if a covariance is not positive definite.
  ///
  /// - Parameter isNested: Whether studies have random effects of their own. If not, their variances are added to those
  ///   between subjects, as for subjects of a new study.
  func prepared(
    _ values: PopulationValues, _ likelihoods: [SubjectLikelihood], isNested: Bool = false
  ) -> PreparedPopulation? {
    var effective = values
    if !isNested {
      var total = values[.person]
      for (parameter, variance) in zip(random.study, values.studies) {
        if let row = random.person.firstIndex(of: parameter) { total[row, row] += variance }
      }
      effective[.person] = total
      effective.studies = []
    }
    let spreads = PerLevel<PreparedPopulation.Spread>(ofAll: { level in
      effective[level].inverted.map { ($0.inverse, $0.logDeterminant) }
    })
    guard let spreads else { return nil }
    let means = likelihoods.map { likelihood in
      zip(likelihood.offsets, likelihood.covariates).map { offsets, covariates in
        var mean = zip(values.typical, offsets).map { $0 + $1 }
        for (index, parameter) in covariateParameters.enumerated() {
          mean[parameter] += values.coefficients[index] * covariates[index]
        }
        return mean
      }
    }
    return PreparedPopulation(
      means: means, residual: values.residual, estimatedResiduals: residual, spreads: spreads)
  }
}

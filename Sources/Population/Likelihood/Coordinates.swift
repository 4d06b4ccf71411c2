import AlcoholKinetics
import Estimation
import RealModule

/// The lower triangular factor of a covariance as numbers without bounds: its entries, of the diagonal their
/// logarithms.
struct CovarianceFactor: Sendable {
  let size: Int
  private let entries: [(row: Int, column: Int)]
  /// The variances that are held, by their rows.
  let held: [Int: Double]

  /// The smallest standard deviation of a logarithm that is looked for.
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
  /// The row of an entry of the diagonal; nil for the others.
  func diagonalRow(_ entry: Int) -> Int? {
    entries[entry].row == entries[entry].column ? entries[entry].row : nil
  }

  /// The names of the entries by those of the rows: of a diagonal `ka`, of a full factor also `ka,beta`.
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

  /// The numbers of a covariance.
  func numbers(_ covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    return entries.map { row, column in
      row == column ? .log(max(lower[row, row], Self.smallestSpread)) : lower[row, column]
    }
  }

  /// The covariance of numbers.
  func covariance(_ numbers: some Sequence<Double>) -> Dense {
    var lower = Dense(size, size)
    for (row, variance) in held { lower[row, row] = variance.squareRoot() }
    for ((row, column), number) in zip(entries, numbers) {
      lower[row, column] = row == column ? max(.exp(number), Self.smallestSpread) : number
    }
    return lower * lower.transposed
  }

  /// The gradient by the numbers of what changes by tr(A dOmega).
  func gradient(_ slope: Dense, at covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    let own = slope * lower
    return entries.map { row, column in
      2 * own[row, column] * (row == column ? lower[row, row] : 1)
    }
  }

  /// Standard errors of the variances by the delta method, from the covariance of the whole vector; NaN for one that is
  /// the smallest there can be.
  func standardErrors(_ errors: Dense, from begin: Int, at covariance: Dense) -> [Double] {
    let lower = factor(covariance)
    return (0..<size).map { row in
      var slope = [Double](repeating: 0, count: errors.rows)
      for (place, entry) in entries.enumerated() where entry.row == row {
        let own = lower[row, entry.column]
        slope[begin + place] = 2 * own * (entry.column == row ? own : 1)
      }
      let variance = max(0, dot(slope, errors * slope))
      return variance > 0 ? variance.squareRoot() : .nan
    }
  }
}

/// Where the values that are estimated stand in a vector without bounds: logarithms of typical values (within a range, of
/// the shares of it below and above), coefficients, the factors of the covariances between subjects, occasions and studies, and logarithms of the
/// residual error.
struct Coordinates: Sendable {
  let structure: Structure
  let random: RandomEffects
  /// Places of the parameters whose typical values are estimated.
  let typical: [Int]
  /// For each coefficient of a covariate the place of the parameter that it acts on.
  let covariateParameters: [Int]
  let factors: PerLevel<CovarianceFactor>
  let residual: [ResidualParameter]
  /// The logarithms of the ends of the ranges of typical values, by their places.
  let ranges: [Int: ClosedRange<Double>]

  init(_ model: PopulationModel) throws(PopulationFailure) {
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
    func places(_ some: [PopulationParameter]) -> [Int] {
      some.compactMap { parameters.firstIndex(of: $0) }
    }
    let random = RandomEffects { places(model[$0]) }
    self.random = random
    if let other = model.studyLevel.first(where: { !model.random.contains($0) }) {
      throw .badOptions(
        "studies differ in \(other.rawValue), in which people do not; let \(other.rawValue) be random"
      )
    }
    typical = parameters.indices.filter {
      !model.isPredicted(parameters[$0]) && model.fixedTypical[parameters[$0]] == nil
    }
    try Self.requirePlaces(of: model, parameters)
    ranges = Dictionary(
      uniqueKeysWithValues: typical.compactMap { place in
        model.bounds[parameters[place]].map { (place, .log($0.lowerBound) ... .log($0.upperBound)) }
      })
    covariateParameters = places(model.covariates.map(\.parameter))
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

  /// Refuses what is held, or has a range, of something that is not estimated.
  private static func requirePlaces(
    of model: PopulationModel, _ parameters: [PopulationParameter]
  ) throws(PopulationFailure) {
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

  /// Values to start from: with the variances that are held, and typical values well within their ranges.
  func holding(_ values: PopulationValues) -> PopulationValues {
    var values = values
    for (row, variance) in factors.person.held {
      values.between[row * factors.person.size + row] = variance
    }
    for (place, range) in ranges {
      let margin = 0.05 * (range.upperBound - range.lowerBound)
      values.typical[place] = Swift.min(
        range.upperBound - margin, Swift.max(range.lowerBound + margin, values.typical[place]))
    }
    return values
  }

  /// The share of its range that lies below a typical value; nil without a range.
  func share(_ values: PopulationValues, _ place: Int) -> Double? {
    ranges[place].map { range in
      let share = (values.typical[place] - range.lowerBound) / (range.upperBound - range.lowerBound)
      return Swift.min(1 - 1e-9, Swift.max(1e-9, share))
    }
  }

  /// How much the logarithm of a typical value moves with its number.
  func slope(_ values: PopulationValues, _ place: Int) -> Double {
    guard let range = ranges[place], let share = share(values, place) else { return 1 }
    return (range.upperBound - range.lowerBound) * share * (1 - share)
  }

  var coefficientCount: Int { covariateParameters.count }

  var count: Int {
    PopulationLevel.ofVectors.reduce(typical.count + coefficientCount + residual.count) {
      $0 + factors[$1].count
    }
  }

  /// The vector of values.
  func vector(_ values: PopulationValues) -> [Double] {
    typical.map { place in
      share(values, place).map { .log($0 / (1 - $0)) } ?? values.typical[place]
    } + values.coefficients
      + PopulationLevel.ofVectors.flatMap { factors[$0].numbers(values[$0]) }
      + residual.map { .log(values.residual[$0]) }
  }

  /// The values at a vector.
  func values(_ vector: [Double], from others: PopulationValues) -> PopulationValues {
    var values = others
    var rest = vector[...]
    for place in typical {
      let number = rest.removeFirst()
      values.typical[place] =
        ranges[place].map {
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

  /// The population at values; nil if Omega is not a covariance. Effects of studies are apart from those of subjects if it
  /// is nested; else a subject is one of a study that has not been seen.
  func prepared(
    _ values: PopulationValues, _ likelihoods: [SubjectLikelihood], isNested: Bool = false
  ) -> PreparedPopulation? {
    var own = values
    if !isNested {
      var total = values[.person]
      for (place, variance) in zip(random.study, values.studies) {
        if let row = random.person.firstIndex(of: place) { total[row, row] += variance }
      }
      own[.person] = total
      own.studies = []
    }
    let spreads = PerLevel<PreparedPopulation.Spread>(ofAll: { level in
      own[level].inverted.map { ($0.inverse, $0.logDeterminant) }
    })
    guard let spreads else { return nil }
    let means = likelihoods.map { likelihood in
      zip(likelihood.offsets, likelihood.covariates).map { offsets, covariates in
        var mean = zip(values.typical, offsets).map { $0 + $1 }
        for (place, effect) in covariateParameters.enumerated() {
          mean[effect] += values.coefficients[place] * covariates[place]
        }
        return mean
      }
    }
    return PreparedPopulation(
      means: means, residual: values.residual, estimatedResiduals: residual, spreads: spreads)
  }
}

package import AlcoholKinetics
import Estimation
import RealModule

/// A prior as the tables of a ``PopulationFile``, which is read as the same prior.
package struct PriorTables: Sendable {
  /// A typical value in the unit of reports, with the standard error of its logarithm.
  package typealias Typical = (parameter: PopulationParameter, value: Double, se: Double)
  /// A covariance of two logarithms.
  package typealias Spread = (
    parameter: PopulationParameter, other: PopulationParameter, covariance: Double
  )
  /// An effect of a covariate.
  package typealias Effect = (
    parameter: PopulationParameter, covariate: PopulationModel.Covariate, center: Double,
    coefficient: Double
  )

  package let model: EliminationModel
  package let title: String?
  package let isUndetermined: Bool
  package let typical: [Typical]
  /// Covariances between people, between the occasions of a person, and of the level of the study.
  package let between: [Spread]
  package let within: [Spread]
  package let studies: [Spread]
  package let effects: [Effect]
  /// The parts of the error of readings, by their names in files.
  package let errors: [(name: String, value: Double)]
  /// Fixed values without a typical value, as `lag=0`.
  package let held: [String]
  /// The food state, and the ranges of ages in years and of doses in g/kg, that the prior is about.
  package let food: String?
  package let ageY: ClosedRange<Double>?
  package let ethanolGPerKg: ClosedRange<Double>?

  /// Takes a prior apart.
  ///
  /// What is uncertain of typical values is among the covariances of the study's level. Only parameters that are the same for
  /// everybody keep it as their standard error, enlarged for few people when the file is read.
  ///
  /// - Parameter people: The number of subjects that the file will state; nil for none.
  /// - Throws: ``Problem`` if an r-factor method says what r is typical.
  package init(_ prior: PopulationPrior, people: Int?) throws(Problem) {
    if let method = prior.rFactor {
      throw .badOptions(
        "the prior takes r from \(method.name), and a file cannot say how far a study is from it. Learn in forecast and "
          + "fit instead: --learn-from STUDY")
    }
    let names = prior.structure.parameters
    let spread = prior.between + prior.within
    let level = prior.covariance - spread
    let varied = names.indices.filter { spread[$0, $0] > 0 }
    func rows(_ matrix: Dense, above none: Double = 0, least: Double = 0) -> [Spread] {
      let indices = varied.filter { matrix[$0, $0] + least > none }
      return indices.flatMap { row in
        indices.filter { $0 <= row }.map { column in
          let own = row == column ? max(least, matrix[row, row]) : matrix[row, column]
          return (names[row], names[column], own)
        }
      }
    }
    let factor = PopulationPrior.smallSampleFactor(people ?? .max)
    model = prior.elimination
    title = prior.title
    isUndetermined = prior.isUndetermined
    typical = names.indices.map { index in
      let own = varied.contains(index) ? 0 : max(0, level[index, index]) / factor
      return (
        names[index], names[index].reportedValue(.exp(prior.typical[index])), own.squareRoot()
      )
    }
    // Levels of studies count for what differs between people, as it does by next to nothing.
    between = rows(prior.between, least: 1e-12)
    within = rows(prior.within)
    // What is smaller may be rounding.
    studies = rows(level, above: PopulationPrior.smallestVariance)
    effects = prior.effects.map { (names[$0.parameter], $0.covariate, $0.center, $0.coefficient) }
    errors = prior.errors.rows
    held = prior.fixed.filter { !prior.structure.kinetic.contains($0.key) }
      .map { "\($0.key.rawValue)=\($0.key.reportedValue($0.value))" }.sorted()
    food = prior.domain.food?.rawValue
    ageY = prior.domain.ageY
    ethanolGPerKg = prior.domain.ethanolGPerKg
  }
}

extension PopulationPrior {
  /// One parameter: its typical value in the unit of reports, and standard deviations of its logarithm.
  package struct Part: Sendable {
    package let parameter: PopulationParameter
    package let value: Double
    /// The standard deviation of the study's level.
    package let levelSD: Double
    /// The standard deviation between people and their occasions.
    package let spreadSD: Double
  }

  /// The parameters, in the order of the file.
  package var parts: [Part] {
    structure.parameters.enumerated().map { index, parameter in
      let spread = between[index, index] + within[index, index]
      return Part(
        parameter: parameter, value: parameter.reportedValue(.exp(typical[index])),
        levelSD: max(0, covariance[index, index] - spread).squareRoot(),
        spreadSD: spread.squareRoot())
    }
  }
}

extension ReadingErrors {
  /// Its parts by their names in files.
  fileprivate var rows: [(name: String, value: Double)] {
    [("sd", typical.sd), ("cv", typical.cv), ("absorption_kg_per_g", absorption)].filter {
      $0.1 > 0
    }
      + (degreesOfFreedom.map { [("sd_df", Double($0))] } ?? [])
      + correlationTimes.map { ("correlation_min", 60 * $0.value) }
  }
}

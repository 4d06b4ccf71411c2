import AlcoholKinetics
import Estimation
import Foundation
package import Population

// The rows of the tables of a population fit.

/// A population fit among those of a study.
package struct PopulationRow: Sendable {
  package let rFactor: String
  package let fit: PopulationFit
  /// -2 ln L of the best fit; nil where fits cannot be compared.
  let lowest: Double?
  /// Where it stands among several fits.
  let place: PopulationRanking.Place?

  /// The rows of fits of one study.
  package static func all(_ fits: [(rFactor: String, fit: PopulationFit)]) -> [PopulationRow] {
    let ranking = PopulationRanking(fits.map(\.fit))
    let lowest =
      fits.count < 2 || ranking != nil ? fits.map(\.fit.minusTwoLogLikelihood).min() : nil
    return fits.enumerated().map { index, one in
      PopulationRow(
        rFactor: one.rFactor, fit: one.fit, lowest: lowest, place: ranking?.places[index])
    }
  }

  package var status: String { fit.status?.rawValue ?? "evaluated" }

  static let statuses =
    FitStatus.allCases.filter { [.ok, .undetermined, .notConverged].contains($0) }.map(\.rawValue)
    + ["evaluated"]

  var spreadOfR: Double? {
    let size = fit.model.random.count
    return fit.model.random.firstIndex(of: .kinetic(.r)).map {
      fit.values.between[$0 * size + $0].squareRoot()
    }
  }
}

struct TypicalValue: Sendable {
  let rFactor: String
  let parameter: String
  let unit: String
  let value: Double
  /// Of the logarithm.
  let error: Double?
  let robust: Double?
  let interval: Interval?
  let degreesOfFreedom: Int?

  static func rows(_ row: PopulationRow) -> [TypicalValue] {
    let fit = row.fit
    return fit.model.parameters.enumerated().compactMap { place, parameter in
      // Where a method predicts it, r has no typical value.
      guard !(fit.model.rFactor != nil && parameter == .kinetic(.r)) else { return nil }
      return TypicalValue(
        rFactor: row.rFactor, parameter: parameter.rawValue, unit: parameter.reportedUnit,
        value: parameter.reportedValue(fit.typicalValue(place)),
        error: fit.uncertainty?.typical[place],
        robust: fit.sandwich?.typical[place],
        interval: fit.typicalInterval(place).map {
          Interval(low: parameter.reportedValue($0.low), high: parameter.reportedValue($0.high))
        },
        degreesOfFreedom: fit.typicalInterval(place) == nil
          ? nil : fit.degreesOfFreedom(of: parameter))
    }
  }
}

/// A variance or covariance of logarithms, between people or between the occasions of one.
struct Spread: Sendable {
  let rFactor: String
  let parameter: String
  let other: String
  let covariance: Double
  let correlation: Double
  var variation: Double?
  var error: Double?
  var interval: Interval?
  var robust: Double?
  var shrinkage: Double?

  static func betweenPeople(_ row: PopulationRow) -> [Spread] {
    let fit = row.fit
    return lowerTriangle(row, fit.model.random, fit.values.between) { place, spread in
      spread.variation = 100 * (exp(spread.covariance) - 1).squareRoot()
      spread.error = fit.uncertainty?.between[place].ifFinite
      spread.interval = fit.varianceInterval(of: fit.model.random[place], between: .person)
      spread.robust = fit.sandwich?.between[place].ifFinite
      spread.shrinkage = fit.etaShrinkage[place].ifFinite
    }.filter { $0.isVariance || $0.covariance != 0 }
  }

  static func betweenOccasions(_ row: PopulationRow) -> [Spread] {
    let fit = row.fit
    return lowerTriangle(row, fit.model.occasional, fit.values.within) { place, spread in
      spread.error = fit.uncertainty?.within[place].ifFinite
      spread.interval = fit.varianceInterval(of: fit.model.occasional[place], between: .occasion)
    }.filter { $0.isVariance || fit.model.isFull }
  }

  private var isVariance: Bool { parameter == other }

  /// The entries of a covariance on and below its diagonal.
  ///
  /// - Parameter complete: Tells what else is known of a variance.
  private static func lowerTriangle(
    _ row: PopulationRow, _ parameters: [PopulationParameter], _ matrix: [Double],
    _ complete: (Int, inout Spread) -> Void
  ) -> [Spread] {
    func entry(_ one: Int, _ other: Int) -> Double { matrix[one * parameters.count + other] }
    return parameters.indices.flatMap { one in
      (0...one).map { other in
        var spread = Spread(
          rFactor: row.rFactor, parameter: parameters[one].rawValue,
          other: parameters[other].rawValue, covariance: entry(one, other),
          correlation: entry(one, other) / (entry(one, one) * entry(other, other)).squareRoot())
        if one == other { complete(one, &spread) }
        return spread
      }
    }
  }
}

struct StudySpread: Sendable {
  let rFactor: String
  let parameter: String
  let variance: Double
  let error: Double?
  let interval: Interval?

  static func rows(_ row: PopulationRow) -> [StudySpread] {
    row.fit.model.studyLevel.enumerated().map { place, parameter in
      StudySpread(
        rFactor: row.rFactor, parameter: parameter.rawValue,
        variance: row.fit.values.studies[place],
        error: row.fit.uncertainty?.studies[place].ifFinite,
        interval: row.fit.varianceInterval(of: parameter, between: .study))
    }
  }
}

struct CovariateEffect: Sendable {
  let rFactor: String
  let parameter: String
  let covariate: String
  let form: String
  let center: Double
  let coefficient: Double
  let error: Double?
  let interval: Interval?

  static func rows(_ row: PopulationRow) -> [CovariateEffect] {
    row.fit.model.covariates.enumerated().map { place, covariate in
      CovariateEffect(
        rFactor: row.rFactor, parameter: covariate.parameter.rawValue, covariate: covariate.name,
        form: covariate.form.rawValue, center: row.fit.centers[place],
        coefficient: row.fit.values.coefficients[place],
        error: row.fit.uncertainty?.coefficients[place],
        interval: row.fit.coefficientInterval(place))
    }
  }
}

struct ResidualError: Sendable {
  let rFactor: String
  let name: String
  let value: Double
  /// Of the logarithm.
  let error: Double?

  static func rows(_ row: PopulationRow) -> [ResidualError] {
    let (values, errors) = (row.fit.values, row.fit.uncertainty?.residual ?? [nil, nil])
    return [("sd", values.sd, errors[0]), ("cv", values.cv, errors[1])].filter { $0.1 > 0 }.map {
      ResidualError(rFactor: row.rFactor, name: $0.0, value: $0.1, error: $0.2)
    }
  }
}

struct IndividualValue: Sendable {
  let rFactor: String
  let subject: String
  let parameter: String
  let unit: String
  let value: Double
  let effect: Double?
  let error: Double?
  let contribution: Double

  static func rows(_ row: PopulationRow) -> [IndividualValue] {
    let model = row.fit.model
    return row.fit.individuals.flatMap { person in
      zip(model.parameters, person.values).map { parameter, value in
        let place = model.random.firstIndex(of: parameter)
        return IndividualValue(
          rFactor: row.rFactor, subject: person.subject, parameter: parameter.rawValue,
          unit: parameter.reportedUnit, value: parameter.reportedValue(value),
          effect: place.map { person.effects[$0] }, error: place.map { person.standardErrors[$0] },
          contribution: person.contribution)
      }
    }
  }
}

struct PopulationStart: Sendable {
  let rFactor: String
  let start: PopulationFit.Start
  let isAtBest: Bool

  static func rows(_ row: PopulationRow) -> [PopulationStart] {
    row.fit.starts.map {
      PopulationStart(rFactor: row.rFactor, start: $0, isAtBest: row.fit.isAtBest($0))
    }
  }
}

struct NotUsed: Sendable {
  let rFactor: String
  let one: PopulationFit.LeftOut

  static func rows(_ row: PopulationRow) -> [NotUsed] {
    row.fit.leftOut.map { NotUsed(rFactor: row.rFactor, one: $0) }
  }
}

extension PopulationMethod: ColumnValue {}
extension PopulationRanking.Standing: ColumnValue {}

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
    FitStatus.allCases.filter { $0 != .failed }.map(\.rawValue)
    + ["evaluated"]

  var spreadOfR: Double? {
    let size = fit.model.random.count
    return fit.model.random.firstIndex(of: .kinetic(.r)).map {
      fit.values.between[$0 * size + $0].squareRoot()
    }
  }
}

/// One of several parts of a population fit, and its place among them; tables have a row for each.
struct PopulationPart<Part: Sendable>: Sendable {
  let row: PopulationRow
  let place: Int
  let part: Part

  var rFactor: String { row.rFactor }
  var fit: PopulationFit { row.fit }

  static func all(_ row: PopulationRow, _ parts: [Part]) -> [Self] {
    parts.enumerated().map { Self(row: row, place: $0, part: $1) }
  }
}

extension PopulationPart<PopulationParameter> {
  /// The typical values; r has none where a method predicts it.
  static func typicalValues(_ row: PopulationRow) -> [Self] {
    all(row, row.fit.model.parameters).filter {
      row.fit.model.rFactor == nil || $0.part != .kinetic(.r)
    }
  }

  /// The standard error of the typical value in percent of it.
  func typicalError(_ kind: KeyPath<PopulationFit, PopulationFit.Uncertainty?>) -> Double? {
    fit[keyPath: kind].flatMap { $0.typical[place] }.map { 100 * $0 }
  }

  var typicalInterval: Interval? {
    fit.typicalInterval(place).map {
      Interval(low: part.reportedValue($0.low), high: part.reportedValue($0.high))
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

/// What is known of a parameter of a person.
struct IndividualValue: Sendable {
  let rFactor: String
  let person: PopulationFit.Individual
  let parameter: PopulationParameter
  let value: Double
  /// Where the parameter is among the random ones; nil if people do not differ in it.
  let place: Int?

  static func rows(_ row: PopulationRow) -> [IndividualValue] {
    let model = row.fit.model
    return row.fit.individuals.flatMap { person in
      zip(model.parameters, person.values).map { parameter, value in
        IndividualValue(
          rFactor: row.rFactor, person: person, parameter: parameter, value: value,
          place: model.random.firstIndex(of: parameter))
      }
    }
  }
}

extension PopulationMethod: ColumnValue {}
extension PopulationRanking.Standing: ColumnValue {}

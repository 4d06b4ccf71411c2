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
  /// Whether it has the lowest criterion of several fits, be it by digits that mean nothing.
  let isFirst: Bool
  /// The part of the variance of ln r that the method explains; nil without a fit of an estimated r beside it.
  let explained: Double?

  /// The rows of fits of one study.
  package static func all(_ fits: [(rFactor: String, fit: PopulationFit)]) -> [PopulationRow] {
    let ranking = PopulationRanking(fits.map(\.fit))
    let lowest =
      fits.count < 2 || ranking != nil ? fits.map(\.fit.minusTwoLogLikelihood).min() : nil
    let without = fits.first { $0.fit.model.rFactor == nil }?.fit.spreadOfR
    return fits.enumerated().map { index, one in
      let left = one.fit.model.rFactor == nil ? nil : one.fit.spreadOfR
      let explained = without.flatMap { without in
        left.flatMap { without > 0 ? 1 - $0 * $0 / (without * without) : nil }
      }
      return PopulationRow(
        rFactor: one.rFactor, fit: one.fit, lowest: lowest, place: ranking?.places[index],
        isFirst: ranking?.first == index, explained: explained)
    }
  }

  package var status: String { fit.status?.rawValue ?? "evaluated" }

  static let statuses = FitStatus.allCases.filter { $0 != .failed }.map(\.rawValue) + ["evaluated"]

  /// -2 ln L above that of the best fit.
  var aboveLowest: Double? { lowest.map { fit.minusTwoLogLikelihood - $0 } }

  /// The parameters of the residual error, with the standard errors of their logarithms.
  var residualErrors: [(rFactor: String, name: String, value: Double, error: Double?)] {
    let (values, errors) = (fit.values, fit.uncertainty?.residual ?? [nil, nil])
    return [("sd", values.sd, errors[0]), ("cv", values.cv, errors[1])].filter { $0.1 > 0 }.map {
      (rFactor, $0, $1, $2)
    }
  }

  /// Two estimates, or one with itself, by their places among all.
  typealias EstimatePair = (rFactor: String, all: PopulationEstimates, one: Int, other: Int)

  var estimates: [EstimatePair] {
    fit.estimates.map { all in
      all.names.indices.flatMap { one in (0...one).map { (rFactor, all, one, $0) } }
    } ?? []
  }

  /// What is known of a parameter of a person, and its place among the random ones; nil if people do not differ in it.
  typealias Individual = (
    rFactor: String, person: PopulationFit.Individual, parameter: PopulationParameter,
    value: Double, place: Int?
  )

  var individuals: [Individual] {
    fit.individuals.flatMap { person in
      zip(fit.model.parameters, person.values).map { parameter, value in
        (rFactor, person, parameter, value, fit.model.random.firstIndex(of: parameter))
      }
    }
  }
}

extension PopulationFit {
  /// The standard deviation of ln r between people; nil if they do not differ in it.
  var spreadOfR: Double? {
    variance(of: .kinetic(.r), between: .person)?.variance.squareRoot()
  }

  /// The coefficient of variation in percent that belongs to a variance of logarithms.
  static func percentVariation(_ variance: Double) -> Double {
    100 * (exp(variance) - 1).squareRoot()
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
  static func parameters(_ row: PopulationRow) -> [Self] { all(row, row.fit.model.parameters) }

  /// Whether there is a typical value: of r not where a method predicts it.
  var isTypical: Bool { fit.model.rFactor == nil || part != .kinetic(.r) }

  var typicalValue: Double { part.reportedValue(fit.typicalValue(place)) }

  /// The standard error of the typical value in percent of it.
  func typicalError(_ kind: KeyPath<PopulationFit, PopulationFit.Uncertainty?>) -> Double? {
    fit[keyPath: kind].flatMap { $0.typical[place] }.map { 100 * $0 }
  }

  var typicalInterval: Interval? {
    fit.typicalInterval(place)?.map(part.reportedValue)
  }

  /// The coefficient of variation in percent; nil if the parameter does not differ there.
  func variation(between level: PopulationLevel) -> Double? {
    fit.variance(of: part, between: level).map { PopulationFit.percentVariation($0.variance) }
  }
}

/// A variance or covariance of logarithms, between people or between the occasions of one.
struct Spread: Sendable {
  let row: PopulationRow
  private let level: PopulationLevel
  let one: PopulationParameter
  let other: PopulationParameter
  let covariance: Double
  let correlation: Double

  /// The entries of a covariance on and below its diagonal, but for those that the model has at zero.
  static func all(_ row: PopulationRow, between level: PopulationLevel) -> [Spread] {
    let (fit, isOfPeople) = (row.fit, level == .person)
    let parameters = isOfPeople ? fit.model.random : fit.model.occasional
    let matrix = isOfPeople ? fit.values.between : fit.values.within
    func entry(_ one: Int, _ other: Int) -> Double { matrix[one * parameters.count + other] }
    return parameters.indices.flatMap { one in
      (0...one).map { other in
        Spread(
          row: row, level: level, one: parameters[one], other: parameters[other],
          covariance: entry(one, other),
          correlation: entry(one, other) / (entry(one, one) * entry(other, other)).squareRoot())
      }
    }.filter { $0.isVariance || (isOfPeople ? $0.covariance != 0 : fit.model.isFull) }
  }

  private var isVariance: Bool { one == other }

  // What else is known of a variance.

  var variation: Double? { isVariance ? PopulationFit.percentVariation(covariance) : nil }

  var error: Double? { isVariance ? row.fit.variance(of: one, between: level)?.error : nil }

  var interval: Interval? { isVariance ? row.fit.varianceInterval(of: one, between: level) : nil }

  /// The standard error from the sandwich, between people.
  var robust: Double? { place.flatMap { row.fit.sandwich?.between[$0].ifFinite } }

  var shrinkage: Double? { place.flatMap { row.fit.etaShrinkage[$0].ifFinite } }

  private var place: Int? { isVariance ? row.fit.model.random.firstIndex(of: one) : nil }
}

extension PopulationMethod: ColumnValue {}
extension PopulationRanking.Standing: ColumnValue {}

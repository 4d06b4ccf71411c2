import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Estimation

/// Profiles of R's data sets Puromycin and Theoph against R's own (Tests/Tools/profile_r.R).
@Suite struct ProfileLikelihoodTests {
  /// The rate of a reaction by V_max and K (Michaelis & Menten 1913).
  private static let michaelisMenten: ProfiledFormula.Curve = { _, x, parameters in
    let (vmax, k) = (parameters[0], parameters[1])
    return (vmax * x / (k + x), [x / (k + x), -vmax * x / ((k + x) * (k + x))])
  }

  /// One compartment with absorption, elimination and clearance of first order, by the logarithms
  /// of k_e, k_a and the clearance.
  private static let firstOrder: ProfiledFormula.Curve = { dose, x, parameters in
    let (ke, ka, clearance) = (
      exp(parameters[0]), exp(parameters[1]), exp(parameters[2])
    )
    let (fall, rise) = (exp(-ke * x), exp(-ka * x))
    let size = dose * ke * ka / (clearance * (ka - ke))
    let value = size * (fall - rise)
    return (
      value,
      [
        value * ka / (ka - ke) - size * ke * x * fall,
        -value * ke / (ka - ke) + size * ka * x * rise,
        -value,
      ]
    )
  }

  /// A subject of a data set.
  private struct Subject: Hashable {
    let dataset: String
    let subject: String

    init(_ row: [String: String]) {
      dataset = row["dataset"] ?? ""
      subject = row["subject"] ?? ""
    }
  }

  private static let parameters = ["Puromycin": ["Vm", "K"], "Theoph": ["lKe", "lKa", "lCl"]]

  private func index(_ row: [String: String]) throws -> Int {
    try #require(Self.parameters[row["dataset"] ?? ""]?.firstIndex(of: row["parameter"] ?? ""))
  }

  private func formulas() throws -> [Subject: ProfiledFormula] {
    let rows = try PackageFolder.expectations("fit-profile-data")
    return try Dictionary(grouping: rows, by: Subject.init).mapValues { rows in
      let isTheoph = rows[0]["dataset"] == "Theoph"
      return try ProfiledFormula(
        isTheoph ? Self.firstOrder : Self.michaelisMenten,
        dose: try rows[0].number("dose") ?? 0,
        x: try rows.map { try $0.known("x") }, y: try rows.map { try $0.known("y") },
        start: isTheoph ? [-2.5, 0.5, -3.2] : [200, 0.05])
    }
  }

  /// R interpolates its profile by a spline, to about 1e-3 of a standard error.
  @Test func profileLimitsAgreeWithR() throws {
    let formulas = try formulas()
    let rows = try PackageFolder.expectations("fit-profile-r")
    #expect(rows.count > 30)
    for row in rows {
      let formula = try #require(formulas[Subject(row)])
      let index = try index(row)
      let error = formula.standardErrors[index]
      #expect(agree(formula.rss, try row.number("rss"), relative: 1e-9), "\(row)")
      #expect(
        agree(formula.center[index], try row.number("estimate"), absolute: 1e-5 * error), "\(row)")
      #expect(agree(error, try row.number("se"), relative: 1e-5), "\(row)")
      var profile = ProfileLikelihood(formula, index: index)
      let interval = try profile.interval(standardError: error)
      #expect(agree(interval.low, try row.number("low"), absolute: 1e-3 * error), "\(row)")
      #expect(agree(interval.high, try row.number("high"), absolute: 1e-3 * error), "\(row)")
      #expect(interval.isIdentifiable == true)
    }
  }

  /// Points of a profile R does not interpolate: tau is the signed root of (S - S_min)/s^2.
  @Test func profilePointsAgreeWithR() throws {
    let formulas = try formulas()
    let data = try PackageFolder.expectations("fit-profile-data")
    for row in try PackageFolder.expectations("fit-profile-tau-r") {
      let formula = try #require(formulas[Subject(row)])
      let index = try index(row)
      var profile = ProfileLikelihood(formula, index: index)
      let value = try row.known("value")
      var rise = 0.0
      // In steps, for the others to follow.
      for step in 1...16 {
        let share = Double(step) / 16
        rise = try profile.rise(at: formula.center[index] + share * (value - formula.center[index]))
      }
      let count = data.count { Subject($0) == Subject(row) }
      let nu = Double(count - formula.center.count)
      let size = (nu * expm1(rise / nu)).squareRoot()
      let tau = value < formula.center[index] ? -size : size
      #expect(agree(tau, try row.number("tau"), absolute: 1e-5), "\(row)")
    }
  }
}

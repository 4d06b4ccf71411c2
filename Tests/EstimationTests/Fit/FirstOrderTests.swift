import AlcoholKinetics
import Estimation
import Foundation
import StudyData
import TestSupport
import Testing

/// First-order elimination: its closed form in the literature, its limits, and R's fits of a public study.
/// The rest of what a model promises is tested for every model: `RouteTests`, `CurveObjectiveTests`.
@Suite struct FirstOrderTests {
  private static func curve(
    ka: Double, ke: Double, _ doses: [Dose]
  ) throws -> any BloodCurve {
    try ModelParameters(.firstOrder, [.ka: ka, .ke: ke, .r: 0.7]).curve(of: Regimen(doses))
  }

  /// Bateman's function, at equal rate constants its limit, and next to them nothing else.
  @Test(
    arguments: [
      (2, 0.3), (0.3, 2), (18, 0.15), (1, 1), (1, 1 + 1e-12), (1, 1 + 1e-7),
    ] as [(Double, Double)])
  func curveMatchesBatemansFunction(ka: Double, ke: Double) throws {
    let curve = try Self.curve(ka: ka, ke: ke, [try Dose(start: 0, amount: 0.7)])
    for time in stride(from: 0.1, through: 12, by: 0.1) {
      let difference = ka - ke
      let expected =
        abs(difference) < 1e-6
        ? ka * time * exp(-ke * time) * (1 - difference * time / 2)
        : ka / difference * (exp(-ke * time) - exp(-ka * time))
      #expect(abs(curve.concentration(at: Hours(time)).value - expected) < 1e-12, "\(time) h")
    }
    // t_max = ln(k_a / k_e) / (k_a - k_e).
    let peak = try #require(curve.peak)
    let expected = abs(ka - ke) < 1e-6 ? 1 / ka : log(ka / ke) / (ka - ke)
    #expect(abs(peak.time.value - expected) < 1e-6)
  }

  /// Flip-flop: with the rate constants exchanged the curve is another by their ratio.
  @Test func curveIsSymmetricInRateConstants() throws {
    let dose = [try Dose(start: 0, duration: 1, amount: 0.7)]
    let (one, other) = (
      try Self.curve(ka: 2, ke: 0.3, dose), try Self.curve(ka: 0.3, ke: 2, dose)
    )
    for time in [2.0, 3, 5, 9] {
      let (left, right) = (
        one.concentration(at: Hours(time)).value, other.concentration(at: Hours(time)).value
      )
      #expect(abs(left / right / (2 / 0.3) - 1) < 1e-12)
    }
  }

  /// With K_m far above every concentration, Michaelis-Menten elimination is of first order.
  @Test func largeKmTendsToFirstOrder() throws {
    let doses = [
      try Dose(start: 0, duration: 0.5, amount: 0.3),
      try Dose(start: 1, duration: 2, amount: 0.2, route: .intravenous),
    ]
    let first = try Self.curve(ka: 2, ke: 0.3, doses)
    for km in [1e3, 1e5] {
      let saturable = try ModelParameters(
        .michaelisMenten, [.ka: 2, .vmax: 0.3 * km, .km: km, .r: 0.7]
      )
      .curve(of: Regimen(doses))
      for time in [0.3, 1, 2, 4, 8] {
        let (one, other) = (
          first.concentration(at: Hours(time)), saturable.concentration(at: Hours(time))
        )
        #expect(abs(other / one - 1) < 2 / km, "K_m \(km) at \(time) h")
      }
    }
  }

  /// Injected, it halves again and again: the time to any threshold is known.
  @Test func declineFollowsTheHalfLife() throws {
    let curve = try Self.curve(
      ka: 6, ke: 0.5, [try Dose(start: 1, amount: 0.7, route: .intravenous)])
    for halves in [1, 2, 10, 30, 300] {
      let level = GramsPerKilogram(pow(2, -Double(halves)))
      let time = try #require(curve.timeToThreshold(level))
      #expect(abs(time.value - 1 - Double(halves) * log(2) / 0.5) < 1e-10 * Double(halves))
    }
    #expect(curve.timeToThreshold(0) == nil && curve.timeToThreshold(1) == nil)
  }

  /// Extreme rate constants cause no crash, no negative concentration and none above the dose.
  @Test func extremeRateConstantsStayInRange() throws {
    for ka in [1e-300, 1e-3, 1, 1e3, 1e300] {
      for ke in [1e-300, 1e-4, 1, 100, 1e300] {
        let curve = try Self.curve(ka: ka, ke: ke, [try Dose(start: 0, duration: 0.5, amount: 0.7)])
        for time in [1e-9, 0.3, 0.5, 2, 1e3, 1e9] {
          let value = curve.concentration(at: Hours(time)).value
          #expect(value >= 0 && value <= 1 + 1e-12, "k_a \(ka), k_e \(ke) at \(time) h: \(value)")
        }
        _ = (curve.peak, curve.timeToThreshold(0.001), curve.timeToThreshold(0.9))
      }
    }
    #expect(throws: Problem.self) {
      try Self.curve(ka: 1, ke: 0, [try Dose(start: 0, amount: 1)])
    }
  }

  /// The twelve people of Theoph (Boeckmann, Sheiner and Beal 1994) as R's `nls` with `SSfol` fits them
  /// (`Tests/Tools/profile_r.R`): ln k_e, ln k_a and ln of the clearance k_e V. Doses and readings are
  /// tenths of theirs; V is r. R counts the reading at 0 h, which no parameter moves, for its variance.
  @Test func theophyllineFitAgreesWithR() throws {
    let data = try PackageFolder.expectations("fit-profile-data").filter {
      $0["dataset"] == "Theoph"
    }
    let expected = try PackageFolder.expectations("fit-profile-r")
      .filter { $0["dataset"] == "Theoph" }
    // Of the two minima that flip-flop makes, the one with the faster absorption.
    let fitter = try SeriesFitter(
      options: FitOptions(
        model: .firstOrder, estimate: [.ka, .ke, .r], bounds: [.ka: 0.25...20, .ke: 0.01...0.2],
        interval: IntervalOptions(kind: .wald)))
    let subjects = Set(data.compactMap { $0["subject"] })
    #expect(subjects.count == 11 || subjects.count == 12)
    for subject in subjects {
      let rows = data.filter { $0["subject"] == subject }
      let dose = try #require(rows[0]["dose"].flatMap(Double.init)) / 10
      let points = try rows.map { row in
        (
          try #require(row["x"].flatMap(Double.init)),
          try #require(row["y"].flatMap(Double.init)) / 10
        )
      }
      let fit = try fitter.fit(
        Series(
          subject: Subject(id: subject, weight: 70),
          drinks: [Drink(time: 0, ethanol: .perBodyWeight(GramsPerKilogram(dose)))],
          readings: points.map {
            Reading(time: Hours($0.0), value: $0.1, unit: .bloodGramsPerKilogram)
          }))
      let r = expected.filter { $0["subject"] == subject }
      let values = Dictionary(uniqueKeysWithValues: r.map { ($0["parameter"] ?? "", $0) })
      func known(_ parameter: String, _ column: String) throws -> Double {
        try #require(values[parameter]?[column].flatMap(Double.init))
      }
      let (ka, ke, volume) = (
        try #require(fit.values[.ka]), try #require(fit.values[.ke]), try #require(fit.values[.r])
      )
      #expect(abs(log(ke) - (try known("lKe", "estimate"))) < 2e-5, "\(subject)")
      #expect(abs(log(ka) - (try known("lKa", "estimate"))) < 2e-5, "\(subject)")
      #expect(abs(log(ke * volume) - (try known("lCl", "estimate"))) < 2e-5, "\(subject)")

      let early = points.filter { $0.0 <= 0 }.reduce(0) { $0 + $1.1 * $1.1 } * 100
      let rss = try known("lKe", "rss")
      let (all, used) = (Double(points.count), Double(fit.usedCount))
      let factor = ((rss - early) / (used - 3) / (rss / (all - 3))).squareRoot()
      for (parameter, name, value) in [(FitParameter.ke, "lKe", ke), (.ka, "lKa", ka)] {
        let error = try #require(fit.estimates[parameter]?.standardError) / value
        #expect(abs(error / (try known(name, "se") * factor) - 1) < 1e-4, "\(name) of \(subject)")
      }
    }
  }
}

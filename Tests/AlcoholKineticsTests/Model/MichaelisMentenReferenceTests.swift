import TestSupport
import Testing

@testable import AlcoholKinetics

/// Curves and sensitivities against `Tests/Tools/michaelis_menten_scipy.py`.
@Suite struct MichaelisMentenReferenceTests {
  /// The first goal on accuracy, as the head of `MichaelisMenten.swift` states it.
  static let tolerance = 1e-9

  struct Case: Sendable {
    let name: String
    let rows: [[String: Double]]
    let regimen: Regimen
    let parameters: MichaelisMentenParameters
  }

  static let cases = Result { try readCases() }

  @Test func michaelisMentenCurvesAgreeWithSciPy() throws {
    let cases = try Self.cases.get()
    #expect(cases.count == 10)
    for reference in cases {
      var walk = CurveWalk(reference.regimen, reference.parameters)
      for row in reference.rows {
        walk.advance(toHours: try row.number("time_h"))
        #expect(!walk.hasFailed)
        try expect(walk, row, reference.name)
      }
    }
  }

  private func expect(
    _ walk: CurveWalk<MichaelisMentenKinetics>, _ row: [String: Double], _ name: String
  ) throws {
    let time = try row.number("time_h")
    let concentration = try row.number("c_g_per_kg")
    let vmax = try row.number("vmax_g_per_kg_h")
    let sensitivities = walk.sensitivities
    // By the logarithm of each parameter, in g/kg; by the lag in g/kg/h, which where elimination
    // keeps up with absorption is a small difference of the two.
    let columns: [(column: String, actual: Double, factor: Double)] = [
      ("c_g_per_kg", walk.concentration, 1),
      ("by_ka", sensitivities.byKa, try row.number("ka_per_h")),
      ("by_vmax", sensitivities.byVmax, vmax),
      ("by_km", sensitivities.byKm, try row.number("km_g_per_kg")),
      ("by_scale", sensitivities.byDoseScale, 1),
      ("by_lag", sensitivities.byLag, 1),
    ]
    for (column, actual, factor) in columns {
      let expected = try row.number(column) * factor
      let allowed =
        Self.tolerance * max(abs(expected), 1e-3 * concentration) + 1e-15
        + (column == "by_lag" ? Self.tolerance * vmax : 0)
      #expect(abs(actual * factor - expected) <= allowed, "\(name), \(column) at \(time) h")
    }
  }

  private static func readCases() throws -> [Case] {
    let rows = try PackageFolder.expectations("michaelis-menten")
    var names: [String] = []
    for row in rows {
      let name = try #require(row["case"])
      if names.last != name { names.append(name) }
    }
    return try names.map { name in
      let texts = rows.filter { $0["case"] == name }
      let first = try #require(texts.first)
      return Case(
        name: name, rows: texts.map { $0.compactMapValues(Double.init) },
        regimen: try regimen(try #require(first["doses"])),
        parameters: try parameters(first.compactMapValues(Double.init)))
    }
  }

  private static func regimen(_ text: String) throws -> Regimen {
    Regimen(
      try text.split(separator: ";").map { dose in
        let numbers = dose.split(separator: ":").compactMap { Double($0) }
        try #require(numbers.count == 3)
        return try Dose(
          start: Hours(numbers[0]), duration: Hours(numbers[1]),
          amount: GramsPerKilogram(numbers[2]))
      })
  }

  private static func parameters(_ row: [String: Double]) throws -> MichaelisMentenParameters {
    try MichaelisMentenParameters(
      ka: PerHour(try row.number("ka_per_h")),
      vmax: GramsPerKilogramHour(try row.number("vmax_g_per_kg_h")),
      km: GramsPerKilogram(try row.number("km_g_per_kg")),
      r: RFactor(try row.number("r")),
      lag: Hours(try row.number("lag_h")),
      absorbedFraction: try row.number("absorbed_fraction"))
  }
}

extension [String: Double] {
  fileprivate func number(_ column: String) throws -> Double {
    try #require(self[column])
  }
}

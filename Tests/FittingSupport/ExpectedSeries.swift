import AlcoholKinetics
import Foundation
package import StudyData
import TestSupport

/// Series that independent programs fitted: one drink in g/kg, and readings in g/kg.
package enum ExpectedSeries {
  /// The series of the subject that a row of expectations is about.
  ///
  /// - Parameters:
  ///   - row: Has the columns `subject` and `dose_g_per_kg`.
  ///   - table: The table of readings among the expectations.
  package static func series(_ row: [String: String], readingsIn table: String) throws -> Series {
    let readings = try PackageFolder.expectations(table)
      .filter { $0["subject"] == row["subject"] }
    return Series(
      subject: Subject(id: row["subject"] ?? ""),
      drinks: [
        Drink(time: 0, ethanol: .perBodyWeight(GramsPerKilogram(try row.known("dose_g_per_kg"))))
      ],
      readings: try readings.map {
        Reading(
          time: Hours(minutes: try $0.known("time_min")), value: try $0.known("bac_g_per_kg"),
          unit: .bloodGramsPerKilogram)
      })
  }
}

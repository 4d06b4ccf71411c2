import Foundation
package import StudyData
package import StudyFiles
package import TestSupport

/// A small study in memory, sound unless a test spoils one of its files.
package struct StudySample: Sendable {
  package var subjects, drinks: String
  package var readings: String?
  package var descriptor: String?
  /// Makes it a study of estimates, without series.
  package var estimates: String?

  package init(
    subjects: String = "subject,sex,age_y,height_cm,weight_kg\nann,female,30,165,60\n",
    drinks: String = "subject,time_min,ethanol_g\nann,0,40\n",
    readings: String? = "subject,time_min,bac_g_per_kg\nann,30,0.5\nann,60,0.4\n",
    descriptor: String? = nil, estimates: String? = nil
  ) {
    self.subjects = subjects
    self.drinks = drinks
    self.readings = readings
    self.descriptor = descriptor
    self.estimates = estimates
  }

  /// Every column that `estimates.csv` may have.
  package static let estimateHeader =
    "subject,sex,age_y,height_cm,weight_kg,ethanol_g,c0_g_per_kg,r_observed,"
    + "beta60_g_per_kg_h,c0_breath_mg_per_l\n"

  /// Reads the study without touching the disk.
  package func read() throws(StudyError) -> Study {
    try folder().study()
  }

  /// Reads the study of estimates without touching the disk.
  package func readEstimates() throws(StudyError) -> EstimateStudy {
    try EstimateReader.read(folder())
  }

  /// All that is found in the study, whether reading it throws or not.
  package var findings: [Diagnostic] {
    do throws(StudyError) {
      return estimates == nil ? try read().allDiagnostics : try readEstimates().allDiagnostics
    } catch {
      return error.diagnostics
    }
  }

  /// The only series.
  package func onlySeries() throws -> Series {
    let study = try read()
    guard let series = study.series.first, study.series.count == 1 else {
      throw UnexpectedCount(count: study.series.count)
    }
    return series
  }

  /// Opens the study without touching the disk.
  package func folder(blockSize: Int = InputFile.defaultBlockSize) -> StudyInput {
    let texts: [(StudyFile, String?)] = [
      (.subjects, subjects), (.drinks, drinks), (.readings, readings), (.descriptor, descriptor),
      (.estimates, estimates),
    ]
    return StudyInput(texts.map { ($0, $1.map { Data($0.utf8) }) }, blockSize: blockSize)
  }
}

/// Says that a study has not the one series a test asks for.
private struct UnexpectedCount: Error {
  var count: Int
}

extension TemporaryFolder {
  /// Writes a whole study.
  package func write(_ sample: StudySample) throws {
    try write(sample.subjects, to: "subjects.csv")
    try write(sample.drinks, to: "drinks.csv")
    if let readings = sample.readings { try write(readings, to: "readings.csv") }
    if let descriptor = sample.descriptor { try write(descriptor, to: "datapackage.json") }
  }
}

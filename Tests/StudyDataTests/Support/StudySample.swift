import Foundation

@testable import StudyData

/// A small study in memory, sound unless a test spoils one of its files.
struct StudySample: Sendable {
  var subjects = "subject,sex,age_y,height_cm,weight_kg\nann,female,30,165,60\n"
  var drinks = "subject,time_min,ethanol_g\nann,0,40\n"
  var readings: String? = "subject,time_min,bac_g_per_kg\nann,30,0.5\nann,60,0.4\n"
  var descriptor: String?
  /// Makes it a study of estimates, without series.
  var estimates: String?

  /// Every column that `estimates.csv` may have.
  static let estimateHeader =
    "subject,sex,age_y,height_cm,weight_kg,ethanol_g,c0_g_per_kg,r_observed,"
    + "beta60_g_per_kg_h,c0_breath_mg_per_l\n"

  /// Reads the study without touching the disk.
  func read() throws(StudyError) -> Study {
    try StudyReader.read(folder())
  }

  /// Reads the study of estimates without touching the disk.
  func readEstimates() throws(StudyError) -> EstimateStudy {
    try EstimateReader.read(folder())
  }

  /// All that is found in the study, whether reading it throws or not.
  var findings: [Diagnostic] {
    do throws(StudyError) {
      return estimates == nil ? try read().allDiagnostics : try readEstimates().allDiagnostics
    } catch {
      return error.diagnostics
    }
  }

  /// The only series.
  func onlySeries() throws -> Series {
    let study = try read()
    guard let series = study.series.first, study.series.count == 1 else {
      throw UnexpectedCount(count: study.series.count)
    }
    return series
  }

  /// Opens the study without touching the disk.
  func folder(blockSize: Int = InputFile.defaultBlockSize) -> StudyFolder {
    let texts: [(StudyFile, String?)] = [
      (.subjects, subjects), (.drinks, drinks), (.readings, readings), (.descriptor, descriptor),
      (.estimates, estimates),
    ]
    return StudyFolder(texts.map { ($0, $1.map { Data($0.utf8) }) }, blockSize: blockSize)
  }
}

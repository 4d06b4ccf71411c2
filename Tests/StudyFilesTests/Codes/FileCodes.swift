import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about the text of a file.
enum FileCodes {
  private static let header = "subject,sex,age_y,height_cm,weight_kg,note\n"
  private static let readings = "subject,time_min,bac_g_per_kg\n"

  static let cases: [CodeCase] = [
    CodeCase(.emptyFile, in: .subjects, "", says: "empty"),
    CodeCase(.emptyFile, in: .subjects, "\u{FEFF} \n\n", says: "empty"),
    CodeCase(.emptyFile, in: .subjects, header, says: "no row"),
    CodeCase(.emptyFile, in: .drinks, "\n"),
    CodeCase(.emptyFile, in: .readings, ""),
    CodeCase(.noReadings, in: .readings, readings),

    CodeCase(.encoding, in: .drinks, "subject,time_min\nann,\0", at: 2, 5, says: "NUL"),

    CodeCase(.csv, in: .subjects, header + "ann,f,30,165,60,\"x\ny\n", at: 2, 17, says: "closed"),
    CodeCase(
      .csv, in: .subjects, header + "ann,f,30,165,60,\"x\"y\n", at: 2, 20, says: "follows"),
    CodeCase(
      .csv, in: .subjects, header + "ann,f,30,165,60,5\" beer\n", at: 2, 18, says: "inside"),
    CodeCase(.csv, in: .subjects, "subject,\"sex\"x\nann,f\n", at: 1, 14),

    CodeCase(.csv, in: .drinks, "subject,time_min,ethanol_g\rann,0,40\r", at: 1, 27),
    CodeCase(.csv, in: .readings, readings + "ann,1,0.5\rann,2,0.4\n", at: 2, 10),

    CodeCase(.csv, in: .readings, readings + "ann,1\n", at: 2, says: "2 fields"),
    CodeCase(.csv, in: .readings, readings + "\nann,1,0,5\n", at: 3, says: "4 fields"),
  ]
}

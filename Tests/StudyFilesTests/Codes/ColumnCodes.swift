import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about the columns of a table.
enum ColumnCodes {
  static let cases: [CodeCase] = [
    CodeCase(
      .columnMissing, in: .subjects, "name,sex,age_y,height_cm,weight_kg\nann,f,30,165,60\n", at: 1,
      says: "it has name, sex, age_y, height_cm, weight_kg"),
    CodeCase(.columnMissing, in: .drinks, "subject,ethanol_g\nann,40\n", at: 1, says: "time_min"),
    CodeCase(.columnMissing, in: .drinks, "subject,time_min\nann,0\n", at: 1, says: "dose"),
    CodeCase(
      .columnMissing, in: .drinks, "subject,time_min,volume_ml\nann,0,500\n", at: 1,
      says: "abv_percent"),
    CodeCase(
      .columnMissing, in: .drinks, "subject,time_min,abv_percent\nann,0,5\n", at: 1,
      says: "volume_ml"),
    CodeCase(
      .columnMissing, in: .readings, "\nsubject,bac_g_per_kg\nann,0.5\n", at: 2, says: "time_min"),

    CodeCase(
      .columnAmbiguous, in: .drinks, "subject,time_min,ethanol_g,Time_Min\nann,0,40,0\n", at: 1, 28,
      says: "repeats column 9"),

    CodeCase(
      .columnMissing, in: .readings, "subject,time_min\nann,0\n", at: 1, says: "it has subject"),
    CodeCase(
      .columnAmbiguous, in: .readings, "subject,time_min,bac_g_per_kg,brac_mg_per_l\nann,0,1,0.5\n",
      at: 1, 31, says: "bac_g_per_kg, brac_mg_per_l"),

    CodeCase(
      .columnMissing, in: .drinks, "subject,occasion,time_min,ethanol_g\nann,1,0,40\n",
      occasionIn: .readings),
    CodeCase(
      .columnMissing, in: .readings, "subject,occasion,time_min,bac_g_per_kg\nann,1,0,0.5\n",
      occasionIn: .drinks),

    CodeCase(
      .columnIgnored, in: .drinks, "subject,time_min,ethanol_g,what\nann,0,40,beer\n", at: 1, 28,
      says: "\"what\""),
    CodeCase(
      .columnIgnored, in: .readings, "subject,time_min,bac_g_per_kg,\nann,5,0.5,\n", at: 1, 31,
      says: "without a name"),

    CodeCase(
      .measureColumnMissing, in: .subjects, "subject,gender,age_y,height_cm\nann,f,30,165\n", at: 1,
      says: "sex, weight_kg"),
  ]
}

extension CodeCase {
  /// Gives one table occasions; the finding is about the other.
  fileprivate init(
    _ code: DiagnosticCode, in file: StudyFile, _ text: String, occasionIn other: StudyFile
  ) {
    self.init(code, in: file, text, says: file.rawValue)
    self.file = other
  }
}

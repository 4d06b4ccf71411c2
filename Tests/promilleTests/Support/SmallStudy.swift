import Foundation
import TestSupport

/// A study of three people with nothing wrong, unless a test changes it.
struct SmallStudy {
  var subjects = """
    subject,sex,age_y,height_cm,weight_kg
    ann,female,30,165,60
    bob,male,40,180,70
    cem,male,50,175,70

    """
  var drinks = "subject,time_min,ethanol_g\nann,0,30\nbob,0,40\ncem,0,40\n"
  var readings = SmallStudy.readings(of: "ann", "bob", "cem")

  /// A curve that the model can follow, k_a 4 /h, beta 0.15 g/kg/h and r 0.68 for 40 g in 70 kg.
  static func readings(of subjects: String...) -> String {
    let curve = [
      (15, 0.494), (30, 0.652), (60, 0.675), (120, 0.540), (180, 0.390), (240, 0.240),
      (300, 0.090), (360, 0),
    ]
    let rows = subjects.flatMap { subject in curve.map { "\(subject),\($0.0),\($0.1)\n" } }
    return "subject,time_min,bac_g_per_kg\n" + rows.joined()
  }

  /// With bob's first reading below zero: an error in the data of one of three subjects.
  static var withBadSubject: SmallStudy {
    var study = SmallStudy()
    study.readings = study.readings.replacing("bob,15,0.494", with: "bob,15,-0.494")
    return study
  }

  /// With cem's readings out of order: a warning.
  static var withWarning: SmallStudy {
    var study = SmallStudy()
    study.readings = readings(of: "ann", "bob") + "cem,60,0.675\ncem,30,0.652\ncem,240,0.24\n"
    return study
  }

  /// With a row that is no CSV.
  static var malformed: SmallStudy {
    var study = SmallStudy()
    study.readings += "cem,420,\"0.1\n"
    return study
  }

  /// With many more people, who are read every so many minutes.
  static func large(subjects: Int, readings: Int, every minutes: Int) -> SmallStudy {
    var large = SmallStudy()
    for subject in 0..<subjects {
      large.subjects += "s\(subject),male,40,180,70\n"
      large.drinks += "s\(subject),0,40\n"
      large.readings += (1...readings).map { "s\(subject),\($0 * minutes),0.5\n" }.joined()
    }
    return large
  }

  /// Writes the study into a folder and says where.
  func write(to folder: TemporaryFolder, as name: String = "study") throws -> String {
    try folder.makeFolder(name)
    try folder.write(subjects, to: "\(name)/subjects.csv")
    try folder.write(drinks, to: "\(name)/drinks.csv")
    try folder.write(readings, to: "\(name)/readings.csv")
    return folder(name)
  }
}

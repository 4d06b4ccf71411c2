import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about subjects, and about the subject of a row.
enum SubjectCodes {
  private static let readings = "subject,time_min,bac_g_per_kg\n"
  private static let drinks = "subject,time_min,ethanol_g\nann,0,40\n"
  private static let subjects = "subject,sex,age_y,height_cm,weight_kg\nann,f,30,165,60\n"

  static let cases: [CodeCase] = [
    .subject(.sex, "ann,x,30,165,60", 5, says: "sex is \"x\""),
    .subject(.sex, "ann,1,30,165,60", 5, says: "sex is \"1\""),
    food("lunch", says: "food is \"lunch\""),
    food("fastd", says: "neither fasted nor fed"),
    .subject(.range, "ann,f,-1,165,60", 7, says: "age_y is \"-1\""),
    .subject(.range, "ann,f,131,165,60", 7),
    .subject(.range, "ann,f,30,1.65,60", 10, says: "metres"),
    .subject(.range, "ann,f,30,49.9,60", 10),
    .subject(.range, "ann,f,30,-165,60", 10),
    .subject(.range, "ann,f,30,261,60", 10),
    .subject(.range, "ann,f,30,165,0", 14),
    .subject(.range, "ann,f,30,165,-60", 14),
    .subject(.range, "ann,f,30,165,401", 14),
    .subject(.weightMissing, "ann,f,30,165,NA", 14, says: "\"ann\""),
    CodeCase(
      .seriesReadings, in: .readings, readings + "ann,30,\n", at: 2, 1, says: "\"ann\" has no"
    ).with { $0.file = .drinks },

    CodeCase(
      .duplicate, in: .subjects, subjects + "ann,m,20,180,80\n", at: 3, 1, says: "line 2"),

    CodeCase(
      .subjectCase, in: .subjects, subjects + "Ann,f,30,165,60\n", at: 3, 1, says: "\"Ann\""
    ).with {
      $0.sample.drinks = drinks + "Ann,0,40\n"
      $0.sample.readings = readings + "ann,60,0.5\nAnn,60,0.5\n"
    },

    CodeCase(.subject, in: .subjects, subjects + ",f,30,165,60\n", at: 3, 1),
    CodeCase(.subject, in: .drinks, drinks + " NA ,0,40\n", at: 3, 1),
    CodeCase(.subject, in: .readings, readings + "\"\",5,\n", at: 2, 1),

    CodeCase(
      .subject, in: .drinks, drinks + "bob,0,40\nbob,9,40\n", at: 3, 1, says: "\"bob\""),
    CodeCase(
      .subject, in: .readings, readings + "ann,30,0.5\nAnn,0,0.5\n", at: 3, 1,
      says: "\"Ann\""),
  ]

  private static func food(_ word: String, says: String) -> CodeCase {
    CodeCase(
      .word, in: .subjects, "subject,sex,age_y,height_cm,weight_kg,food\nann,f,30,165,60,\(word)\n",
      at: 2, 17, says: says)
  }
}

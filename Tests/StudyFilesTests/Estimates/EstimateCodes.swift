import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about `estimates.csv`.
enum EstimateCodes {
  private static let header = StudySample.estimateHeader
  private static let row = "ann,f,30,165,60,50,1.2,,0.15,0.5\n"

  static let cases: [CodeCase] = [
    .estimate(.range, "ann,f,30,165,60,50,0,,0.15,0.5", 20, says: "c0_g_per_kg is \"0\""),
    .estimate(.range, "ann,f,30,165,60,50,-1.2,,0.15,0.5", 20),
    .estimate(.range, "ann,f,30,165,60,50,120,,0.15,0.5", 20),
    .estimate(.range, "ann,f,30,165,60,50,1.2,,0.15,0", 30, says: "c0_breath_mg_per_l is"),
    .estimate(.range, "ann,f,30,165,60,50,1.2,,0.15,50.1", 30),
    .estimate(.range, "ann,f,30,165,60,50,,0,0.15,0.5", 21, says: "r_observed is \"0\""),
    .estimate(.range, "ann,f,30,165,60,50,,55,0.15,0.5", 21),
    .estimate(.range, "ann,f,30,165,60,50,0.01,,0.15,0.5", 20, says: "r would be above 5"),
    .estimate(
      .ambiguous, "ann,f,30,165,60,50,1.2,0.6,0.15,0.5", 24, says: "c0_g_per_kg, which is given"),
    .estimate(.range, "ann,f,30,165,60,50,1.2,,0,0.5", 25, says: "beta60_g_per_kg_h"),
    .estimate(.range, "ann,f,30,165,60,50,1.2,,15,0.5", 25),
    .estimate(.doseMissing, "ann,f,30,165,60,0,1.2,,0.15,0.5", 17, says: "ethanol_g is \"0\""),
    .estimate(.range, "ann,f,30,165,60,-50,1.2,,0.15,0.5", 17),
    .estimate(.range, "ann,f,30,165,60,50000,1.2,,0.15,0.5", 17),

    // The same checks as in subjects.csv and of any number.
    .estimate(.sex, "ann,x,30,165,60,50,1.2,,,", 5),
    .estimate(.range, "ann,f,30,1.65,60,50,1.2,,,", 10),
    .estimate(.range, "ann,f,30,165,0,50,1.2,,,", 14),
    .estimate(.number, "ann,f,30,165,60,50,?,,,", 20),
    .estimate(.number, "ann,f,30,165,60,50,\"1,2\",,,", 20),

    CodeCase(.emptyFile, in: .estimates, "", says: "empty"),
    CodeCase(.emptyFile, in: .estimates, header, says: "no row"),
    CodeCase(
      .columnMissing, in: .estimates,
      "subject,sex,age_y,height_cm,weight_kg,ethanol_g\nann,f,30,165,60,50\n", at: 1,
      says: "c0_g_per_kg or r_observed"),
    CodeCase(
      .columnMissing, in: .estimates,
      "name,sex,age_y,height_cm,weight_kg,c0_g_per_kg\nann,f,30,165,60,1\n", at: 1,
      says: "column subject"),
    CodeCase(
      .measureColumnMissing, in: .estimates, "subject,r_observed\nann,0.6\n", at: 1,
      says: "sex, age_y, height_cm, weight_kg"),
    CodeCase(.subject, in: .estimates, header + row + ",f,,,,,,,,\n", at: 3, 1),
    CodeCase(.duplicate, in: .estimates, header + row + row, at: 3, 1, says: "line 2"),
    CodeCase(.csv, in: .estimates, header + "ann,f,30\n", at: 2, says: "3 fields"),
  ]
}

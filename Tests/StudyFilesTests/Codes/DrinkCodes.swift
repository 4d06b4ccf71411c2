import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about drinks.
enum DrinkCodes {
  private static let drinks = "subject,time_min,ethanol_g\nann,0,40\n"

  private static func lowReadings(_ changed: inout CodeCase) {
    changed.sample.readings = "subject,time_min,bac_g_per_kg\nann,30,0.1\n"
  }

  static let cases: [CodeCase] = [
    CodeCase(
      .uuid, in: .drinks, "subject,time_min,ethanol_g,uuid\nann,0,40,{5d3b6f8e}\n", at: 2, 10,
      says: "5d3b6f8e"),
    .drink(.time, "ann,,,40,,,", 5, says: "time_min is missing"),
    .drink(.range, "ann,1000001,,40,,,", 5),
    .drink(.range, "ann,0,2e6,40,,,", 7, says: "duration_min is \"2e6\""),
    .drink(.range, "ann,0,-5,40,,,", 7),
    CodeCase(
      .word, in: .drinks, "subject,time_min,ethanol_g,route\nann,0,40,im\n", at: 2, 10,
      says: "route is \"im\", which is neither oral nor iv"),

    CodeCase(
      .drink, in: .drinks, "subject,time_min,drink,volume_ml\nann,0,nectar,500\n", at: 2, 7,
      says: "drink is \"nectar\""),
    .drink(.doseMissing, "ann,0,,,,,", 8, says: "no dose"),
    .drink(.doseMissing, "ann,0,, NA,500,.,", 8, says: "no abv_percent"),
    .drink(.doseMissing, "ann,0,,,,5,", 8, says: "no volume_ml"),
    .drink(.ambiguous, "ann,0,,40,,,0.5", 13, says: "ethanol_g, ethanol_g_per_kg"),
    .drink(.ambiguous, "ann,0,,40,500,5,", 15, says: "ethanol_g, volume_ml, abv_percent"),
    .drink(.range, "ann,0,,-40,,,", 8),
    .drink(.range, "ann,0,,,-500,5,", 9),
    .drink(.range, "ann,0,,,,,-0.5", 11),
    .drink(.range, "ann,0,,5001,,,", 8),
    .drink(.range, "ann,0,,,1e308,100,", 9),
    .drink(.range, "ann,0,,,,,51", 11),
    .drink(.range, "ann,0,,,500,101,", 13),
    .drink(.range, "ann,0,,,500,-5,", 13),
    // Readings as low as such doses give.
    CodeCase.drink(.abvFraction, "ann,0,,,500,0.05,", 13, says: "fraction").with(lowReadings),
    CodeCase.drink(.volumeLitres, "ann,0,,,0.5,5,", 9, says: "litres").with(lowReadings),
    CodeCase.drink(.doseAtOnce, "ann,0,,,1500,4,", 9, says: "more than a litre"),

    CodeCase(.duplicateDrink, in: .drinks, drinks + "ann,0,40.0\n", at: 3, 5, says: "line 2"),
    CodeCase(.timeOrder, in: .drinks, drinks + "ann,-5,4\nann,-6,4\n", at: 3, 5),
    CodeCase(
      .doseMissing, in: .subjects,
      "subject,sex,age_y,height_cm,weight_kg\nann,f,30,165,60\nbob,m,20,180,80\n", at: 3, 1,
      says: "\"bob\" has no drink"),
  ]
}

import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about readings.
enum ReadingCodes {
  private static let readings = "subject,time_min,bac_g_per_kg,exclude\n"
  private static let identified = "subject,time_min,bac_g_per_kg,uuid\n"

  static let cases: [CodeCase] = [
    .reading(.time, "ann,NA,0.5,,", 5),
    .reading(.range, "ann,-1e7,0.5,,", 5),
    .reading(.range, "ann,5,-0.1,,", 7),
    CodeCase.reading(.readingHigh, "ann,5,5.1,,", 7, says: "10").with {
      $0.sample.drinks = "subject,time_min,ethanol_g\nann,0,120\n"
    },
    CodeCase(
      .readingEarly, in: .readings, readings + "ann,-10,0.1,\nann,30,0.5,\n", at: 2, 5, says: "0.1"),
    CodeCase(
      .readingScale, in: .readings, readings + "ann,20,3,\nann,30,4.1,\n", at: 3, 5,
      says: "4.1 in bac_g_per_kg, is more than three times"),
    CodeCase(
      .readingScale, in: .readings, readings + "ann,40,0.05,\nann,60,0.06,\n", at: 3, 5,
      says: "less than a fifth"),
    CodeCase(
      .timeHours, in: .readings,
      readings + "ann,0.5,0.3,\nann,1,0.5,\nann,2,0.4,\nann,3,0.3,\n", at: 5, 5, says: "3 minutes"),
    .reading(.range, "ann,5,0.5,-0.05,", 11, says: "lod is \"-0.05\""),
    .reading(.range, "ann,5,<0,,", 7, says: "must be above 0"),
    .reading(.range, "ann,5,< -0.1,,", 7),
    .reading(.ambiguous, "ann,5,<0.05,0.02,", 13, says: "below 0.05"),
    .reading(.number, "ann,5,<,,", 7, says: "\"<\""),
    .reading(.number, "ann,5,<x,0.1,", 7),
    .reading(.number, "ann,<5,0.1,,", 5),
    .reading(.word, "ann,5,0.5,,maybe", 12, says: "exclude is \"maybe\""),

    CodeCase(
      .uuid, in: .readings, identified + "ann,5,0.5,5d3b6f8e-0b1c-4c8e-9a55\n", at: 2, 11,
      says: "uuid is \"5d3b6f8e-0b1c-4c8e-9a55\""),
    CodeCase(
      .uuid, in: .readings, identified + "ann,5,0.5,00000000-0000-0000-0000-000000000000\n", at: 2,
      11),
    CodeCase(
      .duplicate, in: .readings,
      identified + "ann,5,0.5,5d3b6f8e-0b1c-4c8e-9a55-9e6f3c1d2b4a\n"
        + "ann,6,0.4,5D3B6F8E-0B1C-4C8E-9A55-9E6F3C1D2B4A\n", at: 3, 11,
      says: "line 2 of readings.csv"),
    CodeCase(
      .repeatedReading, in: .readings,
      readings
        + "ann,55,0.5,\nann,60,0.4,\nann,60.0,0.3,\nann,90,0.3,\nann,90,0.2,\nann,90,0.1,1\n",
      at: 4, 5, says: "line 3 has the same time; 2 readings"),
    CodeCase(
      .repeatedReading, in: .readings, readings + "ann,60,0.4,\nann,60,0.40,\n", at: 3, 5,
      says: "the same time and value as line 2"),
    CodeCase(
      .time, in: .readings, readings + "ann,30,0.5,\nann,60,0.4,\nann,-1350,0.3,\n", at: 4, 5,
      says: "23.5 hours before that of the previous row"),
    CodeCase(
      .time, in: .readings, readings + "ann,-720,0.3,\nann,30,0.5,\nann,60,0.4,\n", at: 2, 5,
      says: "half a day or more before the first drink"),
    CodeCase(
      .timeGap, in: .readings, readings + "ann,30,0.5,\nann,60,0.4,\nann,1500,0.1,\n", at: 4, 5,
      says: "in the 24 hours before"),
    CodeCase(
      .timeOrder, in: .readings, readings + "ann,9,0.5,\nann,8,0.4,\nann,7,0.3,\n", at: 3, 5),
  ]
}

@testable import StudyData

/// What can be wrong with a reading.
enum ReadingCodes {
  private static let readings = "subject,time_min,bac_g_per_kg,exclude\n"
  private static let identified = "subject,time_min,bac_g_per_kg,uuid\n"

  static let cases: [CodeCase] = [
    .reading(.timeMissing, "ann,NA,0.5,,", 5),
    .reading(.timeRange, "ann,-1e7,0.5,,", 5),
    .reading(.readingNegative, "ann,5,-0.1,,", 7),
    .reading(.readingHigh, "ann,5,5.1,,", 7, says: "10"),
    .reading(.detectionLimit, "ann,5,0.5,-0.05,", 11, says: "lod is \"-0.05\""),
    .reading(.detectionLimit, "ann,5,<0,,", 7, says: "nothing is below"),
    .reading(.detectionLimit, "ann,5,< -0.1,,", 7),
    .reading(.detectionConflict, "ann,5,<0.05,0.02,", 13, says: "below 0.05"),
    .reading(.number, "ann,5,<,,", 7, says: "\"<\""),
    .reading(.number, "ann,5,<x,0.1,", 7),
    .reading(.number, "ann,<5,0.1,,", 5),
    .reading(.exclusion, "ann,5,0.5,,maybe", 12, says: "exclude is \"maybe\""),

    CodeCase(
      .uuid, in: .readings, identified + "ann,5,0.5,5d3b6f8e-0b1c-4c8e-9a55\n", at: 2, 11,
      says: "uuid is \"5d3b6f8e-0b1c-4c8e-9a55\""),
    CodeCase(
      .uuid, in: .readings, identified + "ann,5,0.5,00000000-0000-0000-0000-000000000000\n", at: 2,
      11),
    CodeCase(
      .duplicateUUID, in: .readings,
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
      says: "the same as that in line 2"),
    CodeCase(
      .timeOrder, in: .readings, readings + "ann,9,0.5,\nann,8,0.4,\nann,7,0.3,\n", at: 3, 5),
  ]
}

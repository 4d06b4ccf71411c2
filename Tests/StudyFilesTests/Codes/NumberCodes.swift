import StudySupport

@testable import StudyData
@testable import StudyFiles

/// The findings about numbers.
enum NumberCodes {
  static let cases: [CodeCase] = [
    .subject(.number, "ann,f,thirty,165,60", 7, says: "age_y is \"thirty\""),
    .subject(.number, "ann,f,30,165,\"60\nkg\"", 14, says: "\"60\\nkg\""),
    .drink(.number, "ann,12abc,,40,,,", 5),
    .drink(.number, "ann,1e,,40,,,", 5),
    .drink(.number, "ann,0x10,,40,,,", 5),
    .drink(.number, "ann,0,,,500,5%,", 13),
    .reading(.number, "ann,5,\u{FC}\u{FC},,", 7),
    .reading(.number, "ann,5,0.5,n/a,", 11),
    .reading(.number, "ann,5,\"0,45\",,", 7, says: "\"0,45\""),
    CodeCase(
      .number, in: .readings, "subject;time_min;bac_g_per_kg\r\nann;5;1.234,5\r\n", at: 2, 7),
    CodeCase(
      .number, in: .readings, "subject\ttime_min\tbac_g_per_kg\nann\t1 000\t0,5\n", at: 2, 5),
    CodeCase(
      .number, in: .readings, "subject;time_min;bac_g_per_kg\nann;5;0,4,5\n", at: 2, 7),
    .reading(.number, "ann,5,0\u{A0}5,,", 7),
    .reading(.number, "ann,5,nan,,", 7),
    .reading(.number, "ann,5,-INF,,", 7),
    .reading(.number, "ann,5,1e999,,", 7),
  ]
}

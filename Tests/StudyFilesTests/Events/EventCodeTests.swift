import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// The findings of tables of events, each with its exact place.
@Suite struct EventCodeTests {
  /// A table with one thing wrong.
  struct Case: CustomTestStringConvertible, Sendable {
    var code: DiagnosticCode
    var text: String
    var line: Int?
    var column: Int?

    init(_ code: DiagnosticCode, _ text: String, at line: Int? = nil, _ column: Int? = nil) {
      self.code = code
      self.text = text
      self.line = line
      self.column = column
    }

    /// Spoils a row.
    static func row(_ code: DiagnosticCode, _ row: String, _ column: Int) -> Case {
      Case(code, header + "ann,0,40,.,1,1,0,.,,.,,f,30,165,60\n\(row),f,30,165,60\n", at: 3, column)
    }

    /// Spoils a row of a table with compartments and flags of quantification.
    static func compartments(
      _ code: DiagnosticCode, _ row: String, at line: Int, _ column: Int
    ) -> Case {
      let end = ",f,30,165,60\n"
      return Case(
        code,
        "ID,TIME,AMT,DV,CMT,BLQ,LLOQ,SEX,AGE,HT,WT\nann,0,40,.,1,.,." + end
          + "ann,0.5,.,0.4,2,0,0.1" + end + row + end, at: line, column)
    }

    var testDescription: String { "\(code.rawValue): \(text.suffix(40))" }
  }

  private static let header =
    "ID,TIME,AMT,DV,EVID,MDV,RATE,DUR,CENS,LIMIT,DV_UNIT,SEX,AGE,HT,WT\n"
  private static let sound = header + "ann,0,40,.,1,1,0,.,,.,,f,30,165,60\n"

  static let cases: [Case] = [
    Case(.notAFolder, "subject,time_min\nann,0\n"),
    Case(.emptyFile, ""),
    Case(.emptyFile, header),
    Case(.columnMissing, "ID,AMT,DV,SEX,AGE,HT,WT\n", at: 1),
    Case(.columnMissing, "ID,TIME,DV,SEX,AGE,HT,WT\n", at: 1),
    Case(.columnMissing, "ID,TIME,AMT,SEX,AGE,HT,WT\n", at: 1),
    Case(.columnAmbiguous, "ID,TIME,AMT,DV,bac_g_per_kg,SEX,AGE,HT,WT\n", at: 1, 16),
    Case(.noReadings, sound),
    Case(
      .rowsLeftOut,
      "C,ID,TIME,AMT,DV,SEX,AGE,HT,WT\n.,a,0,40,.,f,30,165,60\n"
        + "C,a,1,.,9,f,31,165,60\n.,a,1,.,0.5,f,30,165,60\nc,b,x,.,0.5,f,30,165,60\n", at: 3, 1),
    .row(.time, "ann,.,.,0.5,0,0,,.,,.,", 5),
    .row(.range, "ann,20000,.,0.5,0,0,,.,,.,", 5),
    .row(.event, "ann,1,40,.,5,1,,.,,.,", 12),
    .row(.event, "ann,1,40,.,1,2,,.,,.,", 14),
    .row(.event, "ann,1,40,.,1,1,-2,.,,.,", 16),
    .row(.event, "ann,1,.,0.5,0,0,.,.,-1,.,", 21),
    .row(.event, "ann,1,.,0.5,0,0,.,.,,.,g/cup", 24),
    .row(.range, "ann,1,40,.,1,1,,-1,,.,", 17),
    .row(.doseMissing, "ann,1,.,.,1,1,,.,,.,", 7),
    // A rate without an amount, and a word for a value below a limit that is nowhere.
    .row(.doseMissing, "ann,1,0,.,1,1,56,.,,.,", 15),
    .row(.ambiguous, "ann,1,.,BLQ,0,0,.,.,,.,", 9),
    .row(.range, "ann,1,-40,.,1,1,,.,,.,", 7),
    .row(.range, "ann,1,.,-0.5,0,0,.,.,,.,", 9),
    .row(.range, "ann,1,.,0.5,0,0,.,.,1,-1,", 23),
    .row(.ambiguous, "ann,1,.,0,0,0,.,.,1,0.05,", 21),
    .row(.ambiguous, "ann,1,.,0.05,0,0,.,.,1,0.05,", 24),
    .row(.ambiguous, "ann,1,.,0,0,0,.,.,1,,", 9),
    .row(.ambiguous, "ann,1,.,<0.05,0,0,.,.,0,,", 23),
    Case(
      .descriptionChanges, sound + "ann,1,.,0.5,0,0,.,.,,.,,f,30,165,61\n", at: 3, 34),
    Case(.event, "ID,TIME,AMT,DV,ADDL,SEX,AGE,HT,WT\n1,0,40,.,3,m,30,170,70\n", at: 2, 10),
    // A dose into another compartment, and readings of two.
    .compartments(.event, "ann,1,40,.,2,.,.", at: 4, 12),
    .compartments(.event, "ann,1,40,.,-1,.,.", at: 4, 12),
    .compartments(.event, "ann,1,40,.,liver,.,.", at: 4, 12),
    .compartments(.event, "ann,1,.,0.5,3,.,.", at: 4, 13),
    // Flags without a limit, that are none, and that the reading contradicts.
    .compartments(.ambiguous, "ann,1,.,0.05,2,1,.", at: 4, 16),
    .compartments(.event, "ann,1,.,0.05,2,2,0.1", at: 4, 16),
    .compartments(.number, "ann,1,.,.,2,yes,0.1", at: 4, 13),
    .compartments(.ambiguous, "ann,1,.,0.5,2,1,0.1", at: 4, 15),
    Case(
      .ambiguous,
      "ID,TIME,AMT,DV,BLQ,CENS,LLOQ,SEX,AGE,HT,WT\n1,0,40,.,.,.,.,m,30,170,70\n"
        + "1,1,.,0.1,1,0,0.1,m,30,170,70\n", at: 3, 11),
  ]

  @Test(arguments: cases)
  func everyCodeHasItsPlace(_ expected: Case) throws {
    let findings = EventSample(expected.text).findings.filter { finding in
      finding.code == expected.code
        || ![.noReadings, .seriesReadings].contains(finding.code)
    }
    let found = try #require(findings.first, "nothing is found")
    #expect(findings.count == 1, "\(findings)")
    #expect(found.code == expected.code)
    #expect(found.location.file == "events.csv")
    #expect(found.location.line == expected.line)
    #expect(found.location.column == expected.column)
  }

  /// A measure that the first row of a subject lacks is new in a later row, though the subject before had
  /// the same.
  @Test func repeatedMeasuresAreComparedWithinSubjects() {
    let text =
      "ID,TIME,AMT,DV,SEX,AGE,HT,WT\nann,0,0.5,.,f,30,165,60\nann,1,.,0.5,f,30,165,60\n"
      + "bob,0,0.5,.,m,30,165,.\nbob,1,.,0.5,m,30,165,60\n"
    let changes = EventSample(text).findings.filter { $0.code == .descriptionChanges }
    #expect(changes.map(\.location.line) == [5])
    #expect(changes.map(\.location.column) == [22])
  }
}

import Foundation
import TestSupport
import Testing

/// `promille check -` goes through a table once and keeps no reading; it says what it says of a file.
@Suite struct CheckStreamTests {
  static let tables = [
    EventRows.table(of: "ann", "bob", "cem"),
    // Out of order, twice the same, below zero, no drink, nothing measured.
    EventRows.header
      + "ann,0,40,.,m,40,175,70\nann,1,.,0.5,m,40,175,70\nann,0.5,.,0.6,m,40,175,70\n"
      + "bob,0,40,.,m,40,175,\nbob,0,40,.,m,40,175,\nbob,1,.,-0.5,m,40,175,\n"
      + "cem,1,.,0.5,m,40,175,70\ncem,1,.,0.5,m,40,175,70\ndan,0,40,.,m,40,175,70\n",
    EventRows.table(of: "ann") + "bob,5\n" + EventRows.rows(of: "cem"),
    EventRows.table(of: "ann") + "\"bob\"x,1\n" + EventRows.rows(of: "cem"),
    EventRows.header, "", "a,b\n1,2\n", EventRows.header + "ann,0,40,.,m,40,175,70\n",
    EventRows.header.replacing("ID,", with: "ID,OCC,")
      + EventRows.rows(of: "ann").replacing("ann,", with: "ann,1,")
      + EventRows.rows(of: "ann").replacing("ann,", with: "ann,2,"),
  ]

  @Test(arguments: tables.indices, ["table", "csv", "json", "ndjson"])
  func pipeIsCheckedLikeAFile(index: Int, format: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.tables[index], to: "events.csv")
    let file = try await Command.promille("check", folder("events.csv"), "--format", format)
    let piped = try await Command.shell(
      "cat \"$2\" | promille check - --format \"$1\"", format, folder("events.csv"))
    let named = { (text: String) in
      text.replacing(folder("events.csv"), with: "<stdin>").replacing("events.csv", with: "<stdin>")
        .replacing("\"study\": \"<stdin>\"", with: "\"study\": \"-\"")
        // Lines of the text in JSON break elsewhere after a longer name.
        .replacing(/\\n +/, with: " ")
        .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(piped.status == file.status)
    #expect(named(piped.output) == named(file.output))
    #expect(named(piped.errors) == named(file.errors))
  }

  /// A subject whose rows come again is an error, since rows of a pipe are not kept.
  @Test func repeatedSubjectInAPipeIsAnError() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      EventRows.table(of: "a", "b") + "a,5,.,0.1,m,40,175,70\n", to: "events.csv")
    let run = try await Command.shell(
      "promille check - --format csv <\"$1\"", folder("events.csv"))
    #expect(run.status == 65)
    #expect(run.errors.contains("E_SUBJECT_APART"))
  }
}

import Foundation
import TestSupport
import Testing

/// `--error-format json`: the same messages, each in its parts on a line.
@Suite struct ErrorFormatTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private struct Message: Decodable, Equatable {
    var severity: String
    var code, file: String?
    var line, column: Int?
    var message: String
    var remedy: String?
  }

  private func messages(_ arguments: String...) async throws -> [Message] {
    let run = try await Command.promille(arguments + ["--error-format", "json"])
    let plain = try await Command.promille(arguments + ["--error-format=text"])
    #expect(run.status == plain.status && run.output == plain.output)
    #expect(plain == (try await Command.promille(arguments)))
    return try run.complaints.map { try JSONDecoder().decode(Message.self, from: Data($0.utf8)) }
  }

  @Test func findingsHaveTheirPlace() async throws {
    let study = try SmallStudy.withBadSubject.write(to: folder)
    let said = try await messages("fit", study, "--interval", "none")
    let error = try #require(said.first { $0.severity == "error" })
    #expect(error.code == "E_RANGE" && error.file == "\(study)/readings.csv")
    #expect(error.line == 10 && error.column == 8 && error.remedy?.isEmpty == false)
    #expect(said.contains { $0.severity == "remark" && $0.message.hasPrefix("1 of 3 rows") })
    #expect(
      try await messages("fit", study, "--interval", "none", "-q").allSatisfy {
        $0.severity == "error"
      })
  }

  @Test func messagesWithoutPlaceHaveACode() async throws {
    let study = try SmallStudy().write(to: folder)
    let missing = try await messages("plot", study, "--subject", "nobody", "-o", "-")
    #expect(missing.map(\.code) == ["E_SUBJECT"] && missing[0].file == nil)
    #expect(missing[0].remedy == "list the subjects with promille check")
    let output = try await messages("fit", study, "-o", folder("no/where.csv"))
    #expect(output.map(\.code) == ["E_OUTPUT"])
    let database = try await messages("check", study, "--upgrade")
    #expect(database.count == 1 && database[0].severity == "error" && database[0].code != nil)
  }

  @Test func usageErrorsAreFormatted() async throws {
    for line in [
      ["fit"], ["fit", "x", "--nonsense"], ["sbr"], ["fit", ""],
      ["fit", "x", "--ka", "1", "--ka", "2"],
    ] {
      let run = try await Command.promille(["--error-format", "json"] + line)
      #expect(run.status == 64 && run.complaints.count == 1)
      let said = try JSONDecoder().decode(Message.self, from: Data(run.errors.utf8))
      #expect(said.code == "E_OPTION" && !said.message.contains("Usage"), "\(line)")
    }
    let wrong = try await Command.promille("drinks", "--error-format", "xml")
    #expect(wrong.status == 64 && wrong.errors.contains("write text or json"))
    #expect(try await Command.promille("drinks", "--error-format").status == 64)
    // Behind -- it is no option.
    #expect(try await Command.promille("check", "--", "--error-format=json").status == 66)
  }

  @Test func hostileNamesKeepMessagesOnOneLine() async throws {
    let name = "a\"b\\\n{\u{1B}[31m\u{202E}é"
    let said = try await messages("fit", folder(name))
    #expect(said.map(\.code) == ["E_NO_SUCH_STUDY"] && said[0].file == folder(name))
  }
}

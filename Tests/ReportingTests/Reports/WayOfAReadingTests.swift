import AlcoholKinetics
import Foundation
import TestSupport
import Testing

@testable import Estimation
@testable import Reporting
@testable import StudyData
@testable import StudyFiles

/// The article on the way of a reading: what it names is there, and a reading goes that way.
@Suite struct WayOfAReadingTests {
  /// The most that somebody is asked to follow.
  private static let mostSteps = 20

  /// A step of the article: a symbol of a type, and the file it is declared in.
  private struct Step {
    let type: String
    let member: String
    let file: String
  }

  private static func steps() throws -> [Step] {
    let article = PackageFolder.root.appending(
      path: "Sources/Reporting/Documentation.docc/TheWayOfAReading.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    return text.matches(of: #/\n\d+\.\s+`(\w+)\.([^`]+)`\s+in\s+`([^`]+)`/#).map {
      Step(type: String($0.1), member: String($0.2), file: String($0.3))
    }
  }

  @Test func isShortAndComplete() throws {
    let steps = try Self.steps()
    #expect((10...Self.mostSteps).contains(steps.count))
    let article = PackageFolder.root.appending(
      path: "Sources/Reporting/Documentation.docc/TheWayOfAReading.md")
    let numbered = try String(contentsOf: article, encoding: .utf8).matches(of: #/\n(\d+)\. /#)
    #expect(numbered.map { Int($0.1) } == Array(1...steps.count), "a step names no symbol or file")
  }

  @Test func namesWhatIsThere() throws {
    for step in try Self.steps() {
      let file = PackageFolder.root.appending(path: step.file)
      let source = try #require(try? String(contentsOf: file, encoding: .utf8), "\(step.file)")
      let type = try Regex("\\b(class|struct|enum|protocol|extension) \(step.type)\\b")
      #expect(source.contains(type), "\(step.file) has no \(step.type)")
      #expect(Self.declarations(in: source).contains(step.member), "\(step.file): \(step.member)")
    }
  }

  /// The functions, initialisers and variables that a file declares, as the article writes them.
  private static func declarations(in source: String) -> Set<String> {
    let source = source.replacing("->", with: "")
    let functions = source.matches(of: #/\b(?:func (\w+)|(init))[?]?(?:<[^>]*>)?\(/#).map { match in
      let name = String(match.1 ?? match.2 ?? "")
      return name + "(" + labels(source[match.range.upperBound...]).map { "\($0):" }.joined() + ")"
    }
    let variables = source.matches(of: #/\b(?:var|let) (\w+)/#).map { String($0.1) }
    return Set(functions + variables)
  }

  /// The labels of the parameters that a text begins with, up to the parenthesis that closes them.
  private static func labels(_ text: Substring) -> [String] {
    var (labels, depth, parameter) = ([String](), 0, "")
    for character in text {
      if character == ")", depth == 0 { break }
      if "([<".contains(character) { depth += 1 }
      if ")]>".contains(character) { depth -= 1 }
      if character == ",", depth == 0 {
        labels.append(parameter)
        parameter = ""
      } else {
        parameter.append(character)
      }
    }
    return (labels + [parameter]).compactMap {
      $0.firstMatch(of: #/^\s*(\w+)/#).map { String($0.1) }
    }
  }

  /// Line 12 of the readings, `1,100,1.3`, on its way.
  @Test func aReadingGoesThisWay() throws {
    let path = PackageFolder.dataset("nacar-2021")
    let (time, value, line) = (Hours(minutes: 100), 1.3, 12)

    // 2 and 3: bytes, fields.
    let file = try #require(try InputFile(opening: path + "/readings.csv"))
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: file.blockSize, alignment: 1)
    defer { bytes.deallocate() }
    let text = String(decoding: bytes[..<(try file.read(into: bytes, at: 0))], as: UTF8.self)
    #expect(text.split(separator: "\n")[line - 1] == "1,100,1.3")
    let record = CSVTable(file)
    while try record.nextRecord(), record.row.firstLine < line {}
    #expect(record.row.texts == ["1", "100", "1.3"])

    // 4, 5 and 6: a subject's reading, and where it was.
    var draft = StudyDraft()
    let table = try #require(SeriesTable(readings: CSVTable(file), UUIDRegister()))
    table.readRows(of: SubjectKey("1"), into: &draft)
    let subject = try #require(draft.subjects.first)
    let index = try #require(subject.series[0].readings.values.firstIndex { $0.time == time })
    #expect(subject.series[0].readings.values[index].value == value)
    #expect(subject.series[0].readings.places[index] == Place(line: line, column: 3))

    // 7: nothing is wrong with it.
    var check = SeriesCheck(layout: .database)
    check.check(&subject.series[0], of: subject, wantsReadings: true)
    #expect(!check.findings.contains { $0.location.line == line })

    // 1, 8 and 9: the series it belongs to.
    var stream = try StudyReader(path).stream()
    let series = try #require(try stream.next())
    #expect(series.readings[index] == subject.series[0].readings.values[index])

    // 10 to 18: its fit.
    let options = FitOptions(interval: nil)
    let problem = try FitProblem(series, options: options, instrument: stream.instrument)
    #expect(problem.uses[index] == .quantified)
    let observation = try #require(problem.observations.all.first { $0.index == index })
    #expect(observation.level == value)
    let fitted = Fits()
    let whole = try StudyReader(path).stream()
    _ = try StudyFit.forEach(of: whole, options: options, jobs: 2) { fitted.add($0) }
    let first = try #require(fitted.all.first)
    let reading = try first.result.get().readings[index]
    #expect(reading.observed == GramsPerKilogram(value))
    #expect(reading.residual == reading.observed - reading.predicted)

    // 19: without it the row counts one less.
    var other = series
    other.readings.remove(at: index)
    let rest = try SeriesFitter(options: options).fit(other, instrument: stream.instrument)
    #expect(try Self.count(in: first) == rest.usedCount + 1)
  }

  /// What the row of a fit has for n.
  private static func count(in fit: StudyFit) throws -> Int {
    let columns = Report.fits.columns
    var writer = RowWriter(columns.map(\.header), as: .csv)
    let text = String(
      decoding: writer.head + writer.bytes(of: [columns.cells(of: fit)]), as: UTF8.self)
    let row = try #require(try TestSupport.CSVText.rows(text).first)
    return try #require(row["n"].flatMap { Int($0) })
  }
}

/// Fits as they come from several threads, one at a time.
private final class Fits: @unchecked Sendable {
  private(set) var all: [StudyFit] = []

  func add(_ fit: StudyFit) { all.append(fit) }
}

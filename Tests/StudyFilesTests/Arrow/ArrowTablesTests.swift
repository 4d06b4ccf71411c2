import Foundation
import TestSupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// A study as streams of subjects, drinks and readings, one after the other.
@Suite struct ArrowTablesTests {
  private static let tables = [
    "subject,sex,age_y,height_cm,weight_kg,site\na,male,30,180,80,north\nb,female,25.5,165,60,south\n",
    "subject,occasion,time_min,volume_ml,abv_percent,drink\na,1,0,500,5,\nb,1,0,40,,vodka\nb,1,30,330,,lager\n",
    "subject,occasion,time_min,bac_g_per_kg,lod\na,1,60,0.3,0.01\na,1,120,0.2,0.01\nb,1,90,0.25,\n",
  ]

  private static func stream(_ text: String) -> [UInt8] {
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let texts: Set = ["subject", "occasion", "sex", "drink", "site"]
    var writer = ArrowWriter(
      lines[0].map { ($0, texts.contains($0) ? .text : .number) }, metadata: [])
    let start = writer.start
    for line in lines.dropFirst() {
      for (index, cell) in line.enumerated() {
        let value: ArrowWriter.Value =
          texts.contains(lines[0][index])
          ? .text(cell) : Double(cell).map { .number($0) } ?? .missing
        writer.add(value, to: index)
      }
      writer.endRow()
    }
    return start + writer.takeBatch() + ArrowWriter.end
  }

  private static func read(_ bytes: [UInt8]) throws(StudyError) -> Study {
    let file = InputFile(path: "study", bytes: Data(bytes))
    return try StudyInput(streamsIn: file).study()
  }

  private static func findings(_ bytes: [UInt8]) -> [Diagnostic] {
    do throws(StudyError) {
      return try read(bytes).allDiagnostics
    } catch {
      return error.diagnostics
    }
  }

  @Test func arrowTablesAreReadLikeCSVFolder() throws {
    let folder = try TemporaryFolder()
    for (name, text) in zip(["subjects", "drinks", "readings"], Self.tables) {
      try folder.write(text, to: "\(name).csv")
    }
    let files = try StudyInput(opening: folder.path).study()
    let study = try Self.read(Self.tables.flatMap(Self.stream))
    #expect(study.series.map(\.subject) == files.series.map(\.subject))
    #expect(study.series.map(\.drinks) == files.series.map(\.drinks))
    #expect(study.series.map(\.readings) == files.series.map(\.readings))
    #expect(study.allDiagnostics.map(\.code) == files.allDiagnostics.map(\.code))
    #expect(study.series.count == 2 && study.series[1].drinks.count == 2)
  }

  @Test func findingsNameTableRowAndColumn() throws {
    var tables = Self.tables
    tables[2] = tables[2].replacing("0.25", with: "-1")
    tables[1] = tables[1].replacing("vodka", with: "vodca")
    let found = Self.findings(tables.flatMap(Self.stream)).map {
      "\($0.location) \($0.code.rawValue)"
    }
    #expect(found.contains("readings:3:4 E_RANGE"))
    #expect(found.contains("drinks:2:6 E_DRINK"))
  }

  @Test func readingsMayBeLeftOut() throws {
    let study = try Self.read(Self.tables.prefix(2).flatMap(Self.stream))
    #expect(study.series.allSatisfy { $0.readings.isEmpty && !$0.drinks.isEmpty })
  }

  @Test func missingExtraAndBrokenStreamsAreRefused() {
    let streams = Self.tables.map(Self.stream)
    let whole = Array(streams.joined())
    for bytes in [[], streams[0], whole + streams[0], Array(whole.dropLast()), whole + [0]] {
      #expect(Self.findings(bytes).map(\.code) == [.fileFormat], "\(bytes.count) bytes")
    }
    let file = Array("ARROW1\0\0".utf8) + streams[0]
    #expect(
      Self.findings(file + streams[1]).map(\.code).first?.rawValue.hasPrefix("E_FILE_FORMAT")
        == true)
    // Whatever is cut off or changed, something is said and nothing crashes.
    for end in stride(from: 0, to: whole.count, by: 7) {
      #expect(!Self.findings(Array(whole[..<end])).isEmpty)
      var spoilt = whole
      spoilt[end] ^= 0xFF
      _ = Self.findings(spoilt)
    }
  }
}

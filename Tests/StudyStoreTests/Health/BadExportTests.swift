import Foundation
import StudyData
import StudyStore
import TestSupport
import Testing

/// Exports that are none, or not whole: nothing of them stays.
@Suite struct BadExportTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore(path: folder("study.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
  }

  private func code(_ data: Data) -> HealthFinding.Code? {
    do {
      _ = try store.add(
        health: InputStream(data: data), file: "export.xml", HealthOptions(subject: "cem"))
      return nil
    } catch {
      return (error as? HealthFinding)?.code
    }
  }

  private func expectNothingChanged() throws {
    #expect(try store.study() == SmallStudy.study())
    #expect(try store.vitalDays().isEmpty)
  }

  /// Wherever it is cut, also between two records.
  @Test func aTruncatedExportIsRefused() throws {
    let whole = Array(HealthText.export(HealthText.evening).utf8)
    let lines = whole.indices.filter { whole[$0] == 0x0A }
    let cuts =
      Array(stride(from: 0, to: whole.count - 12, by: 97)) + lines.dropLast().map { $0 + 1 }
    for cut in cuts where cut < whole.count - 14 {
      #expect(code(Data(whole[..<cut])) == .notXML, "cut at \(cut)")
    }
    try expectNothingChanged()
  }

  @Test func otherEncodingsAreRefused() throws {
    let text = HealthText.export(HealthText.evening)
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32BigEndian] {
      #expect(code(try #require(text.data(using: encoding))) == .encoding)
    }
    #expect(code(Data(text.replacing("UTF-8", with: "UTF-7").utf8)) == .encoding)
    #expect(code(Data(text.replacing("UTF-8", with: "ISO-8859-1").utf8)) == .encoding)
    let latin = text.replacing("\"Watch\"", with: "\"M\u{FC}ller\"")
    #expect(code(try #require(latin.data(using: .isoLatin1))) == .encoding)
    try expectNothingChanged()
  }

  @Test func otherDocumentsAreRefused() throws {
    #expect(code(Data("<?xml version=\"1.0\"?>\n<html><body/></html>\n".utf8)) == .root)
    #expect(code(Data("subject,time_min\n".utf8)) == .notXML)
    #expect(code(Data()) == .notXML)
    try expectNothingChanged()
  }

  /// Whatever bytes come, nothing crashes, and an error leaves nothing behind.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func spoiltExportsAreReadOrRefused(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let whole = Array(HealthText.export(HealthText.evening).utf8)
    let pieces = ["<", ">", "\"", "<!DOCTYPE x [", "]>", "<!--", "&lt;", "&x;", "\0", "<Record"]
    for _ in 0..<60 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...9, using: &generator))
        bytes.replaceSubrange(
          start..<end, with: (pieces.randomElement(using: &generator) ?? "").utf8)
      }
      let before = try store.study()
      if code(Data(bytes)) != nil { #expect(try store.study() == before) }
    }
  }
}

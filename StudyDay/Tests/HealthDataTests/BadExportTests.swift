import DayDatabase
import Foundation
import HealthData
import StoreSupport
@_spi(StudyDay) import StudyData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

/// Exports that are none, or not whole: nothing of them stays.
@Suite struct BadExportTests {
  private let folder: TemporaryFolder
  private let store: StudyStore

  init() throws {
    folder = try TemporaryFolder()
    store = try StudyStore.day(folder("study.sqlite"), for: .writing)
    try store.add(SmallStudy.study())
  }

  private func finding(_ data: Data) -> HealthFinding? {
    do {
      _ = try store.add(
        health: InputStream(data: data), file: "export.xml", HealthOptions(subject: "cem"))
      return nil
    } catch {
      return error as? HealthFinding
    }
  }

  private func code(_ data: Data) -> HealthFinding.Code? { finding(data)?.code }

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

  /// Bytes that in names end Foundation's parser, and the process with it.
  @Test(arguments: [
    [UInt8(0xCB)], [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF5, 0x80, 0x80, 0x80], [0],
  ])
  func invalidUTF8IsRefusedAnywhere(_ bytes: [UInt8]) throws {
    let beginning = Array("<HealthData>\n <a".utf8)
    for (before, after) in [
      ("", "/></HealthData>"), (" b", "='1'/></HealthData>"), (" b='", "'/></HealthData>"),
      (">", "</a></HealthData>"), ("><!--", "--></a></HealthData>"),
      ("><![CDATA[", "]]></a></HealthData>"), ("><?x ", "?></a></HealthData>"), ("></a", ""),
    ] {
      let reported = finding(Data(beginning + before.utf8 + bytes + after.utf8))
      #expect(reported?.code == .encoding, "\(before)")
      #expect(reported?.line == 2 && reported?.column == 4 + before.utf8.count, "\(before)")
    }
    try expectNothingChanged()
  }

  /// Names of other scripts are names, as far as XML 1.0 had them before its fifth edition.
  @Test func otherScriptsAreRead() {
    let text = "<HealthData><\u{E4}\u{6771} \u{E4}='\u{10400}'/></HealthData>"
    #expect(code(Data(text.utf8)) == nil)
  }

  /// A parser compares every attribute of an element with all the others.
  @Test func elementsHaveALongestLength() throws {
    let attributes = (0..<200_000).map { "a\($0)=\"1\"" }.joined(separator: " ")
    let reported = finding(Data("<HealthData>\n<Record \(attributes)/></HealthData>".utf8))
    #expect(reported?.code == .markup)
    #expect(reported?.line == 2 && reported?.column == 1)
    let value = String(repeating: "x", count: 1 << 17)
    #expect(code(Data("<HealthData><a b='\(value)'/></HealthData>".utf8)) == .markup)
    #expect(code(Data("<HealthData><!--\(value)--></HealthData>".utf8)) == .markup)
    #expect(code(Data("<HealthData>\(value)</HealthData>".utf8)) == nil)
    try expectNothingChanged()
  }

  /// Documents that make parsers ask for ever more memory, or never come back.
  @Test func bombsAreRefused() throws {
    let nested = String(repeating: "<a>", count: 200_000)
    #expect(code(Data("<HealthData>\(nested)".utf8)) == .notXML)
    let entities = (1...9).map { index in
      "<!ENTITY x\(index) '\(String(repeating: "&x\(index - 1);", count: 10))'>"
    }
    let bomb = "<!DOCTYPE HealthData [<!ENTITY x0 'ha'>\(entities.joined())]>"
    #expect(code(Data("\(bomb)<HealthData><a b='&x9;'/></HealthData>".utf8)) == .notXML)
    let file = "<!DOCTYPE HealthData [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"
    #expect(code(Data("\(file)<HealthData>&x;</HealthData>".utf8)) == .notXML)
    try expectNothingChanged()
  }

  @Test func otherDocumentsAreRefused() throws {
    #expect(code(Data("<?xml version=\"1.0\"?>\n<html><body/></html>\n".utf8)) == .root)
    #expect(code(Data("subject,time_min\n".utf8)) == .notXML)
    #expect(code(Data()) == .notXML)
    try expectNothingChanged()
  }

  /// No bytes crash the import, and an error leaves nothing behind.
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

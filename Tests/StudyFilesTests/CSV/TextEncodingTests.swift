import AlcoholKinetics
import Foundation
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

/// Tables in other encodings than UTF-8 give the study that they give in UTF-8, and a note.
@Suite struct TextEncodingTests {
  private static let text =
    "subject,sex,age_y,height_cm,weight_kg,note\n\"J\u{FC}rgen\",m,30,180,80,\u{E9}\n"
  private static let mark: [UInt8] = [0xFF, 0xFE]

  private static func units(_ text: String, _ isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBigEndian ? pair : pair.reversed()
    }
  }

  private static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
  }

  static let encoded: [(name: String, bytes: [UInt8])] = [
    ("UTF-16", mark + units(text, false)),
    ("UTF-16", mark.reversed() + units(text, true)),
    ("UTF-16", units(text, false)),
    ("UTF-16", units(text, true)),
    ("Windows-1252", latin(text)),
  ]

  private static func folder(_ subjects: [UInt8], blockSize: Int) -> StudyInput {
    let drinks = "subject,time_min,ethanol_g\nJ\u{FC}rgen,0,40\n"
    let readings = "subject,time_min,bac_g_per_kg\nJ\u{FC}rgen,30,0.5\nJ\u{FC}rgen,60,0.4\n"
    return StudyInput(
      [
        (.subjects, Data(subjects)), (.drinks, Data(drinks.utf8)), (.readings, Data(readings.utf8)),
      ], blockSize: blockSize)
  }

  /// In blocks of all sizes, which cut characters apart.
  @Test(arguments: encoded, [1, 3, 7, 64, 1 << 18])
  func knownEncodingsAreConverted(_ file: (name: String, bytes: [UInt8]), blockSize: Int) throws {
    let study = try Self.folder(file.bytes, blockSize: blockSize).study()
    #expect(study.series.map(\.subject.id) == ["J\u{FC}rgen"])
    #expect(study.diagnostics.map(\.code) == [.encodingConverted])
    let finding = try #require(study.diagnostics.first)
    #expect(finding.message.contains("read as \(file.name)"))
    let place = file.name == "UTF-16" ? (1, 1) : (2, 3)
    #expect((finding.location.line, finding.location.column) == place)
  }

  @Test func windows1252PunctuationIsRead() throws {
    var converter = TextConverter(.windows1252)
    let text = ([0x80, 0x93, 0x96, 0xFF] as [UInt8]).withUnsafeBytes {
      converter.convert($0, isWhole: true)
    }
    #expect(text.map { String(decoding: $0, as: UTF8.self) } == "\u{20AC}\u{201C}\u{2013}\u{FF}")
  }

  /// UTF-8 that is damaged, halves of UTF-16, and what is no text stay errors.
  static let refused: [[UInt8]] = [
    Array(text.utf8.prefix(while: { $0 != 0xA9 })),  // Cut within a letter that is not the first.
    Array("subject,sex\nJ".utf8) + [0xC3],
    Array("\u{FEFF}subject,sex\nJ".utf8) + [0xFC, 0x0A],
    Array("subject,sex\n\u{FC},".utf8) + [0xFC, 0x0A],
    Array("subject,sex\nJ".utf8) + [0xFC, 0x01, 0x0A],
    Array("subject,sex\nJ".utf8) + [0xFC, 0x81, 0x0A],
    mark + units(text, false).dropLast(),
    mark + units("subject", false) + [0x00, 0xD8, 0x61, 0x00],
    mark + units("subject\u{0}", false),
  ]

  @Test(arguments: refused, [1, 64]) func unknownEncodingsAreRefused(
    _ bytes: [UInt8], blockSize: Int
  ) throws {
    let error = try #require(throws: StudyError.self) {
      try Self.folder(bytes, blockSize: blockSize).study()
    }
    #expect(error.diagnostics.contains { $0.code == .encoding }, "\(error.diagnostics)")
  }
}

import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

/// What people and accounts are called: two that look alike would be taken for each other.
enum Code {
  /// The code that a text stands for: that of the database if it has it so, and else the text in Unicode's form NFKC, with
  /// single blanks and without what nobody sees.
  static func code(_ text: String, in db: Database) throws -> String {
    guard text.isText(1...100), try Sessions.number(of: text, in: db) == nil else { return text }
    return normalised(text)
  }

  static func normalised(_ text: String) -> String {
    let seen = text.precomposedStringWithCompatibilityMapping.unicodeScalars.filter {
      !$0.properties.isDefaultIgnorableCodePoint
    }
    return String(String.UnicodeScalarView(seen)).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  /// Refuses a new code that looks like one of others.
  static func requireDistinct(_ code: String, from others: [String]) throws(Problem) {
    let looks = look(of: code)
    guard let other = others.first(where: { look(of: $0) == looks }) else { return }
    throw Problem(
      .conflict,
      "\(code.quoted) looks like \(other.quoted), which is there already. Use that, or choose another one."
    )
  }

  /// A text by which those are equal that look alike: letters of other alphabets are those of ours, as in the confusables
  /// of UTS 39.
  private static func look(of text: String) -> [Unicode.Scalar] {
    let text = text.utf8.allSatisfy { $0 < 0x80 } ? text : normalised(text)
    return text.unicodeScalars.map { alike[$0] ?? $0 }
  }

  private static let alike: [Unicode.Scalar: Unicode.Scalar] = {
    let groups = [
      "aаα", "cсϲ", "dԁ", "eе", "hһ", "jј", "kκ", "oоο", "pрρ", "qԛ", "sѕ", "uυ", "vν", "wԝ", "xх",
      "yуγ", "AАΑ", "BВΒ", "CСϹ", "EЕΕ", "HНΗ", "JЈ", "KКΚ", "MМΜ", "NΝ", "PРΡ", "SЅ", "TТΤ", "XХΧ",
      "YУΥ", "ZΖ", "3З", "0OОΟ", "1lI|іІιΙӀ", "-‐‑‒–−",
    ]
    return Dictionary(
      groups.flatMap { group in
        let letters = Array(group.unicodeScalars)
        return letters.dropFirst().map { ($0, letters[0]) }
      }, uniquingKeysWith: { $1 })
  }()
}

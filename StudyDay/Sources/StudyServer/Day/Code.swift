import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

/// Names of people and accounts, which must not look alike.
enum Code {
  /// Returns the code for a text: unchanged if the database has it so, else in NFKC with single blanks and without
  /// invisible characters.
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
    let shape = skeleton(of: code)
    guard let similar = others.first(where: { skeleton(of: $0) == shape }) else { return }
    throw Problem(
      .conflict,
      "\(code.quoted) looks like \(similar.quoted), which is there already. Use that, or choose another one."
    )
  }

  /// Skeleton of a text after UTS 39 (confusables): texts that look alike have the same one.
  private static func skeleton(of text: String) -> [Unicode.Scalar] {
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
        let scalars = Array(group.unicodeScalars)
        return scalars.dropFirst().map { ($0, scalars[0]) }
      }, uniquingKeysWith: { $1 })
  }()
}

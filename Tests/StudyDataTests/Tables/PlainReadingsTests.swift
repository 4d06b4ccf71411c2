import Foundation
import TestSupport
import Testing

@testable import StudyData

/// Rows that are read fast are read as all others are.
///
/// ``StudyReader`` reads every row in the same way, ``StudyStream`` reads plain rows fast.
@Suite struct PlainReadingsTests {
  private static let numbers = [
    "0", "15", "007", "0.5", "12.250", ".5", "5.", "0.123456789012345", "0.1234567890123456",
    "999999", "1000000", "1000001", "9.989", "10", "10.01", "11", "123456789012345678",
  ]
  private static let odd = [
    "", ".", "NA", " 3", "3 ", "-1", "+1", "1e-1", "x", "\"0.5\"", "0,5", "1\r", "..", "1.2.3",
    "<0.05", "< 0.5", "\u{A0}0.5", "1.234,5",
  ]
  private static let flags = ["", "0", "1", "1", "no", "2", "01"]
  private static let names = ["ann", "\u{FC}\u{1F37A}", "\"a,b\"", "\"q\"\"q\"", "x y"]

  @Test(arguments: 0..<60)
  func areReadAsAllOthers(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let folder = Self.folder(using: &generator)
    let whole = Result { () throws(StudyError) in try StudyReader.read(folder) }
    do throws(StudyError) {
      var stream = try StudyStream(.folder(folder))
      var series: [Series] = []
      while let next = try stream.next() { series.append(next) }
      #expect(try series == whole.get().series)
      #expect(try stream.diagnostics == whole.get().diagnostics)
    } catch {
      #expect(whole == .failure(error))
    }
  }

  private static func folder(using generator: inout SeededGenerator) -> StudyFolder {
    let isOdd = Bool.random(using: &generator)
    var columns = ["subject", "occasion", "time_min", "bac_g_per_kg", "lod", "exclude"]
    if Bool.random(using: &generator) { columns.shuffle(using: &generator) }
    let separator = Bool.random(using: &generator) ? "," : ";"
    let end = Bool.random(using: &generator) ? "\n" : "\r\n"
    var rows = [columns.joined(separator: separator)]
    for name in names {
      for occasion in 0..<2 {
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
          let field = { (column: String, generator: inout SeededGenerator) -> String in
            switch column {
            case "subject": return name
            case "occasion": return "\(occasion)"
            case "exclude": return flags.randomElement(using: &generator) ?? ""
            default:
              let isOdd = isOdd && Int.random(in: 0...9, using: &generator) == 0
              return (isOdd ? odd : numbers).randomElement(using: &generator) ?? ""
            }
          }
          rows.append(
            columns.map { field($0, &generator) }.joined(separator: separator))
        }
      }
    }
    let drinks = names.flatMap { name in
      (0..<2).map { "\(name),\($0),0,20" }
    }
    let blockSize = Int.random(in: 1...400, using: &generator)
    return StudyFolder(
      [
        (.subjects, Data((["subject"] + names).joined(separator: "\n").utf8)),
        (
          .drinks,
          Data((["subject,occasion,time_min,ethanol_g"] + drinks).joined(separator: "\n").utf8)
        ),
        (.readings, Data(rows.joined(separator: end).utf8)),
      ], blockSize: blockSize)
  }
}

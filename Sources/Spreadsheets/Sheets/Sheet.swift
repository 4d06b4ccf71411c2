import StudyData
import StudyFiles

struct Sheet {
  /// The name on its tab.
  let name: String
  /// Whether the spreadsheet program does not show it.
  let isHidden: Bool
  /// Its cells from the first row and column on, so that row 7 of the sheet is `rows[6]`. Rows end with their
  /// last cell that is not empty, and so does the sheet.
  let rows: [[SheetCell]]
  let findings: [Diagnostic]
  /// What findings call the sheet: the path of the workbook, and the name in brackets.
  let place: String

  /// The cells as texts, as they would stand in a CSV file: numbers with the fewest digits that give them
  /// back, percentages with their sign, dates and times as ISO 8601 writes them, `true` and `false`, errors as the sheet shows them.
  var textRows: [[String]] { rows.map { $0.map(\.text) } }

  /// The name of a cell, as `B7`, by its index in ``rows`` and that in the row.
  static func cellName(row: Int, column: Int) -> String {
    var (letters, rest) = ("", column + 1)
    while rest > 0 {
      letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8((rest - 1) % 26))) + letters
      rest = (rest - 1) / 26
    }
    return letters + String(row + 1)
  }
}

/// What stands in a cell of a sheet; of a formula its stored result.
enum SheetCell: Hashable {
  case empty
  case text(String)
  case number(Double)
  case boolean(Bool)
  /// A number that the cell's format shows as a percentage: 0.4 is 40 %.
  case percentage(Double)
  case date(SheetDate)
  /// What a formula gives that cannot be calculated, as `#DIV/0!`.
  case error(String)
  /// A formula whose result is not stored: `#N/A`.
  case unknown

  /// What stands in the cell, as it would in a CSV file; see ``Sheet/textRows``.
  var text: String {
    switch self {
    case .empty: ""
    case .unknown: "#N/A"
    case .text(let text), .error(let text): text
    case .number(let number): Self.shortest(number)
    // Percent of what is stored in binary has digits that nobody wrote.
    case .percentage(let part): Self.shortest((part * 1e14).rounded() / 1e12) + "%"
    case .boolean(let value): value ? "true" : "false"
    case .date(let date): date.text
    }
  }

  static func shortest(_ number: Double) -> String {
    var text = CSVText()
    text.append(number)
    return text.string
  }
}

/// A date or a time of a sheet: the number that is stored, and what it counts from.
struct SheetDate: Hashable {
  /// From when on a workbook counts days.
  enum Epoch {
    /// Day 1 is 1 January 1900; as Excel has it, that year has a 29 February, which is day 60.
    case year1900
    /// Day 0 is 1 January 1904, as in old workbooks of the Macintosh.
    case year1904
  }

  /// What a format of a cell shows of a number. A time may be a number of hours.
  enum Shown { case day, time, dayAndTime }

  /// Days since the epoch; the fraction is the time of day.
  let serial: Double
  let epoch: Epoch
  let shown: Shown

  /// Spans of a year or more that are shown as times are dates of which the cell shows the time only.
  private static let longestSpan = 366.0
  /// 31 December 9999, the last day that sheets know.
  private static let lastSerial = 2_958_465.0

  /// The day as `2026-11-21`, the time as `19:30` or `19:30:15`, both with a `T` between them; times above a
  /// day as hours, `25:30`. To the second, as sheets round. Nothing that is stored is left out: a day that has
  /// a time is written with it. The number itself where it is no date.
  var text: String {
    guard serial >= 0, serial < Self.lastSerial + 1 else { return SheetCell.shortest(serial) }
    let seconds = Int((serial * 86_400).rounded())
    if shown == .time, serial < Self.longestSpan { return Self.time(seconds) }
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    let day = day(days)
    return shown == .day && rest == 0 ? day : "\(day)T\(Self.time(rest))"
  }

  private func day(_ days: Int) -> String {
    let sinceUnix: Int
    switch epoch {
    case .year1900:
      // The day that never was stays one, so that readers of the text refuse it.
      if days == 60 { return "1900-02-29" }
      sinceUnix = days - (days < 60 ? 25_568 : 25_569)
    case .year1904: sinceUnix = days - 24_107
    }
    return CalendarDay(number: sinceUnix).text
  }

  private static func time(_ seconds: Int) -> String {
    let (minutes, second) = (seconds / 60, seconds % 60)
    let parts = [minutes / 60, minutes % 60] + (second > 0 ? [second] : [])
    return parts.map(\.twoDigits).joined(separator: ":")
  }
}

/// What the format of a cell makes of its number.
enum SheetCellFormat: Hashable {
  case date(SheetDate.Shown)
  case percentage

  /// What a format that every workbook has makes of it; nil for numbers and texts.
  ///
  /// Source: ECMA-376-1 (2016), 18.8.30, with the formats of East Asian locales.
  init?(builtIn format: Int) {
    switch format {
    case 9, 10: self = .percentage
    case 14...17, 27...31, 36, 50...54, 57, 58: self = .date(.day)
    case 18...21, 32...35, 45...47, 55, 56: self = .date(.time)
    case 22: self = .date(.dayAndTime)
    default: return nil
    }
  }

  /// What a format of its own code makes of it, as `0.00%`; nil for numbers and texts.
  init?(code: String) {
    if let shown = SheetDate.Shown(code: code) {
      self = .date(shown)
    } else if code.replacing(/"[^"]*"|\\.|_.|\[[^\]]*\]/, with: "").contains("%") {
      self = .percentage
    } else {
      return nil
    }
  }
}

extension SheetDate.Shown {
  /// What a format of its own code shows, as `yyyy-mm-dd` or `[h]:mm`; nil for numbers and texts.
  init?(code: String) {
    var letters = ""
    var rest = Substring(code.lowercased())
    // The first of several sections is that of positive numbers.
    while let next = rest.popFirst(), next != ";" {
      switch next {
      case "\"": rest = rest.drop { $0 != "\"" }.dropFirst()
      case "\\", "_", "*": rest = rest.dropFirst()
      case "[":
        // Colours, conditions and locales, or a unit of elapsed time.
        let inside = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(inside.count + 1)
        if !inside.isEmpty,
          Set(inside).isSubset(of: ["h"]) || Set(inside).isSubset(of: ["m"])
            || Set(inside).isSubset(of: ["s"])
        {
          letters += "h"
        }
      default: letters.append(next)
      }
    }
    guard !letters.hasPrefix("general") else { return nil }
    let hasTime = letters.contains { "hs".contains($0) }
    // m is minutes beside hours or seconds, and months elsewhere.
    let hasDay = letters.contains { "yd".contains($0) } || !hasTime && letters.contains("m")
    guard hasDay || hasTime else { return nil }
    self = hasDay && hasTime ? .dayAndTime : hasDay ? .day : .time
  }
}

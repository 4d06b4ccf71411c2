import StudyData
import StudyFiles

/// A sheet of a workbook.
struct Sheet {
  /// The name on its tab.
  let name: String
  /// Whether the sheet is hidden.
  let isHidden: Bool
  /// The cells from the first row and column, so that row 7 of the sheet is `rows[6]`; without trailing empty cells and
  /// rows.
  let rows: [[SheetCell]]
  let findings: [Diagnostic]
  /// The name in findings: the path of the workbook, with the name of the sheet in brackets.
  let label: String

  /// The cells as the texts of a CSV file: numbers with the fewest digits that reproduce them, percentages with their
  /// sign, dates and times in ISO 8601, `true` and `false`, errors as displayed.
  var textRows: [[String]] { rows.map { $0.map(\.text) } }

  /// Returns the name of a cell, such as `B7`, from its indices in ``rows``.
  static func cellName(row: Int, column: Int) -> String {
    var letters = ""
    var rest = column + 1
    while rest > 0 {
      letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8((rest - 1) % 26))) + letters
      rest = (rest - 1) / 26
    }
    return letters + String(row + 1)
  }
}

/// The value of a cell, or the stored result of its formula.
enum SheetCell: Hashable {
  case empty
  case text(String)
  case number(Double)
  case boolean(Bool)
  /// A number that is displayed as a percentage: 0.4 is 40 %.
  case percentage(Double)
  case date(SheetDate)
  /// The error of a formula, such as `#DIV/0!`.
  case error(String)
  /// A formula whose result is not stored: `#N/A`.
  case unknown

  /// The cell as the text of a CSV file; see ``Sheet/textRows``.
  var text: String {
    switch self {
    case .empty: ""
    case .unknown: "#N/A"
    case .text(let text), .error(let text): text
    case .number(let number): Self.shortest(number)
    // Multiplication by 100 would show binary rounding errors of the stored fraction.
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

/// A date or a time: a serial number and its epoch.
struct SheetDate: Hashable {
  /// The origin of a workbook's serial numbers.
  enum Epoch {
    /// Day 1 is 1 January 1900; by Excel's convention day 60 is 29 February 1900, which did not exist.
    case year1900
    /// Day 0 is 1 January 1904, as in old workbooks of the Macintosh.
    case year1904
  }

  /// The parts of a moment that a format displays; a time may also be an elapsed number of hours.
  enum Shown { case day, time, dayAndTime }

  /// Days since the epoch; the fraction is the time of day.
  let serial: Double
  let epoch: Epoch
  let shown: Shown

  /// The limit in days above which a number displayed as a time is a date, of which only the time is displayed.
  private static let longestSpan = 366.0
  /// 31 December 9999, Excel's last day.
  private static let lastSerial = 2_958_465.0

  /// The day as `2026-11-21`, the time as `19:30` or `19:30:15`, both with a `T` between them; elapsed times above a day
  /// as hours, `25:30`. Rounded to the second. A stored time is included even if only the day is displayed. The plain
  /// number if it is outside the range of dates.
  var text: String {
    guard serial >= 0, serial < Self.lastSerial + 1 else { return SheetCell.shortest(serial) }
    let seconds = Int((serial * 86_400).rounded())
    if shown == .time, serial < Self.longestSpan { return Self.time(seconds) }
    let rest = seconds % 86_400
    let day = day(seconds / 86_400)
    return shown == .day && rest == 0 ? day : "\(day)T\(Self.time(rest))"
  }

  private func day(_ days: Int) -> String {
    let sinceUnix: Int
    switch epoch {
    case .year1900:
      // Kept as the invalid date, so that readers of the text reject it.
      if days == 60 { return "1900-02-29" }
      sinceUnix = days - (days < 60 ? 25_568 : 25_569)
    case .year1904: sinceUnix = days - 24_107
    }
    return CalendarDay(number: sinceUnix).text
  }

  private static func time(_ seconds: Int) -> String {
    let minutes = seconds / 60
    let second = seconds % 60
    let parts = [minutes / 60, minutes % 60] + (second > 0 ? [second] : [])
    return parts.map(\.twoDigits).joined(separator: ":")
  }
}

/// The format of a cell, if it displays numbers as dates or percentages.
enum SheetCellFormat: Hashable {
  case date(SheetDate.Shown)
  case percentage

  /// Looks up a built-in format; nil for numbers and texts.
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

  /// Parses the code of a custom format, such as `0.00%`; nil for numbers and texts.
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
  /// Parses the code of a custom format of dates, such as `yyyy-mm-dd` or `[h]:mm`; nil for numbers and texts.
  init?(code: String) {
    var letters = ""
    var rest = Substring(code.lowercased())
    // The first section is that of positive numbers.
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

import StudyData
import StudyFiles

extension SheetStudy {
  /// Which part of dates such as 11/12/2026 stands first: told by those that can be read in one way only.
  mutating func findDateOrder() -> DateOrder {
    var (day, month): (String?, String?) = (nil, nil)
    var ambiguous: (text: String, column: SheetColumn, place: SourceLocation)?
    for columns in columns {
      for column in columns.columns where column.meaning.order == nil && column.meaning.holdsDate {
        for row in columns.rows {
          let text = row.text(column.index)
          guard let written = WrittenDate(ofMoment: text),
            case .either(let first, let second, _) = written, first != second
          else { continue }
          if first > 12 {
            day = day ?? text
          } else if second > 12 {
            month = month ?? text
          } else if ambiguous == nil {
            ambiguous = (text, column, columns.table.place(row, column.index))
          }
        }
      }
    }
    if let day, let month {
      questions.add(
        .time, in: folder.path,
        message: "in \(day.quoted) the day stands first and in \(month.quoted) the month",
        remedy: "write all dates in one way, best as 2026-11-21")
    } else if day == nil, month == nil, let (order, text) = orderOfNights {
      note(order, text, "as the night of \(text.excerpt()) shows")
      return order
    } else if day == nil, month == nil, let (text, column, place) = ambiguous,
      dependOnOrder
    {
      questions.add(
        .time, at: place,
        message: "the date \(text.quoted) can be read in two ways, and no other date tells which",
        remedy: "say whether the day stands first (dmy) or the month (mdy)",
        statements: column.stated(as: ["_dmy", "_mdy"].map { column.meaning.name + $0 }))
    }
    guard let shown = day ?? month else { return .dayFirst }
    let order = day != nil ? DateOrder.dayFirst : .monthFirst
    note(order, shown, "as \(shown.excerpt()) shows")
    return order
  }

  private mutating func note(_ order: DateOrder, _ shown: String, _ why: String) {
    let note = (order == .dayFirst ? "day before month" : "month before day") + ", " + why
    for index in columns.indices {
      for kind in [
        ColumnMeaning.Kind.date, .birth, .submission, .time(.row), .time(.drink), .time(.drinkEnd),
        .time(.reading),
      ] where columns[index].column(kind)?.meaning.holdsDate == true {
        columns[index].note(note, of: kind)
      }
    }
  }

  private typealias DatedRow = (date: WrittenDate, clock: Double?, text: String)

  /// The dates and times of the rows of each subject, in the order of the rows.
  private var datedRows: [[DatedRow]] {
    var all: [[DatedRow]] = []
    for table in columns {
      let dates = table.columns.filter { $0.meaning.holdsDate && $0.meaning.kind != .birth }
      let clocks = table.columns.filter { $0.meaning.isTime && $0.meaning.form == .clock }
      for dated in dates {
        let rows = table.rowsOfSubjects().compactMap { subject, row -> (String, DatedRow)? in
          let text = row.text(dated.index)
          guard let date = WrittenDate(ofMoment: text) else { return nil }
          let clock =
            WrittenDateTime(text)?.minutes
            ?? clocks.lazy.compactMap { ClockTime.minutes(row.text($0.index)) }.first
          return (subject, (date, clock, text))
        }
        all += rows.grouped(by: \.0).map { $0.values.map(\.1) }
      }
    }
    return all
  }

  /// The only order of day and month in which rows go on past midnight, as from 3/4 11:30 PM to 3/5 12:00 AM.
  private var orderOfNights: (DateOrder, String)? {
    var found: [(order: DateOrder, text: String)] = []
    for rows in datedRows {
      for (row, next) in zip(rows, rows.dropFirst()) where row.date != next.date {
        guard let clock = row.clock, let other = next.clock else { continue }
        let orders = [DateOrder.dayFirst, .monthFirst].filter { order in
          guard let day = row.date.day(order), let after = next.date.day(order) else {
            return false
          }
          let gap = Double(after - day) * 1440 + other - clock
          return 0 <= gap && gap < SheetOccasions.gapBetweenOccasions
        }
        guard orders.count == 1 else { continue }
        found.append((orders[0], "\(row.text) to \(next.text)"))
      }
    }
    guard let first = found.first, found.allSatisfy({ $0.order == first.order }) else { return nil }
    return first
  }

  /// Whether anything depends on the order of day and month: an age, or a person with several dates.
  private var dependOnOrder: Bool {
    columns.contains { $0.column(.birth) != nil }
      || datedRows.contains { rows in Set(rows.map(\.date)).count > 1 }
  }
}

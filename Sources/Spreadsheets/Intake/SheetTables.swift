import AlcoholKinetics
import Foundation
import StudyData
import StudyFiles

/// The three tables of a study folder, converted from a sheet, with the location of each line in the sheet.
struct SheetTables {
  let subjects, drinks, readings: InputFile

  private typealias Row = (cells: [String], row: Int, columns: [Int])

  init(_ people: [SheetPerson], _ columns: [SheetColumns], unit: ConcentrationUnit) {
    let fields = Self.fieldsOfSubjects(people, columns)
    let personal = columns.first {
      $0.columns.contains { [.sex, .weight, .height, .age].contains($0.meaning.kind) }
    }
    let rows = people.map { person -> Row in
      let facts = fields.dropFirst().map { person.facts[$0] ?? "" }
      return ([person.id] + facts, person.row, fields.map { person.columns[$0] ?? 1 })
    }
    subjects = Self.table(fields, columns, from: personal, rows)
    let doses = [
      "duration_min", "ethanol_g", "volume_ml", "abv_percent", "ethanol_g_per_kg", "drink", "route",
    ]
    let hasOccasions = people.contains { $0.occasions.contains { $0.name != nil } }
    let events = { (areDrinks: Bool, fields: [(key: String, name: String)]) in
      let header =
        ["subject"] + (hasOccasions ? ["occasion"] : []) + ["time_min"] + fields.map(\.name)
      var rows: [Row] = []
      for person in people {
        for (name, events) in person.occasions {
          for event in events where event.isDrink == areDrinks {
            let names = [person.id] + (hasOccasions ? [name ?? ""] : []) + [event.minutes]
            let cells = names + fields.map { event.fields[$0.key] ?? "" }
            rows.append((cells, event.row, header.map { _ in event.column }))
          }
        }
      }
      let source = columns.first { areDrinks ? $0.hasDose : $0.hasReadings }
      return Self.table(header, columns, from: source, rows)
    }
    drinks = events(true, doses.map { ($0, $0) })
    readings = events(false, [("value", unit.rawValue), ("lod", "lod"), ("exclude", "exclude")])
  }

  private static func fieldsOfSubjects(
    _ people: [SheetPerson], _ columns: [SheetColumns]
  ) -> [String] {
    let measures = ["sex", "age_y", "height_cm", "weight_kg"]
    let covariates = columns.flatMap(\.columns).filter { $0.meaning.kind == .covariate }
      .map(\.nameInStudy).unique { $0.lowercased() }
    // A measure that no table has gets no column, so that the reader reports it as missing.
    let present = measures.filter { name in
      people.contains { $0.facts[name] != nil }
        || people.isEmpty
          && columns.contains { $0.columns.contains { $0.meaning.studyName == name } }
    }
    let taken = measures + ["subject"]
    return ["subject"] + present + covariates.filter { !taken.contains($0.lowercased()) }
  }

  private static func table(
    _ fields: [String], _ columns: [SheetColumns], from source: SheetColumns?, _ rows: [Row]
  ) -> InputFile {
    let source = source ?? columns.first
    let origin = SheetOrigin(
      headerRow: source?.header.number ?? 1, titles: fields.map { title(of: $0, columns) })
    var text = CSVText(header: fields)
    for row in rows {
      text.appendRow(row.cells)
      origin.append(row: row.row, columns: row.columns)
    }
    return InputFile(path: source?.table.file ?? "", bytes: Data(text.bytes), origin: origin)
  }

  /// Returns the header in the sheet of a column of study files; nil if it is the same.
  private static func title(of field: String, _ columns: [SheetColumns]) -> String? {
    let column = columns.lazy.flatMap(\.columns).first { column in
      switch column.meaning.kind {
      case .covariate, .unused, .submission: false
      case .time(.drinkEnd): field == "duration_min"
      case .time: field == "time_min"
      case .birth: field == "age_y"
      default: column.meaning.studyName == field
      }
    }
    guard let column, column.title.lowercased() != field else { return nil }
    return column.title
  }
}

extension SheetColumns {
  var hasDose: Bool { columns.contains { $0.meaning.kind.isDose } }

  var hasReadings: Bool { wide.meaning != nil || column(.reading) != nil }

  /// Whether an unrecognised column has numbers that vary within a subject, and so may hold readings.
  var mayHoldReadings: Bool {
    guard let subject = column(.subject)?.index else { return false }
    let unknown = self.unknown
    var first: [Int: [String: Double]] = [:]
    for row in rows {
      let cell = row.text
      for column in unknown {
        guard let number = SheetCellText.number(cell(column.index), true) else { continue }
        let firstNumber = first[column.index, default: [:]][cell(subject)]
        if let firstNumber, firstNumber != number { return true }
        first[column.index, default: [:]][cell(subject)] = number
      }
    }
    return false
  }

  /// Questions about numbers such as 1.200 in a table with decimal commas, which may be 1200 or 1.2.
  var thousands: [Diagnostic] {
    guard table.mayHaveDecimalComma else { return [] }
    var hasComma = false
    var ambiguous: [Diagnostic] = []
    let numeric = columns.filter(\.meaning.holdsNumbers).map(\.index)
    for row in rows {
      for index in numeric {
        let text = row.text(index)
        hasComma = hasComma || text.contains(",") && SheetCellText.number(text, true) != nil
        guard text.utf8.contains(UInt8(ascii: ".")) else { continue }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, (1...3).contains(parts[0].count), parts[0].first != "0",
          parts.dropFirst().allSatisfy({ $0.count == 3 }),
          parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) })
        else { continue }
        ambiguous.add(
          .number, at: table.place(row, index),
          message: "\(text.quoted) may be \(parts.joined()) or \(text.replacing(".", with: ","))",
          remedy: "write numbers without points between thousands")
      }
    }
    return hasComma ? ambiguous : []
  }

  /// Whether a recognised column has another header than in study files and tables of events.
  var isForeign: Bool {
    !wide.columns.isEmpty
      || columns.contains {
        $0.meaning.kind != .unused && ColumnMeaning.named($0.title) == nil
          && !["id", "occ", "time"].contains($0.title.lowercased())
      }
  }

  /// Whether a column holds times of day or dates, which study files do not have.
  var hasTimesOfDay: Bool {
    columns.contains { $0.meaning.isTime && [.clock, .dateTime].contains($0.meaning.form) }
  }

  /// Whether all headers are those of study files.
  var hasOnlyNamesOfStudies: Bool {
    !headers.isEmpty
      && headers.allSatisfy { header in
        ColumnMeaning.named(header).map { $0.name == $0.studyName } ?? false
      }
  }

  var questionOfSubject: Diagnostic {
    Diagnostic(
      .columnMissing, at: SourceLocation(file: table.file, line: header.number),
      message: "no column says whose the rows are; there are \(headers.listing)",
      remedy: "name it, such as Participant, or say which it is",
      statements: ["\(ColumnChoice.anyColumn)=subject"])
  }
}

extension SheetPerson {
  /// Whether any drink or reading has a time of day.
  var isOnClock: Bool {
    occasions.contains { occasion in
      occasion.events.contains { event in
        switch event.moment {
        case .clock, .absolute: true
        default: false
        }
      }
    }
  }
}

extension SheetStudy {
  /// Adds covariates to people; columns with the same title in several tables are merged only if their values agree.
  mutating func addCovariates() {
    var merged: [String: [String: String]] = [:]
    for index in columns.indices {
      let table = columns[index]
      let covariates = table.columns.filter { $0.meaning.kind == .covariate }
      guard !covariates.isEmpty else { continue }
      var facts: [Int: [String: String]] = [:]
      for (subject, row) in table.rowsOfSubjects() {
        for column in covariates {
          guard let text = row.filled(column.index) else { continue }
          if facts[column.index]?[subject] == nil {
            facts[column.index, default: [:]][subject] = text
          }
        }
      }
      for column in covariates {
        let values = facts[column.index] ?? [:]
        var name = column.title
        if let earlier = merged[name.lowercased()], !table.table.isOfOnePerson,
          values.contains(where: { earlier[$0.key] != $0.value })
        {
          let file = URL(fileURLWithPath: table.table.file).deletingPathExtension()
          name += " (\(table.table.name ?? file.lastPathComponent))"
          columns[index].change(column.index) { $0.nameInStudy = name }
        }
        merged[name.lowercased(), default: [:]].merge(values) { first, _ in first }
        people.forEach { person in
          if let text = values[person.id], person.facts[name] == nil { person.facts[name] = text }
        }
      }
    }
  }
}

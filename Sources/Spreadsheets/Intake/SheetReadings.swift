import AlcoholKinetics
import StudyData
import StudyFiles

/// Reads concentrations. Matrix and unit may be stated in the cell, in the row or in the header; a contradiction is an
/// error.
struct SheetReadings {
  struct Value {
    /// The number in ``unit``, with `<` before it if below a limit; the cell's text if it is not a number.
    var text: String
    var unit: ConcentrationUnit?
    var column: Int
  }

  private let columns: SheetColumns
  private let reading, limit, exclusion: SheetColumn?
  private(set) var findings: [Diagnostic] = []
  /// Cells with a word for a missing laboratory result.
  private(set) var withoutResult: [String] = []
  /// Numbers with a mark behind them, as of a footnote.
  private(set) var marked: [(text: String, row: SheetTable.Row, column: SheetColumn)] = []
  /// Messages already reported, each of which is given once.
  private var reported: Set<String> = []
  /// Parsed units and samples: a table has few distinct ones in many rows.
  private var units: [ConcentrationUnit.Matrix?: [String: ColumnMeaning?]] = [:]
  private var sampleWords: [String: SampleWord?] = [:]

  init(_ columns: SheetColumns) {
    self.columns = columns
    reading = columns.column(.reading)
    limit = columns.column(.detectionLimit)
    exclusion = columns.column(.exclusion)
  }

  /// Returns the reading of a row and the further fields of study files; nil without a reading.
  mutating func read(_ row: SheetTable.Row) -> (value: Value?, fields: [String: String]) {
    var fields: [String: String] = [:]
    fields["exclude"] = exclusion.flatMap { column in
      row.filled(column.index).map {
        (ReadingMark(rawValue: column.meaning.name) ?? .flag).exclusion($0)
      }
    }
    guard let reading, let wide = wide(reading, row, fields) else {
      fields["lod"] = limit(row, of: nil)
      return (nil, fields)
    }
    fields = wide.fields
    fields["sample"] = columns.column(.sampleNumber).flatMap { row.filled($0.index) }
    return (wide.value, fields)
  }

  /// Returns the reading in one column of a row, with `lod` and `value` added to the fields; nil if the cell is empty.
  mutating func wide(
    _ column: SheetColumn, _ row: SheetTable.Row, _ fields: [String: String]
  ) -> (value: Value, fields: [String: String])? {
    guard var value = value(column, row) else { return nil }
    var fields = fields
    fields["lod"] = limit(row, of: value.unit)
    if let limit = fields["lod"], SheetCellText.isBelowLimit(value.text) {
      value.text = "<" + limit
    }
    fields["value"] = value.text
    return (value, fields)
  }

  private mutating func value(_ column: SheetColumn, _ row: SheetTable.Row) -> Value? {
    guard var text = row.filled(column.index) else { return nil }
    guard !SheetCellText.isWithoutResult(text) else {
      withoutResult.append(text)
      return nil
    }
    if let mark = text.last, "*†‡#°?".contains(mark),
      columns.table.quantity(text).map({ $0.unit == String(mark) }) ?? true,
      columns.table.quantity(text.dropLast().trimmed) != nil
    {
      marked.append((text, row, column))
      text = text.dropLast().trimmed
    }
    if limit.flatMap({ row.filled($0.index) }) == nil, SheetCellText.isBelowLimit(text) {
      reportMissingLimit(text, column, row)
    }
    var value = Value(text: text, unit: column.meaning.unit, column: column.index + 1)
    let isBelow = text.hasPrefix("<")
    let plain = isBelow ? text.dropFirst().trimmed : text
    let quantity = columns.table.quantity(plain)
    // A suffix without a letter or a sign of a unit is not a unit, so the cell is not a number.
    let unit = quantity?.unit
    guard unit.map({ $0.first != "(" && $0.contains { $0.isLetter || "%‰".contains($0) } }) ?? true
    else { return value }
    guard let meaning = meaning(of: column, row, cell: unit) else { return value }
    value.unit = meaning.unit
    // A cell that is not a number is reported by the reader of the converted table.
    guard let quantity else { return value }
    guard meaning.scale != 1 || quantity.unit != nil || plain.contains(",") else { return value }
    value.text = (isBelow ? "<" : "") + (quantity.number * meaning.scale).description
    return value
  }

  /// Reports, once, a reading below a limit that is not stated.
  private mutating func reportMissingLimit(
    _ text: String, _ column: SheetColumn, _ row: SheetTable.Row
  ) {
    guard reported.insert("below").inserted else { return }
    findings.add(
      .range, at: columns.table.place(row, column.index),
      message: "\(column.title.excerpt()) is \(text.quoted), and nothing says what the limit is",
      remedy:
        "add a column LOD with the limit of detection, or write <0.02 with the number of the limit; leave the cell empty if nothing was measured"
    )
  }

  // MARK: Units

  /// Returns the meaning of a number in a row; nil if it is unknown, which is reported.
  private mutating func meaning(
    of column: SheetColumn, _ row: SheetTable.Row, cell: String?
  ) -> ColumnMeaning? {
    guard let sample = sample(of: column, row) else { return nil }
    let units = [cell, unit(of: column, in: row), column.isStated ? nil : column.unit].compactMap(
      \.self)
    guard let unit = units.first else {
      if let unit = column.meaning.unit, sample == .unstated || sample == .of(unit.matrix) {
        return column.meaning
      }
      return reportOnce(column, row, "the row does not say in what unit the reading is")
    }
    let matrix = sample.matrix ?? column.matrix ?? column.meaning.unit?.matrix
    let meanings = units.map { concentration(of: matrix, in: $0) }
    guard let meaning = meanings[0], meaning.unit != nil else {
      return reportOnce(
        column, row,
        "the unit \(unit.quoted) is none of \(matrix.map(\.rawValue) ?? "those that are known")")
    }
    // A cell may be in another unit of the same kind, as mg/L below g/L.
    guard meanings.allSatisfy({ cell == nil ? $0 == meaning : $0?.unit == meaning.unit }),
      !column.isStated || meaning.unit == column.meaning.unit
    else {
      let headerUnit = zip(units, meanings).first { $1 != meaning }?.0 ?? column.meaning.name
      return reportOnce(
        column, row, "the unit is \(unit.quoted) in the row and \(headerUnit.quoted) in the header")
    }
    return meaning
  }

  private mutating func concentration(
    of matrix: ConcentrationUnit.Matrix?, in unit: String
  ) -> ColumnMeaning? {
    units[matrix, default: [:]].value(of: unit) { ColumnWord.concentration(of: matrix, in: unit) }
  }

  /// Returns the text of the column for units in a row.
  private func unit(of column: SheetColumn, in row: SheetTable.Row) -> String? {
    columns.unitColumns[column.index].flatMap { row.filled($0)?.lowercased() }
  }

  private enum Sample: Equatable {
    case unstated
    case of(ConcentrationUnit.Matrix)

    var matrix: ConcentrationUnit.Matrix? {
      guard case .of(let matrix) = self else { return nil }
      return matrix
    }
  }

  /// Returns the matrix of a row's sample; nil if it cannot be used, which is reported.
  private mutating func sample(of column: SheetColumn, _ row: SheetTable.Row) -> Sample? {
    guard let samples = columns.samples else { return .unstated }
    let title = samples.title.excerpt()
    guard let text = row.filled(samples.index) else {
      if column.matrix != nil || column.isStated { return .unstated }
      return reportOnce(
        column, row, "\(title) is empty: the row does not say what the sample is of",
        remedy: "write Blood, Serum, Plasma or Breath in every row with a reading")
    }
    switch sampleWords.value(of: text, orMade: { SampleWord(text) }) {
    case nil:
      return reportOnce(
        column, row, "\(title) is \(text.quoted), which names no sample",
        remedy: "write Blood, Serum, Plasma or Breath; if the column says something else, say so",
        statements: ["\(title)=ignore"])
    case .unusable?:
      return reportOnce(
        column, row, "\(title) is \(text.quoted), which tells no concentration in blood",
        remedy: "remove these rows: only blood, serum, plasma and breath are read")
    case .of(let matrix)?:
      let ofHeader = column.isStated ? column.meaning.unit?.matrix : column.matrix
      guard let ofHeader, ofHeader != matrix else { return .of(matrix) }
      // Laboratories also call serum alcohol "blood alcohol", and American breathalysers display blood
      // concentrations: these are no contradictions.
      let isLoose =
        !column.isStated
        && ([ofHeader, matrix].allSatisfy { $0 != .breath } || isPercent(column, row))
      guard !isLoose else { return .of(matrix) }
      return reportOnce(
        column, row,
        "\(title) is \(text.quoted), and the column \(column.title.quoted) is of \(ofHeader.rawValue)",
        remedy: "correct one of them, or leave out the column that is wrong",
        statements: ["\(title)=ignore"])
    }
  }

  /// Whether the unit is the percentage that is used for blood and for breath.
  private func isPercent(_ column: SheetColumn, _ row: SheetTable.Row) -> Bool {
    guard let unit = column.unit ?? unit(of: column, in: row) else { return false }
    return ColumnWord.concentration(of: .breath, in: unit)?.unit == .breathGramsPer210Litres
      && ColumnWord.concentration(of: .blood, in: unit) != nil
  }

  /// Reports a contradiction, each message once, and returns nil.
  private mutating func reportOnce<Value>(
    _ column: SheetColumn, _ row: SheetTable.Row, _ message: String,
    remedy: String =
      "say the same in the row and in the header, or leave out the column that is wrong",
    statements: [String] = []
  ) -> Value? {
    guard reported.insert(message).inserted else { return nil }
    findings.add(
      .columnAmbiguous, at: columns.table.place(row, column.index), message: message,
      remedy: remedy,
      statements: statements)
    return nil
  }

  // MARK: Limits

  /// Returns the detection limit of a row, converted to the unit of its reading; nil if there is none.
  private mutating func limit(_ row: SheetTable.Row, of unit: ConcentrationUnit?) -> String? {
    guard let limit, let text = row.filled(limit.index) else { return nil }
    guard let quantity = columns.table.quantity(text) else { return text }
    guard let unit = unit ?? columns.readingUnit else { return text }
    guard let stated = quantity.unit ?? limit.unit else {
      // A limit without a unit has that of the reading.
      let scale = scale(row)
      return scale == 1 && !text.contains(",") ? text : (quantity.number * scale).description
    }
    guard let meaning = concentration(of: unit.matrix, in: stated),
      let from = meaning.unit
    else {
      return reportOnce(
        limit, row, "the unit \(stated.quoted) of the limit is none of \(unit.matrix.rawValue)",
        remedy: "state the limit in the unit of the readings")
    }
    return (quantity.number * meaning.scale * from.exactFactor(to: unit)).description
  }

  /// Returns the factor from the unit of a row's reading to that of study files.
  private mutating func scale(_ row: SheetTable.Row) -> Double {
    guard let column = reading ?? columns.wide.columns.first?.column else { return 1 }
    guard let unit = unit(of: column, in: row), let matrix = column.meaning.unit?.matrix else {
      return column.meaning.scale
    }
    return concentration(of: matrix, in: unit)?.scale ?? column.meaning.scale
  }
}

extension Dictionary {
  /// Returns the value of a key; computes and stores it on first use.
  mutating func value(of key: Key, orMade make: () -> Value) -> Value {
    if let cached = self[key] { return cached }
    let value = make()
    updateValue(value, forKey: key)
    return value
  }
}

extension ConcentrationUnit {
  /// Returns the factor to another unit, rounded to 1e-9 where that changes it by rounding errors only, so that 0.2 g/L
  /// are exactly 20 mg/100 ml.
  func exactFactor(to unit: ConcentrationUnit) -> Double {
    let factors = ConversionFactors()
    let factor = gramsPerKilogram(using: factors) / unit.gramsPerKilogram(using: factors)
    let rounded = (factor * 1e9).rounded() / 1e9
    return abs(rounded - factor) <= factor * 1e-14 ? rounded : factor
  }
}

extension SheetStudy {
  /// Converts all readings to one unit, because a table of study files has one; blood is preferred over other matrices,
  /// with a warning.
  mutating func convertReadingsToOneUnit() {
    let readings = people.events.filter { !$0.isDrink }.grouped(by: \.unit)
    let units = readings.compactMap(\.key)
    guard let target = units.first(where: { $0.matrix == .blood }) ?? units.first else { return }
    readingUnit = target
    guard units.count > 1 else { return }
    people.forEachEvent { $0.convert(to: target) }
    for (unit, readings) in readings {
      guard let unit, unit != target, let first = readings.first else { continue }
      let what =
        "\(readings.count) readings in \(unit.rawValue) were converted to \(target.rawValue)"
      addNote(what, of: .reading)
      guard unit.matrix != target.matrix else { continue }
      warnings.add(
        .matrixConverted,
        at: place(of: first),
        message: what + ", with " + Self.ratios(unit, target),
        remedy:
          "if other ratios hold, convert these readings yourself, or keep a study of each kind")
    }
  }

  private static func ratios(_ units: ConcentrationUnit...) -> String {
    let factors = ConversionFactors()
    let matrices = units.map(\.matrix)
    return [
      matrices.contains(.breath)
        ? "a blood:breath ratio of \(factors.bloodBreathRatio.shown)" : nil,
      matrices.contains(.serum) ? "a serum:blood ratio of \(factors.serumBloodRatio)" : nil,
    ].compactMap(\.self).joined(separator: " and ")
  }
}

extension SheetEvent {
  fileprivate mutating func convert(to target: ConcentrationUnit) {
    guard let unit, unit != target else { return }
    for field in ["value", "lod"] {
      guard let text = fields[field] else { continue }
      let isBelow = text.hasPrefix("<")
      guard let number = SheetCellText.number(isBelow ? String(text.dropFirst()) : text) else {
        continue
      }
      fields[field] = (isBelow ? "<" : "") + (number * unit.exactFactor(to: target)).description
    }
    self.unit = target
  }
}

/// A word for the matrix of a sample.
enum SampleWord: Hashable {
  case of(ConcentrationUnit.Matrix)
  /// A matrix from which no blood concentration follows, such as urine.
  case unusable

  init?(_ text: String) {
    guard text.utf8.count <= 60, let word = Self.words[HeaderText(text).words] else { return nil }
    self = word
  }

  private static let words = Vocabulary.meanings("sample").mapValues { word in
    ConcentrationUnit.Matrix(rawValue: word).map(SampleWord.of) ?? .unusable
  }
}

extension SheetColumns {
  struct Samples {
    let index: Int
    let title: String
    /// The most frequent matrix.
    let matrix: ConcentrationUnit.Matrix
  }

  /// Finds the column that states the matrix of samples, by its header and its values.
  mutating func findSamples() {
    for (index, cell) in header.cells.enumerated() {
      let title = cell.trimmed
      guard isCalled(.matrix, title) else { continue }
      let words = values(of: index).map(SampleWord.init)
      let groups = words.compactMap { if case .of(let matrix)? = $0 { matrix } else { nil } }
        .grouped { $0 }
      // Of equally frequent ones, the first in the table.
      let most = groups.map(\.values.count).max()
      let usual = groups.filter { $0.values.count == most }.map(\.key)
      // If no sample is usable, blood is assumed here and every row is reported when it is read.
      let isBlood = words.contains(.unusable) && (usual.isEmpty || usual.contains(.blood))
      guard let matrix = isBlood ? .blood : usual.first else { continue }
      samples = Samples(index: index, title: title, matrix: matrix)
      return
    }
  }

  /// Finds columns of units; each applies to the nearest suitable column on its left, or else on its right.
  mutating func findUnitColumns() {
    let header = header
    for (index, cell) in header.cells.enumerated() where isCalled(.unit, cell.trimmed) {
      let units = Set(values(of: index).map { $0.lowercased() })
      guard !units.isEmpty, units.count <= 12 else { continue }
      let left = Array(0..<index).reversed()
      for measured in left + Array(header.cells.indices.dropFirst(index + 1))
      where unitColumns[measured] == nil && canHave(units, header.cells[measured]) {
        unitColumns[measured] = index
        break
      }
    }
  }

  private func canHave(_ units: Set<String>, _ header: String) -> Bool {
    let text = HeaderText(header)
    let target = map.target(of: header).flatMap(ColumnMeaning.named)
    guard let word = target.flatMap(ColumnWord.of) ?? text.reading?.word else { return false }
    switch word {
    case .alcohol, .weight, .height, .volume, .duration, .age: break
    case .ethanol:
      // A dose in g cannot have a column of units such as mg/100 ml.
      guard let unit = text.reading?.unit, word.meaning(in: unit) != nil else { break }
      return units.allSatisfy { word.meaning(in: $0) != nil }
    default: return false
    }
    return units.allSatisfy(word.takes)
  }

  private func isCalled(_ word: ColumnWord, _ title: String) -> Bool {
    if let target = map.target(of: title) {
      return ColumnMeaning.named(target)?.name == (word == .unit ? "unit" : "matrix")
    }
    return HeaderText(title).reading?.word == word
  }

  /// Returns the first unit in the column of units that applies to a column.
  func unitOfRows(of index: Int) -> String? {
    unitColumns[index].flatMap { values(of: $0).first?.lowercased() }
  }

  /// Returns the meaning of a column of readings in a unit, or the choices if the matrix is unknown; nil if the word and
  /// the unit are not those of a concentration.
  func concentration(
    _ word: ColumnWord, in unit: String
  ) -> (meaning: ColumnMeaning?, choices: [String])? {
    let matrix: ConcentrationUnit.Matrix?
    switch word {
    case .alcohol(let stated): matrix = stated
    case .ethanol where word.meaning(in: unit) == nil: matrix = nil
    default: return nil
    }
    guard ColumnWord.isConcentration(unit) else { return nil }
    if let meaning = ColumnWord.concentration(of: samples?.matrix ?? matrix, in: unit) {
      return (meaning, [])
    }
    guard matrix == nil || samples != nil else { return nil }
    return (nil, ColumnWord.concentrations(in: unit).map(\.name))
  }

  /// Returns a note on the convention by which an ambiguous unit was read; nil for other units.
  static func unitConvention(_ unit: String, _ meaning: ColumnMeaning) -> String? {
    switch unit {
    case "%", "percent", "%bac", "% bac":
      return meaning.unit == .breathGramsPer210Litres
        ? "\(unit), taken as g per 210 L of breath" : "\(unit), taken as g per 100 ml"
    case "‰", "promille", "per mille", "permille", "promile": return "\(unit), taken as g/kg"
    default: return nil
    }
  }
}

extension SheetStudy {
  /// Removes duplicate rows of a sample, with the same number, time, value and unit, and warns about them.
  mutating func dropRepeatedSamples() {
    var count = 0
    var first: SheetEvent?
    people.forEachOccasion { events, _ in
      var seen: Set<[String]> = []
      events.removeAll { event in
        guard !event.isDrink, let sample = event.fields["sample"] else { return false }
        let key = [
          sample, "\(event.moment)", event.fields["value"] ?? "", event.unit?.rawValue ?? "",
        ]
        guard !seen.insert(key).inserted else { return false }
        count += 1
        first = first ?? event
        return true
      }
    }
    guard let first else { return }
    let name = first.fields["sample"] ?? ""
    warnings.add(
      .repeatedReading,
      at: place(of: first),
      message: (count == 1 ? "a row repeats" : "\(count) rows repeat")
        + " a sample (\(name.excerpt())) with the same time and value; each was counted once",
      remedy: "if they are measurements of their own, give them numbers of their own")
  }
}

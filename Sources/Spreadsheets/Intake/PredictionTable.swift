import AlcoholKinetics
package import StudyData
package import StudyFiles

/// A table of predictions by another program, read in step with the study.
///
/// Only the rows of one subject are in memory, with those of subjects that the study has in another order. If the rows
/// of a subject are not contiguous, the whole table is read first.
package final class PredictionTable {
  package let model: String
  private let path: String
  private let source: RowSource
  private let columns: PredictionColumns
  /// When the first drinks of the study were, by the clock.
  private let starts: [SeriesKey: ClockedStart]
  private var log: FindingLog
  /// The first row of the next subject, which ended the rows of the current one.
  private var lookahead: SheetTable.Row?
  /// Rows already read of subjects that were not yet requested.
  private var waiting: [String: [SheetTable.Row]] = [:]
  /// The predictions of the subject that was requested last, by occasion.
  private var current: (subject: String, predictions: [String?: GivenPrediction])?
  /// Subjects and occasions that are not in the study, in the order of the table.
  private var unknown: [String] = []
  private var rowsWithoutValue: (count: Int, first: Int?) = (0, nil)
  private var highRows: (count: Int, first: Int?) = (0, nil)

  /// Returns the headers of a table, by which `--map` names its columns.
  package static func headers(_ path: String) throws(StudyError) -> [String] {
    try RowSource(path, .empty).header.cells.map(\.headerText)
  }

  /// Opens a table.
  ///
  /// - Parameters:
  ///   - path: A CSV file or a workbook.
  ///   - model: The name of the model.
  ///   - map: The meanings of columns, as stated by `--map`.
  ///   - starts: When the first drinks of the study were, by the clock, from which times of day are counted.
  /// - Throws: ``StudyError`` if the table cannot be read, or if the meaning of a column is ambiguous.
  package init(
    _ path: String, model: String, map: ColumnMap, starts: [SeriesKey: ClockedStart] = [:]
  ) throws(StudyError) {
    self.starts = starts
    self.model = model
    self.path = path
    log = FindingLog(file: path)
    source = try RowSource(path, map)
    columns = try PredictionColumns(source.header, in: source.file, map, log: &log)
    if try !source.keepsSubjectsTogether(columns.subject) {
      while let row = try source.next() {
        guard let subject = subject(of: row) else { continue }
        waiting[subject, default: []].append(row)
      }
    }
  }

  /// The digest of the file; available after the last row has been read.
  package var inputs: [InputDigest] { [source.input.digest].compactMap(\.self) }

  /// Returns the prediction of a series. All series of a subject must be requested one after the other.
  package func prediction(of series: Series) throws(StudyError) -> GivenPrediction {
    let subject = series.subject.id
    if current?.subject != subject {
      collectUnusedOccasions()
      current = (subject, predictions(for: subject, in: try rows(of: subject)))
    }
    if series.occasion != nil, columns.occasion == nil, current?.predictions.isEmpty == false {
      throw StudyError(
        .badData, .columnMissing, in: path,
        message:
          "the table has no column occasion, but the study tells occasions of a subject apart",
        remedy: "add the column, with the occasions that promille check lists")
    }
    return current?.predictions.removeValue(forKey: series.occasion)
      ?? GivenPrediction(model: model, .missing)
  }

  /// Returns the warnings and errors of the table; to be called after the last series.
  package func findings() throws(StudyError) -> [Diagnostic] {
    collectUnusedOccasions()
    while let row = try nextRow() {
      if let subject = subject(of: row) { unknown.append(subject) }
    }
    unknown += waiting.keys.sorted()
    waiting = [:]
    let names = unknown.uniqued
    if !names.isEmpty {
      let listed = names.prefix(10).map(\.quoted).joined(separator: ", ")
      let rest = names.count > 10 ? " and \(names.count - 10) more" : ""
      log.add(
        .predictionUnknown, at: nil,
        "\(names.count) \(names.count == 1 ? "name does" : "names do") not belong to the study: \(listed)\(rest)",
        remedy:
          "spell subjects and occasions as the study does (promille check lists them), or ignore this"
      )
    }
    report(
      rowsWithoutValue, .rowsLeftOut, one: "row has", several: "rows have", "no prediction",
      remedy: "fill them in if the model predicts something")
    report(
      highRows, .readingHigh, one: "prediction is", several: "predictions are",
      "higher than anybody survives", remedy: "check the unit of the column")
    return log.closedFindings
  }

  private func report(
    _ rows: (count: Int, first: Int?), _ code: DiagnosticCode, one: String, several: String,
    _ complaint: String, remedy: String
  ) {
    guard let first = rows.first else { return }
    log.add(
      code, at: Place(line: first, column: 1),
      "\(rows.count) \(rows.count == 1 ? one : several) \(complaint), this the first",
      remedy: remedy)
  }

  // MARK: Rows of a subject

  private func nextRow() throws(StudyError) -> SheetTable.Row? {
    defer { lookahead = nil }
    if let lookahead { return lookahead }
    return try source.next()
  }

  /// Returns the rows of a subject; rows of others on the way are kept.
  private func rows(of subject: String) throws(StudyError) -> [SheetTable.Row] {
    if let rows = waiting.removeValue(forKey: subject) { return rows }
    var rows: [SheetTable.Row] = []
    while let row = try nextRow() {
      let name = self.subject(of: row)
      if name == subject {
        rows.append(row)
      } else if rows.isEmpty {
        if let name { waiting[name, default: []].append(row) }
      } else {
        lookahead = row
        break
      }
    }
    return rows
  }

  private func subject(of row: SheetTable.Row) -> String? {
    if let name = row.filled(columns.subject) { return name }
    if !row.isEmpty {
      log.add(
        .subject, at: place(row, columns.subject), "the row names no subject",
        remedy: "name one, or remove the row")
    }
    return nil
  }

  /// Adds the occasions of the current subject that no series of the study has used to the unknown ones.
  private func collectUnusedOccasions() {
    guard let current else { return }
    unknown += current.predictions.keys.map { occasion in
      occasion.map { "\(current.subject), occasion \($0)" } ?? current.subject
    }.sorted()
    self.current?.predictions = [:]
  }

  private func predictions(
    for subject: String, in rows: [SheetTable.Row]
  ) -> [String?: GivenPrediction] {
    let byOccasion = rows.grouped { row in columns.occasion.flatMap(row.filled) }
    return Dictionary(
      uniqueKeysWithValues: byOccasion.map { occasion, rows in
        let content: GivenPrediction.Content
        do throws(RowProblem) {
          if let value = columns.value {
            content = try curve(of: value, in: rows)
          } else {
            content = try times(
              in: rows, from: starts[SeriesKey(subject: subject, occasion: occasion)])
          }
        } catch {
          log.add(error.finding)
          content = .unusable(error.finding)
        }
        return (occasion, GivenPrediction(model: model, content, level: columns.level))
      })
  }

  // MARK: Curves and times

  private struct Point {
    let row: SheetTable.Row
    let minutes: Double
    let value: Double
    let limits: (low: Double, high: Double)?
  }

  private func curve(
    of column: PredictionColumns.Column, in rows: [SheetTable.Row]
  ) throws(RowProblem) -> GivenPrediction.Content {
    guard let unit = column.unit else { return .missing }
    let factor = unit.gramsPerKilogram(using: ConversionFactors())
    var points: [Point] = []
    for row in rows {
      guard let value = try number(row, column.index) else {
        count(row, in: &rowsWithoutValue)
        continue
      }
      guard let minutes = try minutes(row, columns.time) else {
        throw problem(
          .time, row, columns.time.index, "the row has a concentration and no time",
          "give the time")
      }
      if value * factor > ConcentrationUnit.implausibleConcentration.value {
        count(row, in: &highRows)
      }
      points.append(
        Point(row: row, minutes: minutes, value: value, limits: try limits(of: value, row)))
    }
    points.sort { $0.minutes < $1.minutes }
    for (first, second) in zip(points, points.dropFirst()) where first.minutes == second.minutes {
      let later = first.row.number < second.row.number ? second : first
      throw problem(
        .duplicate, later.row, columns.time.index,
        "there are two predictions for the same series and time", "keep one of them")
    }
    guard !points.isEmpty else { return .missing }
    let limits = points.compactMap(\.limits)
    let hasLimits = limits.count == points.count
    return .curve(
      GivenCurve(
        times: points.map { Hours(minutes: $0.minutes) }, values: points.map(\.value),
        low: hasLimits ? limits.map(\.low) : nil, high: hasLimits ? limits.map(\.high) : nil,
        unit: unit))
  }

  private func times(
    in rows: [SheetTable.Row], from start: ClockedStart?
  ) throws(RowProblem) -> GivenPrediction.Content {
    var times: [(row: SheetTable.Row, time: GivenTime)] = []
    for row in rows {
      guard let minutes = try self.minutes(row, columns.time, from: start) else {
        count(row, in: &rowsWithoutValue)
        continue
      }
      guard minutes >= 0 else {
        throw problem(
          .range, row, columns.time.index,
          "a time to sobriety counts from the first drink and is not negative",
          "give minutes since the first drink, 0 for never above the threshold")
      }
      let low = try self.minutes(row, columns.low, from: start)
      let high = try self.minutes(row, columns.high, from: start)
      try check(low, minutes, high, row, columns.time.index)
      var threshold: Reading?
      if let column = columns.threshold, let unit = column.unit,
        let value = try self.number(row, column.index)
      {
        threshold = Reading(time: 0, value: value, unit: unit)
      }
      times.append(
        (
          row,
          GivenTime(
            Hours(minutes: minutes), low: low.map { Hours(minutes: $0) },
            high: high.map { Hours(minutes: $0) }, threshold: threshold)
        ))
    }
    // Times must not get shorter from the highest threshold to the lowest.
    times.sort { ($0.time.threshold?.value ?? 0) > ($1.time.threshold?.value ?? 0) }
    for (first, second) in zip(times, times.dropFirst()) {
      let above = first.time
      let below = second.time
      let later = first.row.number < second.row.number ? second.row : first.row
      if above.threshold?.value == below.threshold?.value {
        throw problem(
          .duplicate, later, columns.time.index,
          "there are two times for the same series and threshold", "keep one of them")
      }
      if above.time > below.time {
        throw problem(
          .prediction, later, columns.time.index,
          "the time to a lower threshold is the earlier one",
          "check the times and thresholds of the series")
      }
    }
    return times.isEmpty ? .missing : .times(times.map(\.time))
  }

  /// The standard normal quantile at 0.95: limits at so many standard deviations enclose 90 %, the default level.
  private static let limitQuantile = 1.6448536269514722

  /// Returns the limits of a concentration as stated, or computed from its standard deviation; nil if it has neither.
  private func limits(
    of value: Double, _ row: SheetTable.Row
  ) throws(RowProblem) -> (low: Double, high: Double)? {
    if let low = columns.low?.index, let high = columns.high?.index {
      let lower = try number(row, low)
      let upper = try number(row, high)
      try check(lower, value, upper, row, low)
      if let lower, let upper { return (lower, upper) }
    }
    guard let deviation = columns.deviation?.index, let sd = try number(row, deviation) else {
      return nil
    }
    guard sd >= 0 else {
      throw problem(
        .prediction, row, deviation, "a standard deviation is negative", "check the column")
    }
    let distance = sd * Self.limitQuantile
    return (value - distance, value + distance)
  }

  private func check(
    _ low: Double?, _ value: Double, _ high: Double?, _ row: SheetTable.Row, _ column: Int
  ) throws(RowProblem) {
    guard (low ?? value) > value || (high ?? value) < value else { return }
    throw problem(
      .prediction, row, column, "the prediction does not lie between its limits",
      "check the columns of limits")
  }

  // MARK: Cells

  /// The error that makes the predictions of a series unusable.
  private struct RowProblem: Error {
    let finding: Diagnostic
  }

  private func number(_ row: SheetTable.Row, _ column: Int) throws(RowProblem) -> Double? {
    guard row.cells.count <= source.header.cells.count else {
      throw problem(
        .csv, row, 0,
        "the row has \(row.cells.count) fields and the header \(source.header.cells.count)",
        "give every row one field per column; numbers with a decimal comma need quotes, or semicolons between fields"
      )
    }
    guard let text = row.filled(column) else { return nil }
    if let number = SheetCellText.number(text, source.mayHaveDecimalComma), number.isFinite {
      return number
    }
    let title = source.header.text(column).headerText
    throw problem(
      .number, row, column, "\(title.excerpt()) is \(text.quoted), which is not a number",
      columns.value == nil && ClockTime.minutes(text) != nil
        ? "call the column sober_time if it is a time of day"
        : "write a plain number such as 0.45, or leave the field empty")
  }

  /// Returns a time or the limit of one, in minutes; a column without a unit has that of the time column.
  ///
  /// - Parameter start: The first drink, from which times of day are counted.
  private func minutes(
    _ row: SheetTable.Row, _ column: PredictionColumns.Column?, from start: ClockedStart? = nil
  ) throws(RowProblem) -> Double? {
    guard let column else { return nil }
    if columns.time.isClock, column.scale == nil {
      return try row.filled(column.index).map { text throws(RowProblem) in
        try elapsed(until: text, from: start, row, column)
      }
    }
    return try number(row, column.index).map { $0 * (column.scale ?? columns.time.scale ?? 1) }
  }

  /// Returns the minutes from the first drink to a time of day; the first such time after it, if there is no date.
  private func elapsed(
    until text: String, from start: ClockedStart?, _ row: SheetTable.Row,
    _ column: PredictionColumns.Column
  ) throws(RowProblem) -> Double {
    guard let start else {
      throw problem(
        .time, row, column.index,
        "\(column.title.excerpt()) is a time of day, but the study does not say at what time of day the first drink was",
        "give the time since the first drink in a column sober_min or sober_h")
    }
    let fraction = SheetCellText.number(text, source.mayHaveDecimalComma)
    if let time = ClockTime.minutes(text) ?? fraction.flatMap(ClockTime.minutes(ofFraction:)),
      let elapsed = start.elapsed(untilNext: time)
    {
      return elapsed
    }
    // Of the two orders of day and month the one that is nearer after the first drink is meant.
    if let moment = ParsedDateTime(text), !moment.isZoned {
      let times = [DateOrder.dayFirst, .monthFirst].compactMap { moment.date.day($0) }
        .compactMap { start.elapsed(until: Double($0) * 1440 + moment.minutes) }
      if let elapsed = times.filter({ $0 >= 0 }).min() { return elapsed }
    }
    throw problem(
      .time, row, column.index,
      "\(column.title.excerpt()) is \(text.quoted), which is not a time of day after the first drink",
      "write 00:40, or 2026-11-22 00:40 if the study has dates")
  }

  private func problem(
    _ code: DiagnosticCode, _ row: SheetTable.Row, _ column: Int, _ message: String,
    _ remedy: String
  ) -> RowProblem {
    RowProblem(
      finding: Diagnostic(
        code, in: source.file, at: place(row, column), message: message, remedy: remedy))
  }

  private func place(_ row: SheetTable.Row, _ column: Int) -> Place {
    Place(line: row.number, column: column + 1)
  }

  private func count(_ row: SheetTable.Row, in rows: inout (count: Int, first: Int?)) {
    rows = (rows.count + 1, rows.first ?? row.number)
  }
}

/// The rows below the header of a table; those of a CSV file are read one at a time.
private final class RowSource {
  let file: String
  let header: SheetTable.Row
  let mayHaveDecimalComma: Bool
  let input: InputFile
  private var reader: CSVTable?
  /// The rows of a workbook.
  private var rows: ArraySlice<SheetTable.Row> = []

  /// The maximum number of rows with a title and notes above the header.
  private static let maximumRowsAbove = 20

  init(_ path: String, _ map: ColumnMap) throws(StudyError) {
    input = try InputFile.existing(path)
    input.takeDigest()
    if Workbook.isNamed(path) {
      let tables = try SheetTable.shown(in: input)
      let named = tables.first { table in
        table.rows.prefix(Self.maximumRowsAbove).contains { Self.namesSubjects($0, map) }
      }
      guard let table = named ?? tables.first else { throw Self.empty(path) }
      let index =
        table.rows.prefix(Self.maximumRowsAbove).firstIndex { Self.namesSubjects($0, map) } ?? 0
      file = table.file
      header = table.rows[index]
      mayHaveDecimalComma = true
      rows = table.rows[(index + 1)...]
      return
    }
    file = path
    var first: SheetTable.Row?
    var headerRow: SheetTable.Row?
    do throws(CSVProblem) {
      let reader = CSVTable(input)
      while headerRow == nil, let row = try reader.nextRow() {
        first = first ?? row
        if Self.namesSubjects(row, map) { headerRow = row }
        if row.number > Self.maximumRowsAbove { break }
      }
      mayHaveDecimalComma = reader.row.mayHaveCommas
      self.reader = reader
    } catch {
      throw error.refusal(of: path)
    }
    guard let header = headerRow ?? first else { throw Self.empty(path) }
    self.header = header
  }

  private static func namesSubjects(_ row: SheetTable.Row, _ map: ColumnMap) -> Bool {
    row.cells.contains { SheetColumns.subjectRank(of: $0, map) != nil }
  }

  private static func empty(_ path: String) -> StudyError {
    StudyError(
      .badData, .emptyFile, in: path, message: "the file is empty",
      remedy: "begin it with a header that names the columns")
  }

  func next() throws(StudyError) -> SheetTable.Row? {
    guard let reader else { return rows.popFirst() }
    do throws(CSVProblem) {
      return try reader.nextRow()
    } catch {
      throw error.refusal(of: file)
    }
  }

  /// Whether the rows of each subject are contiguous; false for a workbook, which is in memory anyway.
  func keepsSubjectsTogether(_ column: Int) throws(StudyError) -> Bool {
    guard reader != nil else { return false }
    do throws(CSVProblem) {
      let scan = CSVTable(input)
      var seen = SeenNames()
      var last: String?
      while try scan.nextRecord() {
        guard scan.row.width > column else { continue }
        let name = scan.row.text(of: column)
        if name == last { continue }
        guard seen.insert(name) else { return false }
        last = name
      }
      return true
    } catch {
      throw error.refusal(of: file)
    }
  }
}

/// The columns of a table of predictions.
struct PredictionColumns {
  struct Column {
    let index: Int
    let title: String
    let kind: ColumnMeaning.Kind
    /// The factor from its unit of time to minutes; nil if the header states none.
    let scale: Double?
    let unit: ConcentrationUnit?
    /// Whether it holds times of day.
    let isClock: Bool
  }

  let subject: Int
  let occasion: Int?
  /// The times to sobriety in a table of times; otherwise the times of a curve.
  let time: Column
  /// Concentrations; nil in a table of times.
  let value: Column?
  let low, high, deviation, threshold: Column?
  /// The level of the limits as a fraction: that of their headers, or the default.
  let level: Double

  /// Identifies the columns by their headers and by the statements of `--map`.
  ///
  /// - Throws: ``StudyError`` if the table holds neither curves nor times to sobriety, or if a unit is missing.
  init(
    _ header: SheetTable.Row, in file: String, _ map: ColumnMap, log: inout FindingLog
  ) throws(StudyError) {
    var columns: [Column] = []
    var questions: [Diagnostic] = []
    for (index, cell) in header.cells.enumerated() {
      let title = cell.headerText
      let position = Place(line: header.number, column: index + 1)
      switch Self.recognise(title, map) {
      case .ignored: break
      case .unknown:
        log.add(
          .columnIgnored, at: position,
          "the column \(title.isEmpty ? "without a name" : title.quoted) is not used",
          remedy: "say what it is with --map if it holds predictions")
      case .unclear(let choices):
        questions.add(
          .columnUnit, in: file, at: position,
          message: "the column \(title.quoted) states no unit that is known",
          remedy: "say what it is",
          statements: choices.map { "\(title.excerpt())=\($0)" })
      case .column(let kind, let scale, let unit, let isClock):
        if let first = columns.first(where: { $0.kind == kind }) {
          questions.add(
            .columnAmbiguous, in: file, at: position,
            message: "the columns \(first.title.quoted) and \(title.quoted) say the same",
            remedy: "keep one of them, or ignore the other",
            statements: [title, first.title].map { "\($0.excerpt())=ignore" })
        }
        columns.append(
          Column(
            index: index, title: title, kind: kind, scale: scale, unit: unit, isClock: isClock))
      }
    }
    let column = { (kind: ColumnMeaning.Kind) in columns.first { $0.kind == kind } }
    let timeToSobriety = column(.predicted(.time))
    let value = column(.reading)
    if questions.isEmpty, let timeToSobriety, let value {
      questions.add(
        .columnAmbiguous, in: file, at: Place(line: header.number, column: 1),
        message: "the table has both a curve and times to sobriety", remedy: "keep one of the two",
        statements: [timeToSobriety, value].map { "\($0.title.excerpt())=ignore" })
    }
    let titles = header.cells.map(\.headerText)
    guard questions.isEmpty else {
      throw StudyError(
        kind: .badData, diagnostics: questions, headers: titles.filter { !$0.isEmpty })
    }
    func required(_ column: Column?, _ what: String) throws(StudyError) -> Column {
      if let column { return column }
      let finding = Diagnostic(
        .columnMissing, at: SourceLocation(file: file, line: header.number),
        message: "the table has no \(what); it has \(titles.listing)",
        remedy:
          "a curve needs subject, time_min and a concentration such as bac_g_per_l, a time to sobriety needs "
          + "subject and sober_min, sober_h or sober_time; --map says what a column of another name is"
      )
      throw StudyError(kind: .badData, diagnostics: [finding])
    }
    subject = try required(column(.subject), "column of subjects").index
    occasion = column(.occasion)?.index
    low = column(.predicted(.low))
    high = column(.predicted(.high))
    deviation = column(.predicted(.deviation))
    threshold = column(.predicted(.threshold))
    if let timeToSobriety {
      time = timeToSobriety
      self.value = nil
    } else {
      self.value = try required(value, "column named after a concentration unit")
      time = try required(column(.time(.row)), "column time_min")
    }
    let levels = Set([low, high].compactMap { $0.flatMap { Self.level($0.title) } })
    level = (levels.count == 1 ? levels.first : nil) ?? GivenPrediction.usualLevel
  }

  // MARK: Recognition

  private enum Recognised {
    case column(
      ColumnMeaning.Kind, scale: Double? = nil, unit: ConcentrationUnit? = nil,
      isClock: Bool = false)
    /// The unit is missing; the names of `--map` that would state it.
    case unclear([String])
    case ignored, unknown
  }

  private static func recognise(_ title: String, _ map: ColumnMap) -> Recognised {
    if let target = map.target(of: title) { return named(target) ?? .ignored }
    guard !title.isEmpty else { return .ignored }
    if let exact = named(withoutPrefix(title.lowercased())) { return exact }
    let header = HeaderText(title)
    // "Hours to sober" has the unit first.
    let parts = header.words.split(separator: " ")
    if parts.count > 2, ["to", "until", "till", "bis"].contains(parts[1]),
      words[parts[2...].joined(separator: " ")] == .time,
      ColumnWord.time(.row).meaning(in: String(parts[0]))?.form == .number
    {
      return inWords(.time, unit: String(parts[0]))
    }
    if let (what, rest) = predictionWord(header) {
      return inWords(what, unit: header.unit ?? (rest.isEmpty ? nil : rest))
    }
    // "Predicted (g/L)" is a concentration of whatever was measured.
    let isPrefix = Vocabulary.has(header.words, "prediction", "prefix")
    guard
      let (word, unit) = header.reading ?? HeaderText(withoutPrefix(title)).reading
        ?? (isPrefix ? (ColumnWord.alcohol(nil), header.unit) : nil)
    else { return .unknown }
    let meaning = unit.flatMap(word.meaning)
    switch word {
    case .subject: return .column(.subject)
    case .occasion: return .column(.occasion)
    case .time(.row), .time(.reading), .elapsed:
      guard let meaning, meaning.form == .number else { return .unclear(["time_min", "time_h"]) }
      return .column(.time(.row), scale: meaning.scale)
    case .alcohol:
      guard let unit = (meaning ?? word.meaning(in: header.words))?.statedUnit else {
        return .unclear(word.choices)
      }
      return .column(.reading, unit: unit)
    default: return .unknown
    }
  }

  /// Returns the column that a name of `--map` stands for; nil if a table of predictions has no such column.
  private static func named(_ name: String) -> Recognised? {
    guard let meaning = ColumnMeaning.named(name) else { return nil }
    switch meaning.kind {
    case .subject, .occasion: return .column(meaning.kind)
    case .time where meaning.form == .number: return .column(.time(.row), scale: meaning.scale)
    case .reading: return meaning.statedUnit.map { .column(.reading, unit: $0) } ?? .unknown
    case .predicted where meaning.form == .clock: return .column(meaning.kind, isClock: true)
    case .predicted: return .column(meaning.kind, scale: meaning.scale, unit: meaning.unit)
    default: return nil
    }
  }

  private typealias Predicted = ColumnMeaning.Kind.Predicted

  /// Returns the word for a prediction that a header begins with, and the rest of the header.
  private static func predictionWord(_ header: HeaderText) -> (Predicted, rest: String)? {
    let parts = header.words.split(separator: " ")
    for count in stride(from: min(parts.count, 8), through: 1, by: -1) {
      guard let what = words[parts[..<count].joined(separator: " ")] else { continue }
      return (what, parts[count...].joined(separator: " "))
    }
    return nil
  }

  private static let words = Vocabulary.meanings("prediction").compactMapValues(Predicted.init)

  private static func inWords(_ what: Predicted, unit: String?) -> Recognised {
    // "low 95 %" states a level, and "low 90 min" both.
    let unit = unit.map { unit in
      unit.split(separator: " ").filter {
        Double($0.filter { $0 != "%" }) == nil && $0 != "%" && $0 != "ci"
      }
      .joined(separator: " ")
    }
    let time = unit.flatMap { ColumnWord.time(.row).meaning(in: $0) }
    let scale = time?.form == .number ? time?.scale : nil
    switch what {
    case .time:
      return scale.map { .column(.predicted(.time), scale: $0) }
        ?? .unclear(["sober_min", "sober_h", "sober_time"])
    case .low, .high:
      // Limits have the unit of the prediction; only limits of times may state another.
      let isKnown = unit.map { $0.isEmpty || scale != nil || ColumnWord.isConcentration($0) }
      return isKnown ?? true ? .column(.predicted(what), scale: scale) : .unknown
    case .deviation: return .column(.predicted(.deviation))
    case .threshold:
      guard let meaning = unit.flatMap({ ColumnWord.concentration(of: .blood, in: $0) }) else {
        return .unclear(["threshold_g_per_kg", "threshold_g_per_l", "threshold_mg_per_100ml"])
      }
      return .column(.predicted(.threshold), unit: meaning.statedUnit)
    }
  }

  /// Returns a header without its prefix for predictions, as in `predicted_bac_g_per_l`.
  private static func withoutPrefix(_ title: String) -> String {
    let lower = title.lowercased()
    for prefix in Vocabulary.words("prediction", "prefix") {
      guard lower.hasPrefix(prefix), lower.utf8.count > prefix.utf8.count + 1,
        let separator = lower.dropFirst(prefix.count).first, "_ -.".contains(separator)
      else { continue }
      return String(lower.dropFirst(prefix.count + 1))
    }
    return title
  }

  /// Returns the level in a header of limits, such as `low_95` or `lower 95 %`, as a fraction; nil if it has none.
  private static func level(_ title: String) -> Double? {
    title.split { !$0.isASCIIDigit && $0 != "." }.lazy.compactMap { Double($0) }
      .first { 50..<100 ~= $0 }.map { $0 / 100 }
  }
}

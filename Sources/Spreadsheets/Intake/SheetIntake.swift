public import AlcoholKinetics
import Foundation
public import StudyData
public import StudyFiles

extension StudyReader {
  /// Opens a study in any form: a study folder, a table of events, or a spreadsheet, workbook or folder with arbitrary
  /// headers.
  ///
  /// - Parameters:
  ///   - path: The folder, the file, or `-` for a table from standard input.
  ///   - dvUnit: Matrix and unit of `DV`, for a table of events that does not state them.
  ///   - catalogue: The sizes and strengths of the drinks that a study may name.
  ///   - map: The meanings of columns with other headers than those of study files.
  ///   - format: The format of a single file or of standard input.
  /// - Throws: `StudyError` if there is no study at the path, or if the meaning of a column has to be stated.
  public init(
    sheet path: String, dvUnit: ConcentrationUnit = .bloodGramsPerKilogram,
    catalogue: DrinkCatalogue = .standard, map: ColumnMap = .empty, format: InputFormat = .csv
  ) throws(StudyError) {
    try self.init(path, dvUnit: dvUnit, catalogue: catalogue, format: format)
    try interpret(map)
  }

  /// Replaces the input by tables converted from a sheet, if it is one.
  mutating func interpret(_ map: ColumnMap) throws(StudyError) {
    guard var input else { return }
    guard let file = input.files[.events] else {
      let hasMoments = input.files.values.contains {
        SheetTable.header(of: $0)?.contains("datetime") ?? false
      }
      if form == .folder || hasMoments {
        try SheetIntake.open(folder: input, map: map, for: &self)
      }
      return
    }
    file.columns = map
    if form == .standardInput {
      // A table of events is streamed; a sheet has to be read whole.
      guard !file.isArrow, try SheetIntake.isSheet(file, map) else { return }
      input.read(file: try file.inMemory())
      replaceInput(with: input)
    }
    try SheetIntake.open(table: input, map: map, for: &self)
  }
}

/// Distinguishes sheets from study files and tables of events, by their headers.
enum SheetIntake {
  /// Whether standard input is a sheet, which must be read whole before it can be interpreted.
  fileprivate static func isSheet(_ file: InputFile, _ map: ColumnMap) throws(StudyError) -> Bool {
    let bytes = try file.beginning()
    let beginning = InputFile(path: file.path, bytes: bytes)
    let header = SheetTable.header(of: beginning)
    return header.map { !isTableOfEvents($0.map(map.name)) } ?? false
      || bytes.starts(with: Array("PK".utf8)) || ClockedEvents.hasTimesOfDay(beginning, map)
  }

  /// Opens a single table: a workbook, a sheet, or else a table of events.
  fileprivate static func open(
    table input: StudyInput, map: ColumnMap, for reader: inout StudyReader
  ) throws(StudyError) {
    guard let file = input.files[.events] else { return }
    let isWorkbook =
      reader.form == .standardInput
      ? try file.contents().starts(with: Array("PK".utf8)) : Workbook.isNamed(file.path)
    if isWorkbook {
      file.takeDigest()
      let tables = try SheetTable.shown(in: file)
      guard
        let sheet = try SheetStudy(
          tables, path: file.path, map: map, catalogue: input.catalogue, sources: [file])
      else {
        let finding = Diagnostic(
          .fileFormat, in: file.path,
          message: "no sheet of the workbook is a study: none has a column of subjects",
          remedy: "name the column, such as Participant, or say which it is",
          statements: ["\(ColumnChoice.anyColumn)=subject"])
        throw StudyError(
          kind: .badData, diagnostics: [finding],
          headers: tables.flatMap { SheetColumns($0, map: map).headers })
      }
      return sheet.open(for: &reader)
    }
    if !file.isArrow, let header = SheetTable.header(of: file),
      !isTableOfEvents(header.map(map.name))
    {
      file.takeDigest()
      let sheet = try SheetStudy(
        [try table(in: file)], path: file.path, map: map, catalogue: input.catalogue,
        sources: [file])
      if let sheet { return sheet.open(for: &reader) }
    }
    try ClockedEvents.open(input, map, for: &reader)
  }

  /// Opens a folder as a sheet if its tables have other headers than those of study files; otherwise leaves it unchanged.
  fileprivate static func open(
    folder: StudyInput, map stated: ColumnMap, for reader: inout StudyReader
  ) throws(StudyError) {
    var map = stated
    if let descriptor = folder.files[.descriptor] {
      var log = FindingLog(file: descriptor.path)
      map = DataPackage.read(descriptor, log: &log).columns.merging(stated)
    }
    folder.name(map)
    let parts = [StudyFile.subjects, .drinks, .readings].filter { folder.files[$0] != nil }
    var isForeign = false
    var headers: [String] = []
    for file in parts {
      // A file that cannot be read is reported by its reader.
      guard let header = folder.files[file].flatMap(SheetTable.header) else { return }
      headers += header
      isForeign = isForeign || !isUsual(header.map(map.name), file)
    }
    guard isForeign else {
      let wrong = map.findings(notAmong: headers, in: folder.path)
      guard wrong.isEmpty else { throw StudyError(kind: .badData, diagnostics: wrong) }
      return
    }
    let files = parts.compactMap { folder.files[$0] }
    let tables = try files.map { file throws(StudyError) in
      file.takeDigest()
      return try SheetTable(reading: file)
    }
    let columns = tables.map { SheetColumns($0, map: map) }
    // Study files that only lack a column are left to their own reader, whose message is clearer.
    let isSheet = columns.contains {
      $0.isForeign || $0.hasTimesOfDay || !$0.questions.isEmpty || $0.headerIndex > 0
    }
    guard isSheet else { return }
    let forms = SheetForms(tables, map: map)
    let named = Set(forms.columns.map(\.table.file))
    let nameless = columns.filter { !named.contains($0.table.file) && !$0.hasOnlyNamesOfStudies }
    guard nameless.isEmpty || !forms.questions.isEmpty else {
      throw StudyError(
        kind: .badData, diagnostics: nameless.map(\.questionOfSubject),
        headers: nameless.flatMap(\.headers))
    }
    try SheetStudy(
      forms, path: folder.path, map: map, catalogue: folder.catalogue,
      descriptor: folder.files[.descriptor], sources: files
    )?.open(for: &reader)
  }

  /// Reads the table of a file; if a title without separators precedes it, tries semicolons and tabs.
  private static func table(in file: InputFile) throws(StudyError) -> SheetTable {
    let table = try SheetTable(reading: file)
    guard table.rows.first?.cells.count == 1 else { return table }
    for separator in [CSVSeparator.semicolon, .tab] {
      let candidate = try SheetTable(reading: file, separator: separator)
      if SheetColumns(candidate, map: .empty).hasSubject { return candidate }
    }
    return table
  }

  /// Whether a table is one of events in NONMEM's layout.
  private static func isTableOfEvents(_ header: [String]) -> Bool {
    let names = Set(header.map { $0.lowercased() })
    guard names.contains("id") else { return false }
    if !names.isDisjoint(with: ["amt", "dv", "evid", "mdv"]) { return true }
    return names.contains("time") && names.contains("ethanol_g_per_kg")
      && names.contains { ConcentrationUnit(rawValue: $0) != nil }
  }

  /// Whether a table of a folder has the required columns, and no measure under another header.
  private static func isUsual(_ header: [String], _ file: StudyFile) -> Bool {
    let names = Set(header.map { $0.lowercased() })
    guard names.contains("subject") else { return false }
    switch file {
    case .drinks: return names.contains("time_min") && !names.isDisjoint(with: DoseColumns.names)
    case .readings:
      return names.contains("time_min") && names.contains { ConcentrationUnit(rawValue: $0) != nil }
    default:
      let measures: [(ColumnMeaning.Kind, String)] = [
        (.sex, "sex"), (.age, "age_y"), (.height, "height_cm"), (.weight, "weight_kg"),
      ]
      let lacking = measures.filter { !names.contains($0.1) }.map(\.0)
      return lacking.isEmpty
        || !header.contains { name in
          guard let (word, unit) = HeaderText(name).reading else { return false }
          let kind = unit.flatMap(word.meaning)?.kind ?? word.kind
          return kind.map(lacking.contains) ?? false
        }
    }
  }
}

extension ColumnWord {
  /// The measure of a person that the word names, in any unit.
  fileprivate var kind: ColumnMeaning.Kind? {
    switch self {
    case .sex: .sex
    case .age, .birth: .age
    case .height: .height
    case .weight: .weight
    default: nil
    }
  }
}

extension ColumnMap {
  /// Reads the statements about columns of another study, for tables of the same laboratory; columns may be missing.
  ///
  /// - Parameter path: A study folder, or its `datapackage.json`.
  /// - Throws: ``StudyError`` if the path is neither, or cannot be read.
  package init(answersOf path: String) throws(StudyError) {
    let isFolder = StudyReader.isFolder(path)
    let descriptorPath = isFolder ? "\(path)/\(StudyFile.descriptor.rawValue)" : path
    guard isFolder || StudyDocument.isNamed(path) || !FileManager.default.fileExists(atPath: path)
    else {
      throw StudyError(
        .badData, .fileFormat, in: path,
        message: "this is neither a study folder nor a datapackage.json",
        remedy: "name the folder that promille init made of an earlier table")
    }
    guard let file = try InputFile(opening: descriptorPath) else {
      throw StudyError(
        .noInput, isFolder ? .fileMissing : .noSuchStudy, in: descriptorPath,
        message: isFolder
          ? "there is no such file, so the study says nothing of columns"
          : "there is no such study",
        remedy: isFolder
          ? "name a folder that promille init made of an earlier table" : "check the path")
    }
    var log = FindingLog(file: descriptorPath)
    let package = DataPackage.read(file, log: &log)
    let errors = log.findings.filter { $0.severity == .error }
    guard errors.isEmpty else { throw StudyError(kind: .badData, diagnostics: errors) }
    self = package.columns.merging(package.sourceColumns).asDefaults
  }
}

import AlcoholKinetics
import StudyData
import StudyFiles

/// Tells a study that is kept as people keep it from the files of a study folder and from tables of events,
/// by the headers alone: those are read as they always were.
enum SheetIntake {
  /// A study, and what the columns of its sheet were taken as, if it is one.
  typealias Opened = (input: StudyInput, taken: [TakenColumn], summary: String)

  /// Opens a file: a sheet, or else a table of events.
  ///
  /// - Parameter unit: The unit of `DV`, for a table of events that does not say so itself.
  static func open(
    _ file: InputFile, map: ColumnMap, catalogue: DrinkCatalogue, _ unit: ConcentrationUnit
  ) throws(StudyError) -> Opened {
    if let header = SheetTable.header(of: file), !isTableOfEvents(header.map(map.name)) {
      file.takeDigest()
      let sheet = try SheetStudy(
        [try table(in: file)], path: file.path, map: map, catalogue: catalogue, sources: [file])
      if let sheet { return (.folder(sheet.folder), sheet.taken, sheet.summary) }
    }
    return try ClockedEvents.open(file, map, unit) ?? events(file, map, unit)
  }

  static func events(
    _ file: InputFile, _ map: ColumnMap, _ unit: ConcentrationUnit
  ) -> Opened {
    var file = file
    file.columns = map
    return (.events(EventFile(file: file, unit: unit)), [], "")
  }

  /// Opens what comes through standard input: a table of events is read as it comes; of anything else, all is read
  /// at once.
  static func openStandardInput(
    map: ColumnMap, catalogue: DrinkCatalogue, _ unit: ConcentrationUnit
  ) throws(StudyError) -> Opened {
    let file = InputFile.standardInput
    let beginning = try file.beginning()
    let header = SheetTable.header(of: InputFile(path: file.path, bytes: beginning))
    let isSheet = header.map { !isTableOfEvents($0.map(map.name)) } ?? false
    let isWorkbook = !isSheet && beginning.starts(with: Array("PK".utf8))
    let isPlain = !isSheet && !isWorkbook
    if isPlain, !ClockedEvents.hasTimesOfDay(InputFile(path: file.path, bytes: beginning), map) {
      return events(file, map, unit)
    }
    let whole = InputFile(path: file.path, bytes: try file.contents())
    return isWorkbook
      ? try open(workbook: whole, map: map, catalogue: catalogue)
      : try open(whole, map: map, catalogue: catalogue, unit)
  }

  /// Opens a workbook: people, drinks and readings in one of its sheets, or each in its own. Hidden sheets are left
  /// alone.
  static func open(
    workbook file: InputFile, map: ColumnMap, catalogue: DrinkCatalogue
  ) throws(StudyError) -> Opened {
    file.takeDigest()
    let tables = try Workbook(file).sheets.filter { !$0.isHidden && !$0.rows.isEmpty }
      .map { SheetTable($0) }
    guard
      let sheet = try SheetStudy(
        tables, path: file.path, map: map, catalogue: catalogue, sources: [file])
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
    return (.folder(sheet.folder), sheet.taken, sheet.summary)
  }

  /// Whether a table of a folder has dates with times of day in a column of that name.
  static func holdsMoments(_ folder: StudyFolder) -> Bool {
    folder.files.values.contains { SheetTable.header(of: $0)?.contains("datetime") ?? false }
  }

  /// Opens a folder whose tables have names of their own; one whose tables have the usual names is the same as
  /// before.
  static func open(
    _ folder: StudyFolder, map given: ColumnMap
  ) throws(StudyError) -> (StudyFolder, [TakenColumn], String) {
    var folder = folder
    var map = given
    if let descriptor = folder.files[.descriptor] {
      var log = FindingLog(file: descriptor.path)
      map = DataPackage.read(descriptor, log: &log).columns.merging(given)
    }
    folder.name(map)
    let parts = [StudyFile.subjects, .drinks, .readings].filter { folder.files[$0] != nil }
    var isForeign = false
    var headers: [String] = []
    for file in parts {
      // A file that cannot be read is reported by its reader.
      guard let header = folder.files[file].flatMap(SheetTable.header) else {
        return (folder, [], "")
      }
      headers += header
      isForeign = isForeign || !isUsual(header.map(map.name), file)
    }
    guard isForeign else {
      let wrong = map.findings(notAmong: headers, in: folder.path)
      guard wrong.isEmpty else { throw StudyError(kind: .badData, diagnostics: wrong) }
      return (folder, [], "")
    }
    let files = parts.compactMap { folder.files[$0] }
    let tables = try files.map { file throws(StudyError) in
      file.takeDigest()
      return try SheetTable(reading: file)
    }
    let columns = tables.map { SheetColumns($0, map: map) }
    // A study's own tables that lack a column are told so as such.
    let isSheet = columns.contains {
      $0.isForeign || $0.hasTimesOfDay || !$0.questions.isEmpty || $0.headerIndex > 0
    }
    guard isSheet else {
      return (folder, [], "")
    }
    let forms = SheetForms(tables, map: map)
    let named = Set(forms.columns.map(\.table.file))
    let nameless = columns.filter { !named.contains($0.table.file) && !$0.hasOnlyNamesOfStudies }
    guard nameless.isEmpty || !forms.questions.isEmpty else {
      throw StudyError(
        kind: .badData, diagnostics: nameless.map(\.questionOfSubject),
        headers: nameless.flatMap(\.headers))
    }
    guard
      let sheet = try SheetStudy(
        forms, path: folder.path, map: map, catalogue: folder.catalogue,
        descriptor: folder.files[.descriptor], sources: files)
    else { return (folder, [], "") }
    return (sheet.folder, sheet.taken, sheet.summary)
  }

  /// The table in a file. Where a title without separators stands over it, its other rows tell them.
  private static func table(in file: InputFile) throws(StudyError) -> SheetTable {
    let table = try SheetTable(reading: file)
    guard table.rows.first?.cells.count == 1 else { return table }
    for separator in [CSVSeparator.semicolon, .tab] {
      let other = try SheetTable(reading: file, separator: separator)
      if SheetColumns(other, map: .empty).hasSubject { return other }
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

  /// Whether a table of a study folder has the columns that it needs, and none of its others is a measure that
  /// it lacks.
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
  /// The measure of a person that the word names, in whatever unit.
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

@_spi(StudyDay) public import AlcoholKinetics
import DayDatabase
public import Foundation
import GRDB
@_spi(StudyDay) import StudyData
@_spi(StudyDay) public import StudyStore

extension StudyStore {
  /// Adds an export of Apple Health by the rules of `add(_:from:selection:)`.
  ///
  /// Memory does not grow with the size of the export, which may be gigabytes. <doc:AppleHealth> lists the records
  /// that are taken from it.
  ///
  /// - Parameters:
  ///   - stream: The export, as XML.
  ///   - file: Name of the export in findings.
  ///   - options: Subject and settings that the export lacks.
  ///   - selection: Records to import; its times on the clock of a series are ignored.
  /// - Returns: Numbers of records of each type that were added, changed, left alone and refused, and the
  ///   reasons of the first hundred refusals.
  /// - Throws: ``HealthFinding`` if it is no export, or `StoreError`; the database is then as it
  ///   was.
  public func add(
    health stream: InputStream, file: String, _ options: HealthOptions,
    selection: ImportSelection = ImportSelection()
  ) throws -> (counts: ImportCounts, findings: [HealthFinding]) {
    // A typed throw of the store's own; what is wrong with the export travels beside it.
    var finding: HealthFinding?
    do {
      return try write(Schema.studyTables + StudyStore.vitalTables) { db in
        do {
          return try add(stream, file, options, selection, to: db)
        } catch let error as HealthFinding {
          finding = error
          throw error
        }
      }
    } catch {
      if let finding { throw finding }
      throw error
    }
  }

  private func add(
    _ stream: InputStream, _ file: String, _ options: HealthOptions, _ selection: ImportSelection,
    to db: Database
  ) throws -> (ImportCounts, [HealthFinding]) {
    let log = try ImportLog(source: file, inputs: [], on: db)
    let synchronisation = try HealthSynchronisation(
      options, selection: selection, log: log, file: file, on: db)
    let parser = try HealthParser(
      stream, file: file, person: synchronisation.add, record: synchronisation.add)
    try parser.parse()
    try synchronisation.finish()
    try db.run("INSERT INTO study (id, name) VALUES (1, 'Apple Health') ON CONFLICT DO NOTHING")
    try log.close()
    return (log.counts, synchronisation.findings)
  }
}

/// Settings that an export of Apple Health lacks.
public struct HealthOptions: Hashable, Sendable {
  public var subject: String
  /// Ethanol in one of Apple's alcoholic beverages. Apple counts standard drinks; 14 g is that of
  /// the United States (NIAAA), 10 g that of much of Europe and Australia.
  public var ethanolPerBeverage: Grams

  public init(subject: String, ethanolPerBeverage: Grams = 14) {
    self.subject = subject
    self.ethanolPerBeverage = ethanolPerBeverage
  }
}

/// Synchronises a database with an export of Apple Health, inside a transaction.
final class HealthSynchronisation {
  /// Number of findings that are kept; the counts include the others.
  private static let limit = 100
  private static let prefix = "HKQuantityTypeIdentifier"

  private let options: HealthOptions
  private let selection: ImportSelection
  private let log: ImportLog
  private let file: String
  private let subject: (id: Int64, name: String)
  private let vitals: VitalTable
  private let events: HealthEvents
  private let measures: HealthMeasures
  private let ranges: [VitalKind: ClosedRange<Double>]
  private(set) var findings: [HealthFinding] = []

  init(
    _ options: HealthOptions, selection: ImportSelection, log: ImportLog, file: String,
    on db: Database
  ) throws {
    self.options = options
    self.selection = selection
    self.log = log
    self.file = file
    let existing: Int64? = try db.value("SELECT id FROM subjects WHERE name = ?", [options.subject])
    if existing == nil {
      try db.insert(into: "subjects", ["name": options.subject])
      log.added(.subjects)
    } else {
      try log.record(.subjects, row: options.subject, [])
    }
    subject = (existing ?? db.lastInsertedRowID, options.subject)
    vitals = try VitalTable(log: log, on: db)
    events = try HealthEvents(log: log, subject: subject, on: db)
    measures = HealthMeasures(db: db, subject: subject.id)
    ranges = try VitalSettings(db).ranges
  }

  func add(_ person: HealthParser.Person) throws {
    try measures.set(person)
  }

  func add(_ attributes: [String: String], at line: Int) throws {
    guard let type = attributes["type"], type.hasPrefix(Self.prefix) else { return }
    let name = String(type.dropFirst(Self.prefix.count))
    do {
      switch name {
      case "BloodAlcoholContent": try addReading(try record(name, attributes, line), line)
      case "NumberOfAlcoholicBeverages": try addDrink(try record(name, attributes, line), line)
      default:
        guard let kind = VitalKind(rawValue: name), includes(kind) else { return }
        try addVital(try record(name, attributes, line), kind, line)
      }
    } catch let finding as HealthFinding where finding.isAboutRecord {
      log.refused(Self.type(of: name))
      if findings.count < Self.limit { findings.append(finding) }
    }
  }

  /// Gives every occasion the measures of its time.
  func finish() throws {
    try events.removeEmptyOnes()
    try measures.assignToOccasions()
  }

  /// True for selected kinds, and always for body measures, which belong to the subject.
  private func includes(_ kind: VitalKind) -> Bool {
    if kind == .bodyMass || kind == .height { return true }
    return selection.takes(.vitals) && selection.kinds?.contains(kind.rawValue) ?? true
  }

  private static func type(of name: String) -> RecordType {
    switch name {
    case "BloodAlcoholContent": .readings
    case "NumberOfAlcoholicBeverages": .drinks
    default: .vitals
    }
  }

  // MARK: Records

  private func record(
    _ type: String, _ attributes: [String: String], _ line: Int
  ) throws -> HealthRecord {
    guard let value = attributes["value"].flatMap(Double.init), value.isFinite else {
      throw finding(.record, line, "the \(type) has no numeric value")
    }
    guard let start = attributes["startDate"].flatMap({ HealthTime($0) }),
      let end = attributes["endDate"].flatMap({ HealthTime($0) }), start <= end
    else {
      throw finding(.record, line, "the \(type) has no valid start and end")
    }
    return HealthRecord(
      type: type, value: value, unit: attributes["unit"] ?? "", start: start, end: end,
      source: attributes["sourceName"] ?? "")
  }

  private func addVital(_ record: HealthRecord, _ kind: VitalKind, _ line: Int) throws {
    guard selection.takes(day: record.start.day) else { return }
    guard let value = kind.value(record.value, in: record.unit) else {
      throw unitFinding(record, line)
    }
    guard let range = ranges[kind], range.contains(value) else {
      throw finding(
        .range, line, "the \(kind.rawValue) is \(value) \(kind.unit), which is impossible")
    }
    try vitals.add(record, kind, value, of: subject)
  }

  /// The most that Apple's blood alcohol may be: 0.5 g in 100 ml, or 4.7 g/kg. Instruments for
  /// consumers end at 0.4 g in 100 ml, and a source that writes percent where Apple asks for the
  /// fraction, 0.08 for 0.0008, is far above it.
  private static let largestFraction = 0.005

  /// Apple's % is a fraction of 1, and its blood alcohol is that of the United States, g in 100 ml.
  private func addReading(_ record: HealthRecord, _ line: Int) throws {
    guard selection.takes(.readings), selection.takes(day: record.start.day) else { return }
    guard record.unit == "%" else { throw unitFinding(record, line) }
    guard 0...Self.largestFraction ~= record.value else {
      throw finding(
        .range, line,
        "the blood alcohol is \(record.value), which means \(record.value * 100) g/100 ml and is "
          + "impossible; Apple's % is a fraction: 0.0008 for 0.08 g/100 ml")
    }
    try events.addReading(record, gramsPer100Millilitres: record.value * 100)
  }

  private func addDrink(_ record: HealthRecord, _ line: Int) throws {
    guard selection.takes(.drinks), selection.takes(day: record.start.day) else { return }
    guard record.unit == "count" else { throw unitFinding(record, line) }
    let grams = record.value * options.ethanolPerBeverage.value
    guard 0...5000 ~= grams else {
      throw finding(.range, line, "the drink holds \(grams) g of ethanol, which is impossible")
    }
    try events.addDrink(record, ethanol: Grams(grams))
  }

  private func unitFinding(_ record: HealthRecord, _ line: Int) -> HealthFinding {
    finding(.unit, line, "the unit of the \(record.type) is \"\(record.unit)\"")
  }

  private func finding(_ code: HealthFinding.Code, _ line: Int, _ message: String) -> HealthFinding
  {
    HealthFinding(code: code, file: file, line: line, message: message)
  }
}

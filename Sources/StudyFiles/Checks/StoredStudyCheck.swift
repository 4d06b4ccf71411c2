package import AlcoholKinetics
package import Foundation
package import StudyData

/// A series under construction from the rows of a database, which come in order of time.
package struct StoredSeries {
  package let id: Int64
  package let subject: Subject
  fileprivate var draft: SeriesDraft
  /// The number of rows so far, usable or not.
  fileprivate var rows = (drinks: 0, readings: 0)

  /// The findings about its rows so far, and those it began with.
  package var findings: [Diagnostic] { draft.findings }

  /// Begins a series with the findings stored for it.
  package init(id: Int64, subject: Subject, occasion: String?, findings: [Diagnostic]) {
    self.id = id
    self.subject = subject
    draft = SeriesDraft(
      occasion: occasion, mention: SourceLocation(file: "series", line: Int(id)),
      findings: findings)
  }
}

/// Checks the records of a database by the rules for rows of files, because other programs can write impossible values
/// into it.
///
/// Findings name the database and, in the message, the table and row: subjects and series by their `id`, drinks and
/// readings by their number in the series, in order of time. Impossible values are left out. Findings with the code of
/// one that the source files already have are not repeated.
package struct StoredStudyCheck {
  private static let layout = StudyLayout.database

  private var check = SeriesCheck(layout: layout)
  private var log: FindingLog
  private var pending: [Diagnostic] = []

  /// Whether to warn about a series without readings, and about a subject without a weight; to be set if others have them.
  package var warnsAboutMissingReadings = true
  package var warnsAboutMissingWeight = true

  package init(of database: String) { log = FindingLog(file: database) }

  package var findings: [Diagnostic] {
    log.closedFindings + check.findingsOfStudy.map { located($0, of: nil) }
  }

  // MARK: Rows

  /// Removes impossible values from a subject in a table, `subjects` or `series`, and reports them.
  package mutating func check(
    _ subject: inout Subject, in table: String, row: Int64, findings: inout [Diagnostic]
  ) {
    let location = SourceLocation(file: table, line: Int(row))
    if !allows(subject.age?.value, .age, "age_y", location) { subject.age = nil }
    if !allows(subject.height?.value, .heightInMetres, "height_m", location) {
      subject.height = nil
    }
    if !allows(subject.weight?.value, .weight, "weight_kg", location) { subject.weight = nil }
    if subject.food == nil, let word = subject.covariates[Subject.foodName], !word.isEmpty {
      pending.add(
        .word, at: location, message: "food is \(word.quoted), \(FoodState.complaint)",
        remedy: FoodState.remedy(for: word))
      subject.food = nil
    }
    if let doubt = subject.bodyDoubt, let weight = subject.weight?.value {
      pending.add(
        doubt.code, at: location, message: "weight_kg is \(weight.shown), \(doubt.complaint)",
        remedy: doubt.remedy)
    }
    flush(into: &findings, of: nil)
  }

  /// Adds the next drink to its series, unless it is impossible, which is reported.
  package mutating func add(_ drink: Drink, _ uuid: UUID?, to series: inout StoredSeries) {
    series.rows.drinks += 1
    series.draft.hasDrinkRows = true
    let row = series.rows.drinks
    let location = SourceLocation(file: Self.layout.drinks, line: row)
    var isPossible = allows(drink.time.value, .hours, "time_h", location)
    isPossible =
      allows(drink.duration.value, .hours, "duration_h", location)
      && allows(drink.duration.value, .duration(in: "hours"), "duration_h", location) && isPossible
    let (name, amount, limit) =
      switch drink.ethanol {
      case .mass(let grams): ("ethanol_g", grams.value, ValueRule.limitInGrams)
      case .perBodyWeight(let dose):
        ("ethanol_g_per_kg", dose.value, ValueRule.limitInGramsPerKilogram)
      }
    isPossible =
      allows(amount, .amount, name, location)
      && allows(amount, .amount(upTo: limit), name, location)
      && isPossible
    flush(into: &series.draft.findings, of: series.id)
    guard isPossible else { return }
    series.draft.drinks.append(drink, at: Place(line: row, column: 1), uuid)
  }

  /// Adds the next reading to its series, unless it is impossible, which is reported.
  package mutating func add(
    _ reading: Reading, _ uuid: UUID?, source: String?, to series: inout StoredSeries
  ) {
    series.rows.readings += 1
    let row = series.rows.readings
    var reading = reading
    if !isSound(reading) {
      let location = SourceLocation(file: Self.layout.readings, line: row)
      let isPossible = repair(&reading, location)
      flush(into: &series.draft.findings, of: series.id)
      guard isPossible else { return }
    }
    series.draft.readings.append(reading, at: Place(line: row, column: 1), uuid, source: source)
  }

  /// Whether a reading needs no finding: a fast test, because there may be a million readings.
  private func isSound(_ reading: Reading) -> Bool {
    let blood = reading.bloodConcentration(using: ConversionFactors())
    return ValueRule.hours.allows(reading.time.value) && reading.value.isFinite
      && reading.limitOfDetection.map { $0.isFinite && $0 >= 0 } ?? true
      && (reading.isExcluded
        || reading.value >= 0 && blood <= ConcentrationUnit.implausibleConcentration)
  }

  /// Reports impossible values of a reading, removes an impossible limit, and returns whether the reading can be used.
  private mutating func repair(_ reading: inout Reading, _ place: SourceLocation) -> Bool {
    let isTimed = allows(reading.time.value, .hours, "time_h", place)
    if !allows(reading.limitOfDetection, .detectionLimit, "limit_of_detection", place) {
      reading.limitOfDetection = nil
    }
    guard allows(reading.value, reading.isExcluded ? nil : .reading, "value", place) else {
      return false
    }
    // A high reading is reported, and used.
    if !reading.isExcluded {
      _ = allows(reading.value, .highReading(in: reading.unit), "value", place)
    }
    return isTimed
  }

  /// Whether a number is missing, or finite and allowed by a rule; reported if not.
  private mutating func allows(
    _ number: Double?, _ rule: ValueRule?, _ column: String, _ place: SourceLocation
  ) -> Bool {
    guard let number else { return true }
    guard number.isFinite else {
      pending.add(
        .number, at: place, message: "\(column) is \(number), which is not a finite number",
        remedy: "correct it")
      return false
    }
    guard let rule, !rule.allows(number) else { return true }
    pending.add(
      rule.code, at: place, message: "\(column) is \(number), \(rule.complaint)",
      remedy: rule.remedy)
    return false
  }

  // MARK: Series

  /// Warns that the study has no readings, if that was set.
  package mutating func reportMissingReadings() {
    guard !warnsAboutMissingReadings else { return }
    log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: "import them if something was measured")
  }

  /// Returns the complete series with its findings.
  package mutating func finish(_ series: StoredSeries) -> Series {
    var series = series
    checkWhole(&series)
    return Series(series.draft, of: series.subject)
  }

  private mutating func checkWhole(_ series: inout StoredSeries) {
    // After errors in the source files further findings would be misleading.
    guard !series.draft.findings.hasError else { return }
    if series.rows == (0, 0) {
      pending.add(
        .doseMissing, at: series.draft.mention,
        message: "subject \(series.subject.id.quoted) has no drink",
        remedy: Self.layout.remedyForNoRows)
    } else {
      if warnsAboutMissingWeight, series.subject.weight == nil,
        series.draft.drinks.values.contains(where: \.ethanol.needsWeight)
      {
        pending.append(series.subject.weightMissing(at: series.draft.mention))
      }
      check.check(
        &series.draft, of: SubjectDraft(described: series.subject),
        warnsAboutMissingReadings: warnsAboutMissingReadings)
      pending += check.findings
    }
    flush(into: &series.draft.findings, of: series.id)
  }

  // MARK: Findings

  /// Moves pending findings to a list, except warnings whose code was already reported for a source file.
  private mutating func flush(into list: inout [Diagnostic], of series: Int64?) {
    guard !pending.isEmpty else { return }
    let reported = Set(list.filter { $0.location.file != log.file }.map(\.code))
    for finding in pending where finding.severity == .error || !reported.contains(finding.code) {
      log.add(located(finding, of: series), to: &list)
    }
    pending.removeAll()
  }

  private func located(_ finding: Diagnostic, of series: Int64?) -> Diagnostic {
    let table = finding.location.file
    let row = finding.location.line.map { ", row \($0)" } ?? ""
    let isNumberedInSeries = [Self.layout.drinks, Self.layout.readings].contains(table)
    let whose = isNumberedInSeries ? series.map { " of series \($0)" } ?? "" : ""
    return Diagnostic(
      finding.code, in: log.file, message: "\(table)\(row)\(whose): \(finding.message)",
      remedy: finding.remedy)
  }
}

extension Subject {
  /// Returns the warning that drinks are in g while the weight is missing.
  func weightMissing(at location: SourceLocation) -> Diagnostic {
    Diagnostic(
      .weightMissing, at: location, message: "subject \(id.quoted) has drinks in g but no weight",
      remedy: "fill in the weight; without it nothing can be fitted or predicted")
  }
}

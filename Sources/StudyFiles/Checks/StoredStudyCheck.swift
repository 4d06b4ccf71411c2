package import AlcoholKinetics
package import Foundation
package import StudyData

/// A series while its rows are read from a database, where they come in order of time.
package struct StoredSeries {
  package let id: Int64
  package let subject: Subject
  fileprivate var draft: SeriesDraft
  /// How many rows came, whether they can be used or not.
  fileprivate var rows = (drinks: 0, readings: 0)

  /// The findings about its rows so far, and those known before.
  package var findings: [Diagnostic] { draft.findings }

  /// Begins a series, of which some findings are known.
  package init(id: Int64, subject: Subject, occasion: String?, findings: [Diagnostic]) {
    self.id = id
    self.subject = subject
    draft = SeriesDraft(
      occasion: occasion, mention: SourceLocation(file: "series", line: Int(id)),
      findings: findings)
  }
}

/// Checks the records of a database as the rows of files are checked, by the same rules: whoever has a
/// tool for SQLite can write into it what no file would bring in.
///
/// What is found names the database, and in its text the table and the row: subjects and series by their
/// `id`, drinks and readings by their number in their series, in order of time. A value that cannot be
/// true is left out, as it is from a file. What the files that the study came from have been told before
/// is not repeated.
package struct StoredStudyCheck {
  private static let layout = StudyLayout.database

  private var check = SeriesCheck(layout: layout)
  private var log: FindingLog
  private var pending: [Diagnostic] = []

  /// Whether to warn of a series without readings, and of a subject without a weight: if others have some.
  package var (wantsReadings, wantsWeight) = (true, true)

  package init(of database: String) { log = FindingLog(file: database) }

  package var findings: [Diagnostic] {
    log.closedFindings + check.findingsOfStudy.map { located($0, of: nil) }
  }

  // MARK: Rows

  /// Removes impossible values from a subject in a table, `subjects` or `series`, and reports them.
  package mutating func check(
    _ subject: inout Subject, in table: String, row: Int64, findings: inout [Diagnostic]
  ) {
    let place = SourceLocation(file: table, line: Int(row))
    if !allows(subject.age?.value, .age, "age_y", place) { subject.age = nil }
    if !allows(subject.height?.value, .heightInMetres, "height_m", place) { subject.height = nil }
    if !allows(subject.weight?.value, .weight, "weight_kg", place) { subject.weight = nil }
    if subject.food == nil, let word = subject.covariates[Subject.foodName], !word.isEmpty {
      pending.add(
        .word, at: place, message: "food is \(word.quoted), \(FoodState.complaint)",
        remedy: FoodState.remedy(for: word))
      subject.food = nil
    }
    if let doubt = subject.bodyDoubt, let weight = subject.weight?.value {
      pending.add(
        doubt.code, at: place, message: "weight_kg is \(weight.shown), \(doubt.complaint)",
        remedy: doubt.remedy)
    }
    settle(into: &findings, of: nil)
  }

  /// Adds the next drink to its series, if it can be true.
  package mutating func add(_ drink: Drink, _ uuid: UUID?, to series: inout StoredSeries) {
    series.rows.drinks += 1
    series.draft.hasDrinkRows = true
    let row = series.rows.drinks
    let place = SourceLocation(file: Self.layout.drinks, line: row)
    var isPossible = allows(drink.time.value, .hours, "time_h", place)
    isPossible =
      allows(drink.duration.value, .hours, "duration_h", place)
      && allows(drink.duration.value, .duration(in: "hours"), "duration_h", place) && isPossible
    let (name, amount, limit) =
      switch drink.ethanol {
      case .mass(let grams): ("ethanol_g", grams.value, ValueRule.limitInGrams)
      case .perBodyWeight(let dose):
        ("ethanol_g_per_kg", dose.value, ValueRule.limitInGramsPerKilogram)
      }
    isPossible =
      allows(amount, .amount, name, place) && allows(amount, .amount(upTo: limit), name, place)
      && isPossible
    settle(into: &series.draft.findings, of: series.id)
    guard isPossible else { return }
    series.draft.drinks.append(drink, at: Place(line: row, column: 1), uuid)
  }

  /// Adds the next reading to its series, if it can be true.
  package mutating func add(_ reading: Reading, _ uuid: UUID?, to series: inout StoredSeries) {
    series.rows.readings += 1
    let row = series.rows.readings
    var reading = reading
    if !isSound(reading) {
      let place = SourceLocation(file: Self.layout.readings, line: row)
      let isPossible = mend(&reading, place)
      settle(into: &series.draft.findings, of: series.id)
      guard isPossible else { return }
    }
    series.draft.readings.append(reading, at: Place(line: row, column: 1), uuid)
  }

  /// Whether a reading needs no finding; there may be a million of them.
  private func isSound(_ reading: Reading) -> Bool {
    let blood = reading.bloodConcentration(using: ConversionFactors())
    return ValueRule.hours.allows(reading.time.value) && reading.value.isFinite
      && reading.limitOfDetection.map { $0.isFinite && $0 >= 0 } ?? true
      && (reading.isExcluded
        || reading.value >= 0 && blood <= ConcentrationUnit.implausibleConcentration)
  }

  /// Reports what is wrong with a reading, and tells whether the rest of it can be used.
  private mutating func mend(_ reading: inout Reading, _ place: SourceLocation) -> Bool {
    let isTimed = allows(reading.time.value, .hours, "time_h", place)
    if !allows(reading.limitOfDetection, .detectionLimit, "limit_of_detection", place) {
      reading.limitOfDetection = nil
    }
    guard allows(reading.value, reading.isExcluded ? nil : .reading, "value", place) else {
      return false
    }
    // What is high is doubtful, and used.
    if !reading.isExcluded {
      _ = allows(reading.value, .highReading(in: reading.unit), "value", place)
    }
    return isTimed
  }

  /// Whether a number, if there is one, is finite and as a rule has it; noted if not.
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

  package mutating func noteSilence() {
    guard !wantsReadings else { return }
    log.add(
      .noReadings, at: nil, "the study has no readings",
      remedy: "import them if something was measured")
  }

  /// Puts a series together, with what is wrong with it.
  package mutating func finish(_ series: StoredSeries) -> Series {
    var series = series
    checkWhole(&series)
    return Series(series.draft, of: series.subject)
  }

  private mutating func checkWhole(_ series: inout StoredSeries) {
    // Where the files had an error, what came of them says little.
    guard !series.draft.findings.hasError else { return }
    if series.rows == (0, 0) {
      pending.add(
        .doseMissing, at: series.draft.mention,
        message: "subject \(series.subject.id.quoted) has no drink",
        remedy: Self.layout.remedyForNoRows)
    } else {
      if wantsWeight, series.subject.weight == nil,
        series.draft.drinks.values.contains(where: \.ethanol.needsWeight)
      {
        pending.append(series.subject.weightMissing(at: series.draft.mention))
      }
      check.check(
        &series.draft, of: SubjectDraft(described: series.subject), wantsReadings: wantsReadings)
      pending += check.findings
    }
    settle(into: &series.draft.findings, of: series.id)
  }

  // MARK: Findings

  /// Moves pending findings to a list, unless a file has been reported for the same already.
  private mutating func settle(into list: inout [Diagnostic], of series: Int64?) {
    guard !pending.isEmpty else { return }
    let told = Set(list.filter { $0.location.file != log.file }.map(\.code))
    for finding in pending where finding.severity == .error || !told.contains(finding.code) {
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
  /// That drinks are in g, which say nothing about a concentration without a weight.
  func weightMissing(at location: SourceLocation) -> Diagnostic {
    Diagnostic(
      .weightMissing, at: location, message: "subject \(id.quoted) has drinks in g but no weight",
      remedy: "fill in the weight; without it nothing can be fitted or predicted")
  }
}

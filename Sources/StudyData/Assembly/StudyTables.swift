import AlcoholKinetics

/// The tables of an open study, of which everything is read at once or a subject at a time.
protocol StudyTables {
  /// Where the parts of the study stand.
  var layout: StudyLayout { get }
  /// The logs of the tables.
  var logs: [FindingLog] { get }

  /// Reads everything.
  mutating func readAll(into draft: inout StudyDraft)

  /// Reads the next subject straight into ``plainSeries``, if it is as most subjects are; false,
  /// with nothing changed, if not.
  mutating func readPlainSubject() -> Bool

  /// The series of the plain subject that was read last.
  var plainSeries: Series? { get }

  /// Reads the next subject with all of its series; false if there is none, or the
  /// tables are out of order.
  mutating func readSubject(into draft: inout StudyDraft) -> Bool

  /// Whether the subjects come in the same order in all tables, as far as they have been read one
  /// at a time.
  var isInOrder: Bool { get }

  /// Whether a series without readings is worth a word.
  var wantsReadings: Bool { get }

  /// Says what only shows once all tables have been read.
  mutating func end()

  /// Keeps a finding about a series or a subject, unless the log of its file is full.
  mutating func keep(_ finding: Diagnostic, in list: inout [Diagnostic])
}

extension StudyTables {
  mutating func readPlainSubject() -> Bool { false }

  var plainSeries: Series? { nil }

  /// What concerns the tables themselves.
  var findings: [Diagnostic] { logs.flatMap(\.closedFindings) }

  /// Reads all series at once, in order of first mention.
  ///
  /// - Throws: ``StudyError`` if a table, or the file beside them, cannot be used, with everything
  ///   that was found.
  mutating func allSeries(beside log: FindingLog) throws(StudyError) -> [Series] {
    var draft = StudyDraft()
    readAll(into: &draft)
    end()
    try (logs + [log]).endIfBroken(with: draft.rowFindings)
    var check = SeriesCheck(layout: layout)
    var all: [Series] = []
    appendSeries(from: &draft, to: &all, &check)
    return all
  }

  /// Turns what was read into series: in order, checked, each with what was found wrong with it.
  mutating func appendSeries(
    from draft: inout StudyDraft, to all: inout [Series], _ check: inout SeriesCheck
  ) {
    for var subject in draft.subjects {
      warnOfMissingWeight(of: &subject, in: draft)
      if subject.series.isEmpty { all.append(seriesWithoutRows(subject)) }
      for index in subject.series {
        check.check(&draft.series[index], of: subject, wantsReadings: wantsReadings)
        for finding in check.findings { keep(finding, in: &draft.series[index].findings) }
        all.append(Series(draft.series[index], of: subject))
      }
    }
  }

  /// Without a weight, grams of ethanol say nothing about a concentration.
  private mutating func warnOfMissingWeight(of subject: inout SubjectDraft, in draft: StudyDraft) {
    guard let place = subject.missingWeight, draft.hasMass(drunkBy: subject) else { return }
    keep(
      Diagnostic(
        .weightMissing, at: SourceLocation(file: layout.subjects, place: place),
        message: "subject \(subject.subject.id.quoted) has drinks in g but no weight",
        remedy: "fill in the weight; without it nothing can be fitted or predicted"),
      in: &subject.findings)
  }

  private mutating func seriesWithoutRows(_ subject: SubjectDraft) -> Series {
    var findings = subject.findings
    let location = subject.place.map { SourceLocation(file: layout.subjects, place: $0) }
    keep(
      Diagnostic(
        .doseMissing, at: location ?? SourceLocation(file: layout.subjects),
        message: "subject \(subject.subject.id.quoted) has no drink",
        remedy: layout.remedyForNoRows),
      in: &findings)
    return Series(subject: subject.subject, drinks: [], readings: [], diagnostics: findings)
  }
}

extension StudyDraft {
  fileprivate func hasMass(drunkBy subject: SubjectDraft) -> Bool {
    subject.series.contains { index in
      series[index].drinks.values.contains { $0.ethanol.needsWeight }
    }
  }
}

extension EthanolDose {
  /// Whether it takes a body weight to say what concentration it gives.
  var needsWeight: Bool { perKilogram(ofBodyWeight: nil) == nil }
}

extension Series {
  fileprivate init(_ draft: SeriesDraft, of subject: SubjectDraft) {
    self.init(
      subject: subject.subject, occasion: draft.occasion, drinks: draft.drinks.values,
      readings: draft.readings.values,
      uuids: GivenUUIDs(drinks: draft.drinks.uuids, readings: draft.readings.uuids),
      diagnostics: subject.findings + draft.findings)
  }
}

import AlcoholKinetics

/// Turns a draft into series: in order, checked, each with what was found wrong with it.
struct StudyAssembly {
  private var draft: StudyDraft
  private var subjectLog: FindingLog
  private var check: SeriesCheck

  /// Takes a draft and the logs of the three tables.
  init(_ draft: StudyDraft, subjectLog: FindingLog, drinkLog: FindingLog, readingLog: FindingLog) {
    self.draft = draft
    self.subjectLog = subjectLog
    check = SeriesCheck(drinkLog: drinkLog, readingLog: readingLog)
  }

  /// The series of all subjects, those that `subjects.csv` has first.
  mutating func series() -> [Series] {
    draft.subjects.indices.flatMap { index in
      let indices = draft.subjects[index].series
      return indices.isEmpty ? [seriesWithoutRows(index)] : indices.map { series($0, of: index) }
    }
  }

  /// What concerns the tables themselves.
  var findings: [Diagnostic] {
    [subjectLog, check.drinkLog, check.readingLog].flatMap(\.closedFindings)
  }

  private mutating func series(_ index: Int, of subjectIndex: Int) -> Series {
    let subject = draft.subjects[subjectIndex]
    check.check(&draft.series[index], of: subject.subject.id, isKnown: subject.place != nil)
    let series = draft.series[index]
    return Series(
      subject: subject.subject, occasion: series.occasion, drinks: series.drinks.values,
      readings: series.readings.values, diagnostics: subject.findings + series.findings)
  }

  private mutating func seriesWithoutRows(_ subjectIndex: Int) -> Series {
    let subject = draft.subjects[subjectIndex]
    var findings = subject.findings
    subjectLog.add(
      subjectLog.finding(
        .doseMissing, at: subject.place, "subject \(subject.subject.id.quoted) has no drink",
        remedy: "add the subject's drinks to drinks.csv or remove the subject"),
      to: &findings)
    return Series(subject: subject.subject, drinks: [], readings: [], diagnostics: findings)
  }
}

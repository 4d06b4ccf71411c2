package import AlcoholKinetics
package import StudyData

extension Reading {
  /// Describes a reading.
  ///
  /// - Parameters:
  ///   - value: The measured concentration.
  ///   - unit: Its unit and matrix.
  ///   - time: The time of the sample.
  ///   - limitOfDetection: The limit of detection, in `unit`, if there is one for this reading.
  package init(
    _ value: Double, _ unit: ConcentrationUnit, at time: Stated<HourUnit>,
    limitOfDetection: Double? = nil
  ) {
    self.init(time: time.quantity, value: value, unit: unit, limitOfDetection: limitOfDetection)
  }
}

extension Study {
  /// Makes a study from values in memory, checked like the rows of files.
  ///
  /// Drinks and readings are sorted by time. Implausible but possible values are reported in
  /// ``Series/diagnostics``; findings count drinks and readings in order of time.
  ///
  /// - Parameters:
  ///   - series: The drinks and readings of each subject and occasion.
  ///   - name: The name of the study.
  ///   - instrument: The instrument of the readings, if known.
  /// - Throws: ``StudyError`` with all errors: a number that is negative or not finite, an impossible measure of a
  ///   person, a subject listed twice on one occasion. Such findings count drinks and
  ///   readings in the order given.
  package init(of series: [Series], name: String, instrument: Instrument? = nil) throws(StudyError)
  {
    let checked = Self.checked(series)
    self.init(
      name: name, instrument: instrument, series: checked.series, diagnostics: checked.findings)
    let errors = allDiagnostics.filter { $0.severity == .error }
    guard errors.isEmpty else { throw StudyError(kind: .badData, diagnostics: errors) }
  }

  /// Returns the series in order of time with their findings, and the findings about the whole study.
  package static func checked(_ series: [Series]) -> (series: [Series], findings: [Diagnostic]) {
    let hasReadings = series.contains { !$0.readings.isEmpty }
    var seen: Set<[String?]> = []
    var check = SeriesCheck(layout: .values)
    let checked = series.map { series in
      let isNew = seen.insert([series.subject.id, series.occasion]).inserted
      var errors = series.errorsOfValues
      if !isNew {
        errors.append(
          series.finding(
            .duplicate, "the subject comes twice on the same occasion",
            remedy: "put all drinks and readings into one series, or name the occasions"))
      }
      guard errors.isEmpty else {
        var series = series
        series.diagnostics += errors
        return series
      }
      return series.inOrderOfTime.checked(by: &check, warnsAboutMissingReadings: hasReadings)
    }
    return (checked, check.findingsOfStudy)
  }
}

extension Series {
  /// Returns the series with its findings.
  fileprivate func checked(by check: inout SeriesCheck, warnsAboutMissingReadings: Bool) -> Series {
    var draft = SeriesDraft(occasion: occasion, mention: SourceLocation(file: "series"))
    draft.hasDrinkRows = !drinks.isEmpty
    for (index, drink) in drinks.enumerated() {
      draft.drinks.append(drink, at: Place(line: index + 1, column: 1))
    }
    for (index, reading) in readings.enumerated() {
      draft.readings.append(reading, at: Place(line: index + 1, column: 1))
    }
    check.check(
      &draft, of: SubjectDraft(described: subject),
      warnsAboutMissingReadings: warnsAboutMissingReadings)
    var series = self
    func add(_ code: DiagnosticCode, _ message: String, remedy: String) {
      series.diagnostics.append(finding(code, message, remedy: remedy))
    }
    for (index, reading) in readings.enumerated() where !reading.isExcluded {
      let rule = ValueRule.highReading(in: reading.unit)
      guard !rule.allows(reading.value) else { continue }
      add(
        rule.code, "reading \(index + 1) is \(reading.value), \(rule.complaint)",
        remedy: rule.remedy)
    }
    if subject.weight == nil, drinks.contains(where: \.ethanol.needsWeight) {
      add(
        .weightMissing, "there are drinks in g but no weight",
        remedy: "add the weight; without it nothing can be fitted or predicted")
    }
    if let doubt = subject.bodyDoubt, let weight = subject.weight?.value {
      add(doubt.code, "the weight is \(weight.shown) kg, \(doubt.complaint)", remedy: doubt.remedy)
    }
    for finding in check.findings {
      let number = finding.location.line.map { " \($0)" } ?? ""
      add(
        finding.code, "\(finding.location.file)\(number): \(finding.message)",
        remedy: finding.remedy)
    }
    return series
  }
}

extension EthanolDose {
  /// Whether the concentration that it gives depends on the body weight.
  package var needsWeight: Bool { perKilogram(ofBodyWeight: nil) == nil }
}

import AlcoholKinetics
package import StudyData

/// Reads studies that published C0, or the observed r, of each subject instead of readings.
///
/// ```swift
/// let reader = try StudyReader("studies/scs-beta60")
/// if reader.form == .estimates {
///   for estimate in try reader.estimates().subjects where estimate.firstError == nil {
///     print(estimate.subject.id, estimate.ethanol?.description ?? "no dose")
///   }
/// }
/// ```
package enum EstimateReader {
  /// Reads `estimates.csv` and, if it exists, `datapackage.json`.
  ///
  /// Errors in the row of one subject are kept with the subject. If a file is unreadable, an error with all findings of
  /// both files is thrown.
  ///
  /// - Parameter path: The folder.
  /// - Returns: The study; <doc:StudyFormat> describes its files.
  /// - Throws: `StudyError` if the study does not exist or has no estimates.
  package static func read(_ path: String) throws(StudyError) -> EstimateStudy {
    try read(StudyInput(opening: path, files: StudyFile.ofEstimates))
  }

  package static func read(_ input: StudyInput) throws(StudyError) -> EstimateStudy {
    input.takeDigests()
    let table = CSVTable(input.files[.estimates], called: input.path(of: .estimates))
    let columns = table.readHeader().flatMap(EstimateColumns.init)
    var draft = StudyDraft()
    var estimates: [SubjectEstimate] = []
    if let columns {
      columns.read(table, into: &draft, &estimates)
      table.row.log.requireSubject(!draft.subjects.isEmpty)
    }
    var descriptorLog = FindingLog(file: input.path(of: .descriptor))
    let package = input.files[.descriptor].map { DataPackage.read($0, log: &descriptorLog) }
    try input.requireUnchanged()
    let logs = [table.row.log, descriptorLog]
    try logs.endIfBroken(with: draft.rowFindings)
    return EstimateStudy(
      name: input.name, title: package?.title,
      subjects: zip(estimates, draft.subjects).map { estimate, subject in
        var estimate = estimate
        estimate.subject = subject.subject
        estimate.diagnostics = subject.findings
        return estimate
      },
      diagnostics: logs.flatMap(\.closedFindings), inputs: input.inputs)
  }
}

/// The columns of `estimates.csv`.
private struct EstimateColumns {
  /// The maximum r in kg/kg; a greater one is in percent, or another quantity.
  private static let limitOfR = 5.0
  /// The maximum elimination in g/kg/h; a greater one has the wrong unit.
  private static let limitOfBeta = 2.0
  /// The maximum survivable concentration in breath, in mg/L; a greater one has the wrong unit.
  private static let limitInBreath = 5.0
  private static let limitInBlood = ConcentrationUnit.implausibleConcentration.value

  private static let columnNames: Set = [
    "ethanol_g", "c0_g_per_kg", "r_observed", "beta60_g_per_kg_h", "c0_breath_mg_per_l",
  ]

  private let subjects: SubjectColumns
  private let ethanol: Column?
  private let c0: Column?
  private let r: Column?
  private let beta60: Column?
  private let c0Breath: Column?

  init?(header: Header) {
    let subjects = SubjectColumns(header: header, besides: Self.columnNames)
    ethanol = header.column("ethanol_g")
    c0 = header.column("c0_g_per_kg")
    r = header.column("r_observed")
    beta60 = header.column("beta60_g_per_kg_h")
    c0Breath = header.column("c0_breath_mg_per_l")
    if c0 == nil, r == nil { header.reportMissing("column c0_g_per_kg or r_observed") }
    guard let subjects, c0 != nil || r != nil else { return nil }
    self.subjects = subjects
  }

  /// Reads all rows; the estimates are in the order of the subjects in the draft.
  func read(_ table: CSVTable, into draft: inout StudyDraft, _ estimates: inout [SubjectEstimate]) {
    let row = table.row
    table.next()
    while table.hasRow {
      if row.names(subjects.subject) {
        let subject = draft.subject(row.text(of: subjects.subject.index))
        subjects.describe(subject, by: row, remedyForDuplicate: "keep one row per subject")
        if draft.subjects.count > estimates.count {
          estimates.append(estimate(of: subject.subject, in: row))
        }
        row.flush(into: &subject.findings)
      }
      table.next()
    }
  }

  private func estimate(of subject: Subject, in row: CSVRow) -> SubjectEstimate {
    let estimate = SubjectEstimate(
      subject: subject,
      ethanol: dose(in: row),
      c0: positive("C0 of blood in g/kg", c0, in: row, upTo: Self.limitInBlood)
        .map { GramsPerKilogram($0) },
      givenR: positive("r in kg/kg", r, in: row, upTo: Self.limitOfR).map { RFactor($0) },
      beta60: positive("the elimination rate in g/kg/h", beta60, in: row, upTo: Self.limitOfBeta)
        .map { GramsPerKilogramHour($0) },
      c0BreathMgPerL: positive("C0 of breath in mg/L", c0Breath, in: row, upTo: Self.limitInBreath))
    if let c0, let r, row.isFilled(c0), row.isFilled(r) {
      row.report(
        .ambiguous, in: r, "but r also follows from \(c0.name.excerpt()), which is given",
        remedy: "fill in one of them and leave the other empty")
    }
    if let c0, let r = estimate.observedR, r.value > Self.limitOfR {
      row.report(
        .range, in: c0, "which is so low that r would be above 5",
        remedy: "check the units of C0, dose and weight")
    }
    return estimate
  }

  private func dose(in row: CSVRow) -> Grams? {
    let grams = DoseColumns.grams(in: ethanol, of: row)
    guard let ethanol, grams == 0 else { return grams }
    row.report(
      .doseMissing, in: ethanol, "but r cannot be computed without a dose",
      remedy: "give the grams drunk, or leave the field empty")
    return nil
  }

  /// Reads a number above zero; nil if it is missing or, reported, out of range.
  private func positive(
    _ name: String, _ column: Column?, in row: CSVRow, upTo limit: Double
  ) -> Double? {
    let remedy = "give \(name), above 0 and at most \(limit.shown), or leave the field empty"
    let range = Double.leastNonzeroMagnitude...limit
    return row.number(
      in: column, ValueRule(.range, "which is impossible", remedy: remedy, range: range)
    ).value
  }
}

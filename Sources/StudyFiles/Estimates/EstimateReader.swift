import AlcoholKinetics
public import StudyData

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
public enum EstimateReader {
  /// Reads `estimates.csv` and, if it is there, `datapackage.json`.
  ///
  /// What is wrong with one subject's row is kept with the subject. What makes a file unreadable
  /// ends reading, with everything that was found in both files.
  ///
  /// - Parameter path: The folder.
  /// - Returns: The study; <doc:StudyFormat> says what its files may hold.
  /// - Throws: `StudyError` if the study is not there or is no study of estimates.
  public static func read(_ path: String) throws(StudyError) -> EstimateStudy {
    try read(StudyFolder(opening: path, files: StudyFile.ofEstimates))
  }

  package static func read(_ folder: StudyFolder) throws(StudyError) -> EstimateStudy {
    folder.takeDigests()
    var draft = StudyDraft()
    var log = FindingLog(file: folder.path(of: .estimates))
    var descriptorLog = FindingLog(file: folder.path(of: .descriptor))
    let rows = folder.files[.estimates].flatMap {
      EstimateRows.read($0, into: &draft, log: &log)
    }
    if rows != nil { log.requireSubject(!draft.subjects.isEmpty) }
    let package = folder.files[.descriptor].map { DataPackage.read($0, log: &descriptorLog) }
    try folder.requireUnchanged()
    try [log, descriptorLog].endIfBroken(with: draft.rowFindings)
    return EstimateStudy(
      name: folder.name, title: package?.title,
      subjects: zip(rows?.estimates ?? [], draft.subjects).map { estimate, subject in
        var estimate = estimate
        estimate.subject = subject.subject
        estimate.diagnostics = subject.findings
        return estimate
      },
      diagnostics: log.closedFindings + descriptorLog.closedFindings, inputs: folder.inputs)
  }
}

final class EstimateRows: SingleRows {
  /// More than any r, in kg/kg: it is in percent, or something else.
  private static let limitOfR = 5.0
  /// More than any elimination, in g/kg/h: the unit is wrong.
  private static let limitOfBeta = 2.0
  /// More than anybody survives in breath, in mg/L: the unit is wrong.
  private static let limitInBreath = 5.0

  private static let columnNames: Set = [
    "ethanol_g", "c0_g_per_kg", "r_observed", "beta60_g_per_kg_h", "c0_breath_mg_per_l",
  ]

  private let subjects: SubjectRows
  private let ethanol: Column?
  private let c0: Column?
  private let r: Column?
  private let beta60: Column?
  private let c0Breath: Column?

  /// What was read, in the order in which the draft has the subjects; their measures are there.
  private(set) var estimates: [SubjectEstimate] = []

  init?(header: Header, log: inout FindingLog) {
    let subjects = SubjectRows(header: header, besides: Self.columnNames, log: &log)
    ethanol = header.column("ethanol_g")
    c0 = header.column("c0_g_per_kg")
    r = header.column("r_observed")
    beta60 = header.column("beta60_g_per_kg_h")
    c0Breath = header.column("c0_breath_mg_per_l")
    if c0 == nil, r == nil { header.reportMissing("column c0_g_per_kg or r_observed", log: &log) }
    guard let subjects, c0 != nil || r != nil else { return nil }
    self.subjects = subjects
  }

  func read(_ row: CSVRow, into draft: inout StudyDraft, log: inout FindingLog) {
    let found = subjects.subject(
      of: row, in: &draft, remedyForDuplicate: "keep one row per subject", log: &log)
    guard let found else { return }
    if draft.subjects.count > estimates.count {
      estimates.append(estimate(of: found.subject, in: row, log: &log))
    }
    log.settleRow(into: &found.findings)
  }

  private func estimate(
    of subject: Subject, in row: CSVRow, log: inout FindingLog
  ) -> SubjectEstimate {
    let estimate = SubjectEstimate(
      subject: subject,
      ethanol: dose(in: row, log: &log),
      c0: positive(
        c0, in: row, upTo: ConcentrationUnit.implausibleConcentration.value,
        remedy: "give C0 of blood in g/kg, above 0 and at most 10", log: &log
      ).map { GramsPerKilogram($0) },
      givenR: positive(
        r, in: row, upTo: Self.limitOfR,
        remedy: "give r in kg/kg, above 0 and at most 5", log: &log
      ).map { RFactor($0) },
      beta60: positive(
        beta60, in: row, upTo: Self.limitOfBeta,
        remedy: "give the elimination rate in g/kg/h, above 0 and at most 2", log: &log
      ).map { GramsPerKilogramHour($0) },
      c0BreathMgPerL: positive(
        c0Breath, in: row, upTo: Self.limitInBreath,
        remedy: "give C0 of breath in mg/L, above 0 and at most 5", log: &log))
    if let c0, let r, row.isFilled(c0), row.isFilled(r) {
      row.note(
        .ambiguous, in: r, "but r also follows from \(c0.name.excerpt()), which is given",
        remedy: "fill in one of them and leave the other empty", log: &log)
    }
    if let c0, let r = estimate.observedR, r.value > Self.limitOfR {
      row.note(
        .range, in: c0, "which is so low that r would be above 5",
        remedy: "check the units of C0, dose and weight", log: &log)
    }
    return estimate
  }

  private func dose(in row: CSVRow, log: inout FindingLog) -> Grams? {
    let grams = DoseColumns.grams(in: ethanol, of: row, log: &log)
    guard let ethanol, grams == 0 else { return grams }
    row.note(
      .doseMissing, in: ethanol, "but r cannot be computed without a dose",
      remedy: "give the grams drunk, or leave the field empty", log: &log)
    return nil
  }

  /// Reads a number above zero; nil where it is missing or, reported, is not that or too high.
  private func positive(
    _ column: Column?, in row: CSVRow, upTo limit: Double, remedy: String, log: inout FindingLog
  ) -> Double? {
    row.number(
      in: column,
      ValueRule(
        .range, "which is impossible", remedy: "\(remedy), or leave the field empty",
        range: .leastNonzeroMagnitude...limit),
      log: &log
    ).value
  }
}

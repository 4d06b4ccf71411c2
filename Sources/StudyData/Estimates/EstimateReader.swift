import Foundation

/// Reads studies that published C0, or the observed r, of each subject instead of readings.
///
/// ```swift
/// if EstimateReader.accepts("studies/scs-beta60") {
///   let study = try EstimateReader.read("studies/scs-beta60")
///   for estimate in study.subjects where estimate.firstError == nil {
///     print(estimate.subject.id, estimate.ethanol?.description ?? "no dose")
///   }
/// }
/// ```
public enum EstimateReader {
  /// Whether a study is one of estimates: a folder with `estimates.csv` and without `drinks.csv`.
  ///
  /// A folder that has both holds series, which say more; ``StudyReader`` reads those.
  public static func accepts(_ path: String) -> Bool {
    let folder = StudyFolder(path: path, files: [:])
    let holds = { (file: StudyFile) in
      FileManager.default.fileExists(atPath: folder.path(of: file))
    }
    return holds(.estimates) && !holds(.drinks)
  }

  /// Reads `estimates.csv` and, if it is there, `datapackage.json`.
  ///
  /// What is wrong with one subject's row is kept with the subject. What makes a file unreadable
  /// ends reading, with everything that was found in both files.
  ///
  /// - Parameter path: The folder.
  /// - Returns: The study; <doc:StudyFormat> says what its files may hold.
  /// - Throws: ``StudyError`` if the study is not there or is no study of estimates.
  public static func read(_ path: String) throws(StudyError) -> EstimateStudy {
    try read(StudyFolder(opening: path, files: StudyFile.ofEstimates))
  }

  /// Reads a study whose files are in memory.
  static func read(_ folder: StudyFolder) throws(StudyError) -> EstimateStudy {
    var draft = StudyDraft()
    var log = FindingLog(file: folder.path(of: .estimates))
    var descriptorLog = FindingLog(file: folder.path(of: .descriptor))
    let rows = folder.files[.estimates].flatMap {
      EstimateRows.read($0, into: &draft, log: &log)
    }
    if rows != nil { draft.requireSubject(log: &log) }
    let package = folder.files[.descriptor].map { DataPackage.read($0, log: &descriptorLog) }
    let inputs = try folder.inputs()
    try folder.requireUnchanged()
    try [log, descriptorLog].endIfBroken(with: draft.rowFindings)
    return EstimateStudy(
      name: folder.name, title: package?.title,
      subjects: zip(rows?.estimates ?? [], draft.subjects).map { estimate, subject in
        estimate.described(by: subject)
      },
      diagnostics: log.closedFindings + descriptorLog.closedFindings, inputs: inputs)
  }
}

extension SubjectEstimate {
  /// The estimate with what the tables say of its subject.
  fileprivate func described(by draft: SubjectDraft) -> SubjectEstimate {
    var described = self
    described.subject = draft.subject
    described.diagnostics = draft.findings
    return described
  }
}

import Foundation
public import StudyData

/// What golden results a study has, and how they are made again: a `manifest.json`.
///
/// <doc:GoldenResults> says what the file holds.
public struct GoldenManifest: Hashable, Sendable {
  /// The manifest, as the path it was found with leads to it.
  public var file: String
  /// The folder that it lies in, with the tables.
  public var folder: String
  /// The file's digest.
  public var digest: InputDigest
  /// The study that the results are of.
  public var study: String
  /// Why the study may be absent, in words; nil if it has to be there.
  public var reasonForAbsence: String?
  /// The results, in the order of the file.
  public var results: [GoldenResult]
}

/// A table of golden results and how it is made again.
public struct GoldenResult: Codable, Hashable, Sendable {
  /// The file with the table.
  public var file: String
  /// The command with its options; `{study}` in them stands for the study.
  public var command: [String]
  /// Where the manifest states the command.
  public var location: SourceLocation
  /// The columns that tell rows apart.
  public var key: [String]
  /// The columns that the table keeps; nil if all are kept that no rule leaves out.
  public var columns: [String]?
  /// A table with the true values of what the command estimates; then the golden table holds how
  /// well they are recovered. `{study}` stands for the study.
  public var truth: String?
  /// What may differ, by how much and why.
  public var rules: [GoldenRule]
}

/// How much some columns of a golden table may differ, and why.
public struct GoldenRule: Codable, Hashable, Sendable {
  /// How much.
  public enum Allowance: Codable, Hashable, Sendable {
    /// Numbers may differ by this much, or by this fraction of the golden one if that is more.
    case within(absolute: Double, relative: Double)
    /// The columns are left out.
    case leftOut
  }

  /// The name that stands for all columns which no rule names.
  public static let anyColumn = "*"

  /// The columns, or ``anyColumn``.
  public var columns: [String]
  /// How much they may differ.
  public var allowance: Allowance
  /// Why, in words.
  public var reason: String

  /// States a rule.
  public init(columns: [String], _ allowance: Allowance, because reason: String) {
    self.columns = columns
    self.allowance = allowance
    self.reason = reason
  }
}

extension GoldenManifest {
  private static let fileName = "manifest.json"

  /// The manifests in a folder: its own `manifest.json`, or that of its folder `golden`, or else
  /// those of all folders in it.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - studies: Where studies are looked for that manifests name.
  /// - Throws: `StudyError` if there is none or if one cannot be read.
  public static func manifests(
    in folder: String, studies: String? = nil
  ) throws(StudyError) -> [GoldenManifest] {
    if let own = try manifest(in: folder, within: folder, studies: studies) { return [own] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var manifests: [GoldenManifest] = []
    for name in names.sorted() {
      if let found = try manifest(in: "\(folder)/\(name)", within: folder, studies: studies) {
        manifests.append(found)
      }
    }
    guard manifests.isEmpty else { return manifests }
    throw StudyError(
      .noInput, .fileMissing, in: folder, message: "there are no golden results",
      remedy: "name a folder that holds \(fileName) or golden/\(fileName)")
  }

  /// - Parameter root: The folder that was named: tables are written in it and nowhere else.
  private static func manifest(
    in folder: String, within root: String, studies: String?
  ) throws(StudyError) -> GoldenManifest? {
    let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    for (place, ownStudy) in [("\(folder)/golden", folder), (folder, "\(folder)/..")]
    where StudyInput.isFolder(place) {
      guard let file = try InputFile(opening: "\(place)/\(fileName)") else { continue }
      try require(place, toBeIn: root, file)
      return try read(file, in: place, studies: studies, ownStudy: ownStudy)
    }
    return nil
  }

  /// Refuses golden results in a folder that a link leads to, out of the folder that was named.
  private static func require(
    _ folder: String, toBeIn root: String, _ file: InputFile
  ) throws(StudyError) {
    guard let place = realPath(folder), let allowed = realPath(root),
      place == allowed || place.hasPrefix(allowed == "/" ? "/" : allowed + "/")
    else {
      throw StudyError(
        .badData, .fileFormat, in: file.path,
        message: "the manifest is a link to a file outside \(root)",
        remedy: "name the folder that the link points to")
    }
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func read(
    _ file: InputFile, in folder: String, studies: String?, ownStudy: String
  ) throws(StudyError) -> GoldenManifest {
    file.takeDigest()
    let reader = GoldenManifestReader(
      file: file, folder: folder, studies: studies ?? folder, ownStudy: ownStudy)
    return try file.json(remedy: "correct the manifest", reader.manifest)
  }
}

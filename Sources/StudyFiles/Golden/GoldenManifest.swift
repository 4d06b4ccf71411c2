import Foundation
package import StudyData

/// A `manifest.json`: the golden results of a study, with the commands that reproduce them.
///
/// <doc:GoldenResults> describes the file.
package struct GoldenManifest: Hashable, Sendable {
  /// The path of the manifest.
  package var file: String
  /// The folder of the manifest and the tables.
  package var folder: String
  package var digest: InputDigest
  package var study: String
  /// The reason why the study may be absent; nil if it is required.
  package var reasonForAbsence: String?
  package var results: [GoldenResult]
}

/// A table of golden results, with the command that reproduces it.
package struct GoldenResult: Codable, Hashable, Sendable {
  package var file: String
  /// The command with its options; `{study}` in them stands for the study.
  package var command: [String]
  /// The place of the command in the manifest.
  package var location: SourceLocation
  /// The columns that identify rows.
  package var key: [String]
  /// The columns of the table; nil for all that no rule leaves out.
  package var columns: [String]?
  /// A table with the true values of the estimates; the golden table then holds the errors of recovery. `{study}` stands
  /// for the study.
  package var truth: String?
  /// The tolerances.
  package var rules: [GoldenRule]
}

/// A tolerance for columns of a golden table, with its reason.
package struct GoldenRule: Codable, Hashable, Sendable {
  package enum Allowance: Codable, Hashable, Sendable {
    /// Numbers may differ by the absolute amount, or by the fraction of the golden value if that is more.
    case within(absolute: Double, relative: Double)
    /// The columns are left out.
    case leftOut
  }

  /// The placeholder for all columns that no rule names.
  package static let anyColumn = "*"

  package var columns: [String]
  package var allowance: Allowance
  package var reason: String

  package init(columns: [String], _ allowance: Allowance, because reason: String) {
    self.columns = columns
    self.allowance = allowance
    self.reason = reason
  }
}

extension GoldenManifest {
  private static let fileName = "manifest.json"

  /// Finds the manifests of a folder: its own `manifest.json`, or that in `golden`, or else those of all folders in it.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - studies: The folder of the studies that manifests name.
  /// - Throws: `StudyError` if there is no manifest, or if one cannot be read.
  package static func manifests(
    in folder: String, studies: String? = nil
  ) throws(StudyError) -> [GoldenManifest] {
    if let manifest = try manifest(in: folder, within: folder, studies: studies) {
      return [manifest]
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var manifests: [GoldenManifest] = []
    for name in names.sorted() {
      if let nested = try manifest(in: "\(folder)/\(name)", within: folder, studies: studies) {
        manifests.append(nested)
      }
    }
    guard manifests.isEmpty else { return manifests }
    throw StudyError(
      .noInput, .fileMissing, in: folder, message: "there are no golden results",
      remedy: "name a folder that holds \(fileName) or golden/\(fileName)")
  }

  /// - Parameter root: The folder that the user named; tables are written only inside it.
  private static func manifest(
    in folder: String, within root: String, studies: String?
  ) throws(StudyError) -> GoldenManifest? {
    let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    for (location, ownStudy) in [("\(folder)/golden", folder), (folder, "\(folder)/..")]
    where StudyInput.isFolder(location) {
      guard let file = try InputFile(opening: "\(location)/\(fileName)") else { continue }
      try require(location, toBeIn: root, file)
      return try read(file, in: location, studies: studies, ownStudy: ownStudy)
    }
    return nil
  }

  /// Throws if a link leads out of the folder that the user named.
  private static func require(
    _ folder: String, toBeIn root: String, _ file: InputFile
  ) throws(StudyError) {
    guard let target = realPath(folder), let allowed = realPath(root),
      target == allowed || target.hasPrefix(allowed == "/" ? "/" : allowed + "/")
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

struct GoldenManifestReader {
  let file: InputFile
  /// The folder of the manifest and the tables.
  let folder: String
  /// The folder of the study that the manifest names.
  let studies: String
  /// The study if the manifest names none.
  let ownStudy: String

  func manifest(_ node: JSONNode) throws(DescriptorProblem) -> GoldenManifest {
    let members = try JSONObject(node, called: "the manifest")
    try members.refuseUnknown(besides: ["study", "may_be_absent", "results"])
    let study = try members.string("study")
    let nodes = try members.required("results", try members.list("results"))
    var results: [GoldenResult] = []
    for node in nodes {
      let members = try JSONObject(node, called: "a result")
      let result = try result(members)
      guard !results.contains(where: { $0.file == result.file }) else {
        throw DescriptorProblem(
          place: members.place(of: "file"), message: "the file \(result.file) is listed twice")
      }
      results.append(result)
    }
    return GoldenManifest(
      file: file.path, folder: folder,
      digest: file.digest ?? InputDigest(file: file.path, sha256: ""),
      study: study.map { "\(studies)/\($0)" } ?? ownStudy,
      reasonForAbsence: try members.string("may_be_absent"), results: results)
  }

  private func result(_ members: JSONObject) throws(DescriptorProblem) -> GoldenResult {
    try members.refuseUnknown(besides: ["file", "command", "key", "columns", "truth", "tolerances"])
    let key = try names(in: members, "key")
    let command = try texts(in: members, "command")
    return GoldenResult(
      file: try path(members), command: command,
      location: SourceLocation(file: file.path, place: members.place(of: "command")),
      key: try members.required("key", key),
      columns: try names(in: members, "columns"), truth: try members.string("truth"),
      rules: try rules(members))
  }

  /// Returns the path of the golden table, which must be a file in the folder itself, because it is written to.
  private func path(_ members: JSONObject) throws(DescriptorProblem) -> String {
    let name = try members.required("file", try members.string("file"))
    let isName =
      name.hasSuffix(".csv") && !name.hasPrefix(".") && !name.contains("/")
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    let path = "\(folder)/\(name)"
    guard isName, Self.isFile(path) else {
      throw DescriptorProblem(
        place: members.place(of: "file"),
        message: "\(name.quoted) is not the name of a CSV file beside the manifest"
          + (isName ? "; it is a link, a folder or something else" : ""))
    }
    return path
  }

  /// Whether a path is a regular file, not a link, or does not exist.
  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT }
    return status.st_mode & S_IFMT == S_IFREG
  }

  private func texts(in members: JSONObject, _ key: String) throws(DescriptorProblem) -> [String] {
    let texts = try members.required(key, try members.strings(key)).map(\.text)
    guard !texts.isEmpty else {
      throw DescriptorProblem(place: members.place(of: key), message: "\(key) is empty")
    }
    return texts
  }

  /// Returns a list of columns; throws if it is empty or has duplicates.
  private func names(in members: JSONObject, _ key: String) throws(DescriptorProblem) -> [String]? {
    guard let strings = try members.strings(key) else { return nil }
    var seen: [String] = []
    for (text, place) in strings {
      guard !text.isEmpty, !seen.contains(text) else {
        throw DescriptorProblem(
          place: place, message: "\(key) has the column \(text.quoted) twice, or without a name")
      }
      seen.append(text)
    }
    guard !seen.isEmpty else {
      throw DescriptorProblem(place: members.place(of: key), message: "\(key) is empty")
    }
    return seen
  }

  // MARK: Tolerances

  private func rules(_ members: JSONObject) throws(DescriptorProblem) -> [GoldenRule] {
    var rules: [GoldenRule] = []
    for node in try members.list("tolerances") ?? [] {
      let members = try JSONObject(node, called: "a tolerance")
      let rule = try rule(members)
      let taken = rules.flatMap(\.columns)
      guard let double = rule.columns.first(where: taken.contains) else {
        rules.append(rule)
        continue
      }
      throw DescriptorProblem(
        place: members.place(of: "columns"),
        message: "the column \(double.quoted) already has a tolerance")
    }
    return rules
  }

  private func rule(_ members: JSONObject) throws(DescriptorProblem) -> GoldenRule {
    try members.refuseUnknown(besides: ["columns", "absolute", "relative", "left_out", "reason"])
    let columns = try members.required("columns", try names(in: members, "columns"))
    let reason = try members.required("reason", try members.string("reason"))
    guard reason.contains(" ") else {
      throw DescriptorProblem(
        place: members.place(of: "reason"),
        message: "the reason for a tolerance must be given in words")
    }
    return GoldenRule(columns: columns, try allowance(members), because: reason)
  }

  private func allowance(_ members: JSONObject) throws(DescriptorProblem) -> GoldenRule.Allowance {
    let absolute = try members.number("absolute") { $0 > 0 }
    let relative = try members.number("relative") { $0 > 0 && $0 < 1 }
    let isLeftOut = try members.bool("left_out") ?? false
    guard isLeftOut == (absolute == nil && relative == nil) else {
      throw DescriptorProblem(
        place: members.place,
        message: "a tolerance needs absolute, relative or both, or left_out set to true")
    }
    return isLeftOut ? .leftOut : .within(absolute: absolute ?? 0, relative: relative ?? 0)
  }
}

import Foundation
package import StudyData

/// What golden results a study has, and how they are made again: a `manifest.json`.
///
/// <doc:GoldenResults> says what the file holds.
package struct GoldenManifest: Hashable, Sendable {
  /// The manifest, as the path it was found with leads to it.
  package var file: String
  /// The folder that it lies in, with the tables.
  package var folder: String
  package var digest: InputDigest
  package var study: String
  /// Why the study may be absent, in words; nil if it has to be there.
  package var reasonForAbsence: String?
  package var results: [GoldenResult]
}

/// A table of golden results and how it is made again.
package struct GoldenResult: Codable, Hashable, Sendable {
  package var file: String
  /// The command with its options; `{study}` in them stands for the study.
  package var command: [String]
  /// Where the manifest states the command.
  package var location: SourceLocation
  /// The columns that tell rows apart.
  package var key: [String]
  /// The columns that the table keeps; nil if all are kept that no rule leaves out.
  package var columns: [String]?
  /// A table with the true values of what the command estimates; then the golden table holds how
  /// well they are recovered. `{study}` stands for the study.
  package var truth: String?
  /// What may differ, by how much and why.
  package var rules: [GoldenRule]
}

/// How much some columns of a golden table may differ, and why.
package struct GoldenRule: Codable, Hashable, Sendable {
  package enum Allowance: Codable, Hashable, Sendable {
    /// Numbers may differ by this much, or by this fraction of the golden one if that is more.
    case within(absolute: Double, relative: Double)
    /// The columns are left out.
    case leftOut
  }

  /// The name that stands for all columns which no rule names.
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

  /// The manifests in a folder: its own `manifest.json`, or that of its folder `golden`, or else
  /// those of all folders in it.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - studies: Where studies are looked for that manifests name.
  /// - Throws: `StudyError` if there is none or if one cannot be read.
  package static func manifests(
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

struct GoldenManifestReader {
  let file: InputFile
  /// The manifest's folder, where golden tables lie.
  let folder: String
  /// Where the study lies that the manifest names.
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

  /// The path of the golden table. It is written to, so it must be a file of the folder itself.
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

  /// Whether a path leads to a regular file without following a link, or to nothing.
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

  /// A list of columns without any of them twice.
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

import Foundation
import StudyData

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

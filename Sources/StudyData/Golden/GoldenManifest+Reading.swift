import Foundation

extension GoldenManifest {
  private static let fileName = "manifest.json"

  /// The manifests in a folder: its own `manifest.json`, or that of its folder `golden`, or else
  /// those of all folders in it.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - studies: Where studies are looked for that manifests name.
  /// - Throws: ``StudyError`` if there is none or if one cannot be read.
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
    let finding = Diagnostic(
      .noGoldenResults, at: SourceLocation(file: folder), message: "there are no golden results",
      remedy: "name a folder that holds \(fileName) or golden/\(fileName)")
    throw StudyError(kind: .noInput, diagnostics: [finding])
  }

  /// - Parameter root: The folder that was named: tables are written in it and nowhere else.
  private static func manifest(
    in folder: String, within root: String, studies: String?
  ) throws(StudyError) -> GoldenManifest? {
    let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    if let file = try InputFile(readingIfFoundIn: "\(folder)/golden", fileName) {
      try require("\(folder)/golden", toBeIn: root, file)
      return try read(file, in: "\(folder)/golden", studies: studies, ownStudy: folder)
    }
    guard let file = try InputFile(readingIfFoundIn: folder, fileName) else { return nil }
    try require(folder, toBeIn: root, file)
    return try read(file, in: folder, studies: studies, ownStudy: "\(folder)/..")
  }

  /// Refuses golden results in a folder that a link leads to, out of the folder that was named.
  private static func require(
    _ folder: String, toBeIn root: String, _ file: InputFile
  ) throws(StudyError) {
    guard let place = realPath(folder), let allowed = realPath(root),
      place == allowed || place.hasPrefix(allowed == "/" ? "/" : allowed + "/")
    else {
      let finding = Diagnostic(
        .manifest, at: SourceLocation(file: file.path),
        message: "the manifest is a link to a file outside \(root)",
        remedy: "name the folder that the link points to")
      throw StudyError(kind: .badData, diagnostics: [finding])
    }
  }

  /// The path of a folder without links.
  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func read(
    _ file: InputFile, in folder: String, studies: String?, ownStudy: String
  ) throws(StudyError) -> GoldenManifest {
    let digest = try file.digest()
    let outcome = try file.withBytes { bytes -> Result<GoldenManifest, DescriptorProblem> in
      Result { () throws(DescriptorProblem) in
        let node = try JSONReader.read(file: bytes)
        let reader = GoldenManifestReader(
          file: file, digest: digest, folder: folder, studies: studies ?? folder, ownStudy: ownStudy
        )
        return try reader.manifest(node)
      }
    }
    do throws(DescriptorProblem) {
      return try outcome.get()
    } catch {
      let finding = Diagnostic(
        .manifest, at: SourceLocation(file: file.path, place: error.place),
        message: error.message, remedy: "correct the manifest")
      throw StudyError(kind: .badData, diagnostics: [finding])
    }
  }
}

extension InputFile {
  /// Reads a file of a folder; nil if there is no such file or folder.
  fileprivate init?(readingIfFoundIn folder: String, _ name: String) throws(StudyError) {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    try self.init(opening: "\(folder)/\(name)")
  }
}

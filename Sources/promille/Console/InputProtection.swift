import Foundation
import StudyData
import StudyFiles
import StudyStore

/// A command that names files to read and files to write: none of the first may be written over.
protocol InputProtecting {
  /// What is read: files, folders of a study, or `-`.
  var inputPaths: [String?] { get }
  /// What is written, and the option that names it.
  var outputPaths: [(option: String, path: String?)] { get }
  /// Databases that are written to, or made, and the option that names them.
  var databasePaths: [(option: String, path: String?)] { get }
  /// Where messages go.
  var console: Console { get }
}

extension InputProtecting {
  var databasePaths: [(option: String, path: String?)] { [] }

  /// Ends the command, before it reads or writes anything, if a result would take the place of what
  /// it is made from, or of another result: readings may be nowhere else.
  func protectInputs() throws {
    let databases = databasePaths.compactMap { option, path in path.map { (option, $0) } }
    if let standard = FileIdentity.ofStandardOutput,
      let (option, path) = databases.first(where: { FileIdentity($1) == standard })
    {
      throw refusal(of: path, option, "standard output goes to the same file")
    }
    let outputs = outputPaths.compactMap { option, path in path.map { (option, $0) } }
      .filter { !Output.isSpecial($1) && !Output.isStandardOutput($1) }
    guard !outputs.isEmpty else { return }
    let inputs = inputPaths.compactMap(\.self)
    let files = Set(inputs.flatMap(FileIdentity.ofFilesOfStudy))
      .union(databases.compactMap { FileIdentity($1) })
    var places = Self.placesBeside(inputs.filter(StudyStore.accepts).map { ("the database", $0) })
      .merging(Self.placesBeside(databases)) { $1 }
    for (option, path) in databases { places[OutputPlace(path)] = "\(option) names the same file" }
    for (option, path) in outputs {
      if let identity = FileIdentity(path), files.contains(identity) {
        throw refusal(of: path, option, "it is read by this command")
      }
      let reason = "\(option) names the same file"
      if let other = places.updateValue(reason, forKey: OutputPlace(path)) {
        throw refusal(of: path, option, other)
      }
    }
  }

  /// What SQLite keeps beside databases is a part of them.
  private static func placesBeside(
    _ databases: [(name: String, path: String)]
  ) -> [OutputPlace: String] {
    let places = databases.flatMap { name, path in
      StudyStore.endingsBeside.map {
        (OutputPlace(path + $0), "SQLite keeps part of \(name), \(path), there")
      }
    }
    return Dictionary(places, uniquingKeysWith: { first, _ in first })
  }

  private func refusal(of path: String, _ option: String, _ reason: String) -> any Error {
    Refusal(
      "E_OUTPUT", "cannot write \(path): \(reason); choose another place with \(option)",
      ExitStatus.cannotCreate)
  }
}

extension FileIdentity {
  /// The file at a path, or the files that are read of a folder there.
  static func ofFilesOfStudy(_ path: String) -> [FileIdentity] {
    let names = StudyFile.allCases.map(\.rawValue) + [VitalFile.name, "export.xml"]
    return ([path] + names.map { "\(path)/\($0)" }).compactMap(FileIdentity.init)
  }
}

/// Where a path leads, links followed, also if nothing is there yet.
///
/// Names that differ in nothing but case or the way their accents are written are the same: on many a
/// disk they lead to one file.
struct OutputPlace: Hashable {
  private let folder: String
  private let name: String

  init(_ path: String) {
    let end = (try? Replacement.followingLinks(path)) ?? path
    if let folder = Self.folder(end) {
      self.folder = folder
      name = ""
      return
    }
    let parts = end.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.count < 2 ? "." : parts.dropLast().joined(separator: "/") + "/"
    folder = Self.folder(parent) ?? URL(filePath: parent).standardizedFileURL.path
    name = (parts.last ?? "").lowercased().precomposedStringWithCanonicalMapping
  }

  /// A folder by whatever name; nil if none is there.
  private static func folder(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return "\(status.st_dev) \(status.st_ino)"
  }
}

import ArgumentParser
import Foundation
import StudyData
import StudyFiles
import StudyStore

/// A file, a folder of a study or a database that an option names. None that is read may be written over.
struct NamedFile {
  enum Use { case read, updated, written, folder, database }

  let use: Use
  /// The path; nil if the option was not given.
  let path: String?
  /// The option that names it, if it is written.
  let option: String

  /// A file, a folder of a study, or `-`, which is read.
  static func read(_ path: String?) -> Self { Self(use: .read, path: path, option: "") }
  static func written(_ path: String?, by option: String) -> Self {
    Self(use: .written, path: path, option: option)
  }
  /// A folder of files, which is made if need be, or whatever a format of a study is.
  static func folder(_ path: String?, by option: String) -> Self {
    Self(use: .folder, path: path, option: option)
  }
  static func updated(_ path: String, by option: String) -> Self {
    Self(use: .updated, path: path, option: option)
  }
  /// A database that is written to, or made.
  static func database(_ path: String?, by option: String) -> Self {
    Self(use: .database, path: path, option: option)
  }
}

/// Options that name files, or a command with such options of its own.
protocol FileNaming: ParsableArguments {
  var namedFiles: [NamedFile] { get }
}

extension [NamedFile] {
  /// All that a command names, itself and by its groups of options; the last group, which says where results go,
  /// comes first.
  init(of command: some FileNaming) {
    self = command.parsed.reversed().flatMap { ($0.value as? any FileNaming)?.namedFiles ?? [] }
    self += command.namedFiles
  }

  private func named(_ use: NamedFile.Use) -> [(option: String, path: String)] {
    compactMap { file in file.use == use ? file.path.map { (file.option, $0) } : nil }
  }

  /// Ends the command, before it reads or writes anything, if a result would take the place of what
  /// it is made from, or of another result: readings may be nowhere else.
  func requireApart() throws {
    let databases = named(.database)
    if let standard = FileIdentity.ofStandardOutput,
      let (option, path) = databases.first(where: { FileIdentity($1) == standard })
    {
      throw Self.refusal(of: path, option, "standard output goes to the same file")
    }
    let outputs = (named(.updated) + named(.written) + named(.folder))
      .filter { !Output.isSpecial($1) && !Output.isStandardOutput($1) }
    guard !outputs.isEmpty else { return }
    let inputs = named(.read).map(\.path)
    let files = Set(inputs.flatMap(FileIdentity.ofFilesOfStudy))
      .union(databases.compactMap { FileIdentity($1) })
    var places = Self.placesBeside(inputs.filter(StudyStore.accepts).map { ("the database", $0) })
      .merging(Self.placesBeside(databases)) { $1 }
    for (option, path) in databases { places[OutputPlace(path)] = "\(option) names the same file" }
    for (option, path) in outputs {
      if let identity = FileIdentity(path), files.contains(identity) {
        throw Self.refusal(of: path, option, "it is read by this command")
      }
      let reason = "\(option) names the same file"
      if let earlierReason = places.updateValue(reason, forKey: OutputPlace(path)) {
        throw Self.refusal(of: path, option, earlierReason)
      }
    }
  }

  /// Throws, before anything else is done, if a file could not be written.
  func requirePossible(_ console: Console) throws {
    for (option, path) in named(.written) where !Output.isStandardOutput(path) {
      try console.attempt(path, option) { try Output.requirePossible(at: path) }
    }
  }

  /// The files that SQLite keeps beside databases, which are parts of them.
  private static func placesBeside(
    _ databases: [(option: String, path: String)]
  ) -> [OutputPlace: String] {
    let places = databases.flatMap { name, path in
      StudyStore.endingsBeside.map {
        (OutputPlace(path + $0), "SQLite keeps part of \(name), \(path), there")
      }
    }
    return Dictionary(places, uniquingKeysWith: { first, _ in first })
  }

  private static func refusal(of path: String, _ option: String, _ reason: String) -> any Error {
    Refusal(
      "E_OUTPUT", "cannot write \(path): \(reason); choose another place with \(option)",
      ExitStatus.cannotCreate)
  }
}

extension FileIdentity {
  /// The file at a path, or the files that are read of a folder there.
  static func ofFilesOfStudy(_ path: String) -> [FileIdentity] {
    let names = StudyFile.allCases.map(\.rawValue)
    return ([path] + names.map { "\(path)/\($0)" }).compactMap(FileIdentity.init)
  }
}

/// The file or folder that a path leads to, links followed, also if it does not exist yet.
///
/// Names that differ in nothing but case or the way their accents are written are the same: on many a
/// disk they lead to one file.
struct OutputPlace: Hashable {
  private let folder: String
  private let name: String

  init(_ path: String) {
    let end = (try? AtomicFile.followingLinks(path)) ?? path
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

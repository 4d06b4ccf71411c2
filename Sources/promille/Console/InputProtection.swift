import Foundation
import StudyStore

/// A command that names files to read and files to write: none of the first may be written over.
protocol InputProtecting {
  /// What is read: files, folders of a study, or `-`.
  var inputPaths: [String?] { get }
  /// What is written, and the option that names it.
  var outputPaths: [(option: String, path: String?)] { get }
  /// Databases that are written to, or made, and the option that names them.
  var databasePaths: [(option: String, path: String?)] { get }
  /// Where to say what is wrong.
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
      .filter { !OutputFile.isSpecial($1) && !OutputFile.isStandardOutput($1) }
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
      DatabaseOutput.endingsBeside.map {
        (OutputPlace(path + $0), "SQLite keeps part of \(name), \(path), there")
      }
    }
    return Dictionary(places, uniquingKeysWith: { first, _ in first })
  }

  private func refusal(of path: String, _ option: String, _ reason: String) -> any Error {
    console.error(
      "promille: error E_OUTPUT: cannot write \(path): \(reason); choose another place with "
        + option)
    return ExitStatus.cannotCreate
  }
}

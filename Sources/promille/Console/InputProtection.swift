import Foundation

/// A command that names files to read and files to write: none of the first may be written over.
protocol InputProtecting {
  /// What is read: files, folders of a study, or `-`.
  var inputPaths: [String?] { get }
  /// What is written, and the option that names it.
  var outputPaths: [(option: String, path: String?)] { get }
  /// Where to say what is wrong.
  var console: Console { get }
}

extension InputProtecting {
  /// Ends the command, before it reads or writes anything, if a result would take the place of what
  /// it is made from, or of another result: readings may be nowhere else.
  func protectInputs() throws {
    let outputs = outputPaths.compactMap { option, path in path.map { (option, $0) } }
      .filter { !OutputFile.isSpecial($1) && !OutputFile.isStandardOutput($1) }
    guard !outputs.isEmpty else { return }
    let inputs = Set(inputPaths.compactMap(\.self).flatMap(FileIdentity.ofFilesOfStudy))
    var earlier: [String: String] = [:]
    for (option, path) in outputs {
      if let identity = FileIdentity(path), inputs.contains(identity) {
        throw refusal(of: path, option, "it is read by this command")
      }
      let place = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
      if let other = earlier.updateValue(option, forKey: place) {
        throw refusal(of: path, option, "\(other) names the same file")
      }
    }
  }

  private func refusal(of path: String, _ option: String, _ reason: String) -> any Error {
    console.error(
      "promille: error E_OUTPUT: cannot write \(path): \(reason); choose another place with "
        + option)
    return ExitStatus.cannotCreate
  }
}

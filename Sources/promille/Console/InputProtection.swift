import Foundation
import StudyData

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
    let inputs = Set(inputPaths.compactMap(\.self).flatMap(FileIdentity.ofFilesOfStudy))
    var earlier: [String: String] = [:]
    for (option, path) in outputPaths {
      guard let path, !OutputFile.isSpecial(path), !OutputFile.isStandardOutput(path) else {
        continue
      }
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

/// Which file a path leads to, by whatever name.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  /// The regular file at a path, links followed; `-` is standard input.
  init?(_ path: String) {
    var status = stat()
    guard (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The file at a path, or the files that are read of a folder there.
  static func ofFilesOfStudy(_ path: String) -> [FileIdentity] {
    let names = StudyFile.allCases.map(\.rawValue) + [VitalFile.name, "export.xml"]
    return ([path] + names.map { "\(path)/\($0)" }).compactMap(FileIdentity.init)
  }
}

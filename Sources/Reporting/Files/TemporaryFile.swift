package import Foundation
import StudyData

/// A temporary file without a name, which nobody else can open and which goes however the program ends.
package final class TemporaryFile: Sendable {
  /// A temporary file that could not be made or written, or a program that could not use it.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The action that failed.
    let action: String
    /// The system's reason.
    package let reason: String

    package var code: String { "E_TEMPORARY" }

    package var description: String {
      "cannot \(action): \(reason); set TMPDIR to a writable folder with free space"
    }

    init(_ action: String, code: Int32 = errno) {
      self.action = action
      reason = String(cString: strerror(code))
    }
  }

  private let folder: String
  /// A descriptor above the standard streams, so that a child process can be given it as one.
  package let descriptor: Int32

  /// Makes an empty file.
  ///
  /// - Parameter folder: Where to, by default where the system has temporary files (`TMPDIR`).
  package init(in folder: URL = FileManager.default.temporaryDirectory) throws(Failure) {
    self.folder = folder.path(percentEncoded: false)
    var name = Array("\(self.folder)/promille-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw Failure("make a temporary file in \(self.folder)") }
    unlink(name)
    descriptor = fcntl(file, F_DUPFD_CLOEXEC, 3)
    close(file)
    guard descriptor >= 0 else { throw Failure("make a temporary file in \(self.folder)") }
  }

  deinit { close(descriptor) }

  /// The name that the open file has in this process.
  package var path: String { "/dev/fd/\(descriptor)" }

  package func empty() {
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
  }

  /// Replaces the contents, to be read from the beginning.
  func write(_ text: String) throws(Failure) {
    empty()
    guard writeAll(Array(text.utf8), to: descriptor) else {
      throw Failure("write a temporary file in \(folder)")
    }
    lseek(descriptor, 0, SEEK_SET)
  }

  package var contents: Data {
    lseek(descriptor, 0, SEEK_SET)
    return (try? Data(contentsOf: URL(filePath: path))) ?? Data()
  }
}

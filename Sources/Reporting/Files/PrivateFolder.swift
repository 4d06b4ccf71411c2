public import Foundation
import Synchronization

/// The place for temporary files: a folder that nobody else may look into, and that goes with its
/// object.
///
/// Files in it have a name that the folder has been told, so that a caretaker can remove them whatever
/// ends the program.
public final class PrivateFolder: Sendable {
  /// Why there is no folder, or no file in it.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What could not be made.
    public let path: String
    /// Why not, in the system's words.
    public let reason: String

    public var code: String { "E_TEMPORARY" }

    public var description: String {
      "cannot make the temporary \(path): \(reason); "
        + "set TMPDIR to a writable folder with free space"
    }

    init(_ path: String, code: Int32 = errno) {
      self.path = path
      reason = String(cString: strerror(code))
    }
  }

  public let path: String
  /// Who removes it if the program ends early.
  let caretaker: (any Caretaker)?

  private let places = Mutex<[String]>([])

  /// Makes an empty folder.
  ///
  /// - Parameters:
  ///   - parent: Where to, by default where the system has temporary files (`TMPDIR`).
  ///   - caretaker: Notified of the folder and of its contents.
  public init(
    in parent: URL = FileManager.default.temporaryDirectory, caretaker: (any Caretaker)? = nil
  ) throws(Failure) {
    let parent = parent.path(percentEncoded: false)
    let separator = parent.hasSuffix("/") ? "" : "/"
    path = "\(parent)\(separator)promille-\(UUID().uuidString)"
    self.caretaker = caretaker
    // The caretaker knows it before it is there, so that no signal comes between.
    caretaker?.begins(path)
    guard mkdir(path, 0o700) == 0 else {
      let failure = Failure("folder \(path)")
      caretaker?.ends(path)
      throw failure
    }
  }

  deinit {
    let places = places.withLock { $0 }
    // What is known by name goes without a descriptor, of which there may be none left.
    for place in places { unlink(place) }
    if rmdir(path) != 0 { try? FileManager.default.removeItem(atPath: path) }
    guard let caretaker else { return }
    for place in places + [path] { caretaker.ends(place) }
  }

  /// The path of a file in the folder that somebody is about to make.
  public func place(_ name: String) -> String {
    let place = "\(path)/\(name)"
    let isNew = places.withLock { places in
      guard !places.contains(place) else { return false }
      places.append(place)
      return true
    }
    if isNew { caretaker?.begins(place) }
    return place
  }

  /// Writes a file that only its owner may read.
  public func write(_ text: String, to name: String) throws(Failure) {
    let place = place(name)
    let descriptor = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("file \(place)") }
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure("file \(place)") }
      rest.removeFirst(count)
    }
  }

  /// The text of a file in the folder; nil if there is none.
  func text(_ name: String) -> String? {
    (try? Data(contentsOf: URL(filePath: "\(path)/\(name)"))).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// Receives the paths that must not outlive the program, so that they can be removed however it ends.
public protocol Caretaker: Sendable {
  /// A file, or a folder before the files in it, is about to be made.
  func begins(_ path: String)

  /// It is gone.
  func ends(_ path: String)

  /// Starts a program, nil if it cannot be; nothing may end the caller before the caretaker knows of it.
  func begins(process start: () -> pid_t?)

  func ends(process: pid_t)
}

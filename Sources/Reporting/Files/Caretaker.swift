public import Foundation

/// Told what must not outlive the program, so that whoever knows how the program ends can see to it.
public protocol Caretaker: Sendable {
  /// A file, or a folder before the files in it, is about to be made.
  func begins(_ path: String)

  /// It is gone.
  func ends(_ path: String)

  /// A program has been started.
  func begins(process: pid_t)

  /// It has ended.
  func ends(process: pid_t)
}

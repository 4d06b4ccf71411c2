public import Foundation

/// Told what must not outlive the program, so that whoever knows how the program ends can see to it.
public protocol Caretaker: Sendable {
  /// A file, or a folder before the files in it, is about to be made.
  func begins(_ path: String)

  /// It is gone.
  func ends(_ path: String)

  /// Starts a program. Nothing may end the caller between its start and the moment at which the
  /// caretaker knows of it.
  ///
  /// - Parameter start: Starts the program and tells its process; nil if it cannot be started.
  func begins(process start: () -> pid_t?)

  /// It has ended.
  func ends(process: pid_t)
}

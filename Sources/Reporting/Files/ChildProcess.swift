import Foundation

/// A program that is run to its end, by `posix_spawn`: Foundation's `Process` ends the caller without descriptors.
package enum ChildProcess {
  /// The end of a process: its exit code, or the signal that stopped it.
  package enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// The path of a program in one of the folders of `path`, which are separated by colons; nil if it is in none.
  package static func path(
    of program: String, in path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) -> String? {
    path.split(separator: ":").map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program whose standard streams are files.
  package static func run(
    _ program: String, _ arguments: [String], input: TemporaryFile, output: TemporaryFile,
    errors: TemporaryFile
  ) throws(TemporaryFile.Failure) -> Ending {
    var process: pid_t = 0
    let problem = withStrings([program] + arguments) { arguments in
      withStrings(ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }) { environment in
        withActions([input, output, errors]) { actions, attributes in
          posix_spawn(&process, program, actions, attributes, arguments, environment)
        }
      }
    }
    guard problem == 0 else { throw TemporaryFile.Failure("start \(program)", code: problem) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw TemporaryFile.Failure("wait for \(program)") }
    }
    // As the macros WIFEXITED and WEXITSTATUS have it, which Swift does not import.
    return status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }

  private typealias Strings = [UnsafeMutablePointer<CChar>?]

  /// Lends strings out as C wants them, with nil behind the last.
  private static func withStrings(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    let copies: Strings = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { $0.baseAddress.map(body) ?? ENOMEM }
  }

  #if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  /// Connects the streams of the program, and resets signals, whatever the caller ignores.
  private static func withActions(
    _ streams: [TemporaryFile],
    _ body: (UnsafePointer<Actions>, UnsafePointer<Attributes>) -> Int32
  ) -> Int32 {
    #if canImport(Darwin)
      var actions: Actions = nil
      var attributes: Attributes = nil
    #else
      var actions = Actions()
      var attributes = Attributes()
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { return ENOMEM }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawnattr_init(&attributes) == 0 else { return ENOMEM }
    defer { posix_spawnattr_destroy(&attributes) }
    for (stream, file) in streams.enumerated() {
      let problem = posix_spawn_file_actions_adddup2(&actions, file.descriptor, Int32(stream))
      guard problem == 0 else { return problem }
    }
    var usual = sigset_t()
    var none = sigset_t()
    sigemptyset(&usual)
    sigaddset(&usual, SIGPIPE)
    sigaddset(&usual, SIGXFSZ)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    return body(&actions, &attributes)
  }
}

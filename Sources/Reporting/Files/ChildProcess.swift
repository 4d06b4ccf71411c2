import Foundation

/// A program that is run to its end, by `posix_spawn`: Foundation's `Process` ends the caller without descriptors.
enum ChildProcess {
  /// How a program ended.
  enum Ending: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Runs a program with nothing to read, its standard error in a file of the folder, whose caretaker is notified.
  static func run(
    _ program: String, _ arguments: [String], in folder: PrivateFolder, errorsTo errors: String
  ) throws(PrivateFolder.Failure) -> Ending {
    let log = folder.place(errors)
    var process: pid_t = 0
    var problem: Int32 = 0
    let start = { () -> pid_t? in
      problem = withStrings([program] + arguments) { arguments in
        withStrings(ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }) { environment in
          withActions(errorsTo: log) { actions, attributes in
            posix_spawn(&process, program, actions, attributes, arguments, environment)
          }
        }
      }
      return problem == 0 ? process : nil
    }
    if let caretaker = folder.caretaker { caretaker.begins(process: start) } else { _ = start() }
    guard problem == 0 else { throw PrivateFolder.Failure("process \(program)", code: problem) }
    defer { folder.caretaker?.ends(process: process) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw PrivateFolder.Failure("process \(program)") }
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

  /// Opens the streams of the program, and resets signals, whatever the caller ignores.
  private static func withActions(
    errorsTo log: String,
    _ body: (UnsafePointer<Actions>, UnsafePointer<Attributes>) -> Int32
  ) -> Int32 {
    #if canImport(Darwin)
      var (actions, attributes): (Actions, Attributes) = (nil, nil)
    #else
      var (actions, attributes) = (Actions(), Attributes())
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { return ENOMEM }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawnattr_init(&attributes) == 0 else { return ENOMEM }
    defer { posix_spawnattr_destroy(&attributes) }
    let problems = [
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0),
      posix_spawn_file_actions_addopen(
        &actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600),
    ]
    if let problem = problems.first(where: { $0 != 0 }) { return problem }
    var (usual, none) = (sigset_t(), sigset_t())
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

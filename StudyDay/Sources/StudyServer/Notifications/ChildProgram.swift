import Foundation

/// Runs a program with bytes on its standard input, and kills it after a time limit.
///
/// It is started by `posix_spawn`: Foundation's `Process` waits for whatever the program leaves running in the background,
/// as some mail programs do.
enum ChildProgram {
  /// Environment variables that are passed on; others may hold secrets of the server.
  private static let variables: Set = ["HOME", "LOGNAME", "PATH", "USER", "XDG_CONFIG_HOME"]

  /// Runs a program to its end.
  ///
  /// - Returns: Its exit, such as `exit 75`, and the end of its standard error.
  static func run(
    _ program: String, _ arguments: [String], input: Data, limit: Duration
  ) async throws -> (ending: String, errors: String) {
    // Files, not pipes: neither side blocks on the other, and none gets a SIGPIPE when the other ends.
    let missing = DeliveryFailure(reason: "no temporary file can be made")
    guard let file = tmpfile() else { throw missing }
    defer { fclose(file) }
    guard let log = tmpfile() else { throw missing }
    defer { fclose(log) }
    let writer = FileHandle(fileDescriptor: fileno(file))
    let reader = FileHandle(fileDescriptor: fileno(log))
    try writer.write(contentsOf: input)
    try writer.seek(toOffset: 0)
    let process = try start(program, arguments, input: fileno(file), errors: fileno(log))
    let end = ContinuousClock.now + limit
    var status: Int32 = 0
    var ended = waitpid(process, &status, WNOHANG)
    while ended == 0 {
      guard .now < end, (try? await Task.sleep(for: .milliseconds(20))) != nil else {
        // The whole group, so that no child survives.
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
        guard !Task.isCancelled else { throw DeliveryFailure(reason: "the server stops") }
        throw DeliveryFailure(
          reason: "the mail command did not end within \(limit.components.seconds) s")
      }
      ended = waitpid(process, &status, WNOHANG)
    }
    guard ended == process else {
      throw DeliveryFailure(reason: "how the mail command ended is not known")
    }
    let size = try reader.seekToEnd()
    try reader.seek(toOffset: size - min(size, 4096))
    let errors = String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self)
    // The macros WIFEXITED and WEXITSTATUS, which Swift does not import.
    return (status & 0x7F == 0 ? "exit \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)", errors)
  }

  #if canImport(Darwin)
    private typealias Actions = posix_spawn_file_actions_t?
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias Actions = posix_spawn_file_actions_t
    private typealias Attributes = posix_spawnattr_t
  #endif

  /// Starts a program in a group of its own, with its three streams open and nothing else.
  private static func start(
    _ program: String, _ arguments: [String], input: Int32, errors: Int32
  ) throws(DeliveryFailure) -> pid_t {
    #if canImport(Darwin)
      var actions: Actions = nil
      var attributes: Attributes = nil
      let flags =
        POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        | POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      var actions = Actions()
      var attributes = Attributes()
      let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    #if !canImport(Darwin)
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? [] {
        guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    #endif
    // Resets signals that the server ignores and a program may rely on.
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let environment = ProcessInfo.processInfo.environment.filter { variables.contains($0.key) }
      .map { "\($0)=\($1)" }
    var process: pid_t = 0
    let problem = withStrings([program] + arguments) { words in
      withStrings(environment) { posix_spawn(&process, program, &actions, &attributes, words, $0) }
    }
    guard problem == 0 else {
      throw DeliveryFailure(reason: "the mail command cannot be started (\(problem))")
    }
    return process
  }

  /// Lends strings out as C wants them, with nil behind the last.
  private static func withStrings(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
  ) -> Int32 {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return body(copies)
  }
}

import Foundation
import TestSupport

/// A run of the command in the package's folder: a process of its own, or a request to a worker.
struct Command {
  /// The commands that read a study.
  static let names = ["check", "fit", "compare", "sober"]

  private let executable: URL
  private let arguments: [String]
  private let environment: [String: String]

  private init(_ executable: URL, _ arguments: [String], environment: [String: String] = [:]) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  /// Runs `promille` and waits for it.
  static func promille(
    _ arguments: String..., environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await promille(arguments, environment: environment)
  }

  /// Runs `promille` in a worker, whose answers are those of a process of its own (`WorkerTests`), and waits for it.
  ///
  /// - Parameter environment: What it is told besides; only a process of its own can be told.
  static func promille(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    guard environment.isEmpty, !arguments.contains(where: isOfProcess) else {
      return try await alone(arguments, environment: environment)
    }
    return try await Gate.ofCommands.pass { try await Workers.shared.run(arguments) }
  }

  /// Runs `promille` as a process of its own, and waits for it.
  static func alone(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> Outcome {
    try await Command(try Executable.promille.get(), arguments, environment: environment).run()
  }

  /// Whether an argument has to do with the process: its streams, or what replaces or outlives it.
  private static func isOfProcess(_ argument: String) -> Bool {
    ["-", "serve", "worker"].contains(argument)
      || ["/dev/", "/proc/"].contains { argument.contains($0) }
  }

  /// Starts a worker.
  static func worker(input: FileHandle, output: FileHandle) throws -> RunningProcess {
    try Command(try Executable.promille.get(), ["worker"])
      .start(input: input, output: output, errors: .nullDevice)
  }

  /// Runs a script in which `promille` stands for the command and `"$@"` for the arguments.
  static func shell(_ script: String, _ arguments: String...) async throws -> Outcome {
    let function = "command=$0; promille() { \"$command\" \"$@\"; }; "
    return try await Command(
      URL(filePath: "/bin/sh"),
      ["-c", function + script, try Executable.promille.get().path] + arguments
    ).run()
  }

  /// Starts `promille` without waiting for it; what it says is lost.
  ///
  /// - Parameters:
  ///   - input: Its standard input.
  ///   - isIgnoringHangups: Whether it is started as `nohup` does.
  ///   - environment: What it is told besides.
  static func starting(
    _ arguments: String..., input: FileHandle = .nullDevice, isIgnoringHangups: Bool = false,
    environment: [String: String] = [:]
  ) throws -> RunningProcess {
    try starting(
      arguments, input: input, isIgnoringHangups: isIgnoringHangups, environment: environment)
  }

  /// Starts `promille` without waiting for it.
  static func starting(
    _ arguments: [String], input: FileHandle = .nullDevice, isIgnoringHangups: Bool = false,
    environment: [String: String] = [:]
  ) throws -> RunningProcess {
    let promille = try Executable.promille.get()
    let command =
      isIgnoringHangups
      ? Command(
        URL(filePath: "/bin/sh"),
        ["-c", "trap '' HUP; exec \"$0\" \"$@\"", promille.path] + arguments,
        environment: environment)
      : Command(promille, arguments, environment: environment)
    return try command.start(input: input, output: .nullDevice, errors: .nullDevice)
  }

  /// Runs `promille` with a terminal for its standard output.
  ///
  /// - Parameter showingErrors: Sends standard error to the terminal, too.
  static func onTerminal(
    _ arguments: String..., columns: Int = 0, showingErrors: Bool = false,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let terminal = try Terminal(columns: columns)
    let errors = try file("errors", in: folder)
    let process = try Command(try Executable.promille.get(), arguments, environment: environment)
      .start(output: terminal.line, errors: showingErrors ? terminal.line : errors)
    try terminal.line.close()
    try errors.close()
    async let status = process.status()
    let output = await terminal.readToEnd()
    return Outcome(status: await status, output: output, errors: try folder.read("errors"))
  }

  /// Runs `promille` with a terminal for all that it says, as somebody sees it; the outcome has all of it as output.
  static func watched(_ arguments: [String], columns: Int = 0) async throws -> Outcome {
    let terminal = try Terminal(columns: columns)
    let process = try Command(try Executable.promille.get(), arguments)
      .start(output: terminal.line, errors: terminal.line)
    try terminal.line.close()
    async let status = process.status()
    let output = await terminal.readToEnd()
    return Outcome(status: await status, output: output, errors: "")
  }

  /// Runs `promille` at a terminal, where it asks and somebody types; results go elsewhere.
  ///
  /// - Parameter isInterrupted: Whether Ctrl-C is pressed once it has asked.
  static func atTerminal(
    _ arguments: [String], typing text: String, columns: Int = 0, isInterrupted: Bool = false,
    environment: [String: String] = [:]
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    let terminal = try Terminal(columns: columns)
    let output = try file("output", in: folder)
    try terminal.type(text)
    let process = try Command(try Executable.promille.get(), arguments, environment: environment)
      .start(input: terminal.line, output: output, errors: terminal.line)
    try terminal.line.close()
    try output.close()
    if isInterrupted {
      Task {
        try await Task.sleep(for: .seconds(1))
        process.kill(SIGINT)
      }
    }
    async let status = process.status()
    let errors = await terminal.readToEnd()
    return Outcome(status: await status, output: try folder.read("output"), errors: errors)
  }

  private func run() async throws -> Outcome {
    try await Gate.ofCommands.pass { try await runAtOnce() }
  }

  /// Both outputs go to files: a pipe that nobody empties would stop the command.
  private func runAtOnce() async throws -> Outcome {
    let folder = try TemporaryFolder()
    let output = try Self.file("output", in: folder)
    let errors = try Self.file("errors", in: folder)
    let process = try start(output: output, errors: errors)
    // The process has its own; open ones here would add up to thousands.
    try output.close()
    try errors.close()
    return Outcome(
      status: await process.status(), output: try folder.read("output"),
      errors: try folder.read("errors"))
  }

  private static func file(_ name: String, in folder: TemporaryFolder) throws -> FileHandle {
    try folder.write("", to: name)
    return try FileHandle(forWritingTo: URL(filePath: folder(name)))
  }

  private func start(
    input: FileHandle = .nullDevice, output: FileHandle, errors: FileHandle
  ) throws -> RunningProcess {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = Self.inherited.merging(environment) { $1 }
    process.currentDirectoryURL = PackageFolder.root
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    return try Self.withSignals { try RunningProcess(process) }
  }

  /// Threads of tests hold signals back, and what they start would inherit that.
  private static func withSignals<Value>(_ start: () throws -> Value) rethrows -> Value {
    var (none, earlier) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &earlier)
    defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
    return try start()
  }

  /// Nothing of the caller's environment but what a program may need to start, and to count its
  /// coverage; and the seed of hashing, which `Tests/Tools/check.py hashing` sets.
  private static let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
    [
      "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "LLVM_PROFILE_FILE",
      "SWIFT_DETERMINISTIC_HASHING",
    ].contains(name)
  }
}

import Foundation

/// A process under way, which is ended if it takes far too long.
struct RunningProcess {
  /// The longest time that a test may take, also on a busy machine.
  private static let patience = Duration.seconds(60)

  private let exits: AsyncStream<Int32>
  private let identifier: pid_t

  init(_ process: Process) throws {
    let (exits, continuation) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      let isSignal = process.terminationReason == .uncaughtSignal
      continuation.yield(process.terminationStatus + (isSignal ? 128 : 0))
      continuation.finish()
    }
    try process.run()
    self.exits = exits
    identifier = process.processIdentifier
  }

  /// Sends the process a signal; unless told, the one that nobody can prevent from ending it.
  func kill(_ signal: Int32 = SIGKILL) {
    Foundation.kill(identifier, signal)
  }

  /// The number of files without a name that the process has open in a folder; 0 if the system does not tell.
  func namelessFiles(in folder: String) -> Int {
    let manager = FileManager.default
    let open = "/proc/\(identifier)/fd"
    let paths = ((try? manager.contentsOfDirectory(atPath: open)) ?? []).compactMap {
      try? manager.destinationOfSymbolicLink(atPath: "\(open)/\($0)")
    }
    return paths.count { $0.hasPrefix("\(folder)/#") }
  }

  /// The exit status, or 128 and the number of the signal that ended it, as shells have it.
  func status() async -> Int32 {
    await inTime {
      for await status in exits { return status }
      return -1
    }
  }

  /// Waits for something that the process does.
  func inTime<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    let watchdog = Task { [identifier] in
      try await Task.sleep(for: Self.patience)
      Foundation.kill(identifier, SIGKILL)
    }
    defer { watchdog.cancel() }
    return try await body()
  }
}

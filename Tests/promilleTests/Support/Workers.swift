import Dispatch
import Foundation

/// Workers that run commands of tests: each is a process that begins once and runs one command at a time.
///
/// A debug build takes longer to begin than many a command takes.
actor Workers {
  static let shared = Workers()

  private var idle: [RunningWorker] = []

  /// Runs a command in a worker that has nothing to do, or in a new one.
  func run(_ arguments: [String]) async throws -> Outcome {
    let worker = try idle.popLast() ?? RunningWorker()
    guard let outcome = try await worker.run(arguments) else { return await worker.ended() }
    idle.append(worker)
    return outcome
  }
}

/// A `promille worker` under way.
private struct RunningWorker {
  private let process: RunningProcess
  private let requests = Pipe()
  private let answers = Pipe()

  init() throws {
    process = try Command.worker(
      input: requests.fileHandleForReading, output: answers.fileHandleForWriting)
    // The worker has its own; the answers end with it.
    try requests.fileHandleForReading.close()
    try answers.fileHandleForWriting.close()
  }

  /// Runs a command in the worker and returns its output; nil if the worker ended instead.
  func run(_ arguments: [String]) async throws -> Outcome? {
    let request = try JSONSerialization.data(withJSONObject: ["arguments": arguments])
    try requests.fileHandleForWriting.write(contentsOf: request + Data("\n".utf8))
    return try await process.inTime {
      // Off the threads of Swift's tasks, which must not wait.
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try answer() }) }
      }
    }
  }

  private func answer() throws -> Outcome? {
    var line = Data()
    while let byte = try bytes(1) {
      guard byte.first == UInt8(ascii: "\n") else {
        line += byte
        continue
      }
      let head = try JSONDecoder().decode(Head.self, from: line)
      guard let output = try bytes(head.output), let errors = try bytes(head.errors) else { break }
      return Outcome(
        status: head.status, output: String(decoding: output, as: UTF8.self),
        errors: String(decoding: errors, as: UTF8.self))
    }
    return nil
  }

  private struct Head: Decodable {
    let status: Int32
    let output: Int
    let errors: Int
  }

  private func bytes(_ count: Int) throws -> Data? {
    guard count > 0 else { return Data() }
    let data = try answers.fileHandleForReading.read(upToCount: count)
    return data?.count == count ? data : nil
  }

  /// The outcome of a worker that gave no answer.
  func ended() async -> Outcome {
    Outcome(status: await process.status(), output: "", errors: "the worker ended\n")
  }
}

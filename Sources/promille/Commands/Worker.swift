import ArgumentParser
import Foundation
import Reporting
import StudyData

struct Worker: ParsableCommand {
  static let configuration = Help.configuration("worker")

  func run() throws {
    try require(!Invocation.isForWorker, "A worker is running already; write requests to it.")
    BrokenPipe.expect()
    let streams = try WorkerStreams()
    var parsed: ParsedLines? = ParsedLines()
    do {
      while let request = try streams.next() {
        try streams.answer(Promille.run(request, in: &parsed))
      }
    } catch let error as WorkerStreams.BadRequest {
      Console(isQuiet: false).say(Message(.error, "E_REQUEST", error.reason))
      try streams.answer(ExitCode.validationFailure.rawValue)
      throw ExitStatus.badData
    }
  }
}

/// The standard streams of a worker: requests come in, answers go out, and files without a name stand in their places
/// for the command, which reads and writes as ever.
private final class WorkerStreams {
  /// The reason why a line is not a request.
  struct BadRequest: Error { let reason: String }

  private struct Request: Decodable {
    let arguments: [String]
    let input: Int?
  }

  /// Longer than any list of arguments that a system passes on.
  private static let longestLine = 1 << 24
  private static let blockSize = 1 << 16

  private let requests: Int32
  private let answers: Int32
  /// Bytes of requests that were read and not used yet.
  private var ahead: [UInt8] = []

  init() throws {
    // No program that a command starts gets them.
    requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      // In memory where the system has a folder for that.
      let file = try (try? TemporaryFile(in: URL(filePath: "/dev/shm"))) ?? TemporaryFile()
      guard requests >= 0, answers >= 0, dup2(file.descriptor, stream) >= 0 else {
        throw Refusal(
          "E_TEMPORARY", "cannot make a temporary file: \(String(cString: strerror(errno)))",
          ExitStatus.cannotCreate)
      }
    }
    endWithReader()
  }

  /// Exits once nobody can read the answers, also while a command runs.
  private func endWithReader() {
    let answers = answers
    Thread.detachNewThread {
      var watched = pollfd(fd: answers, events: 0, revents: 0)
      while poll(&watched, 1, -1) < 0, errno == EINTR {}
      kill(getpid(), SIGTERM)
    }
  }

  // MARK: Requests

  /// The arguments of the next request, whose input is standard input then; nil after the last.
  func next() throws -> [String]? {
    for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { try Self.empty(stream) }
    guard let line = try line() else { return nil }
    let request: Request
    do {
      request = try JSONDecoder().decode(Request.self, from: Data(line))
    } catch {
      throw BadRequest(
        reason: #"the line is not a request; write {"arguments": ["check", "-"], "input": 0}"#)
    }
    let input = request.input ?? 0
    guard input >= 0 else {
      throw BadRequest(reason: "input is \(input); it must be 0 or more bytes")
    }
    try copyInput(input)
    guard !request.arguments.contains(where: { $0.utf8.contains(0) }) else {
      throw BadRequest(reason: "an argument has a NUL, which a command line cannot have")
    }
    return request.arguments
  }

  private func line() throws -> [UInt8]? {
    var searched = 0
    while true {
      if let end = ahead[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { ahead.removeFirst(end + 1) }
        return Array(ahead[..<end])
      }
      searched = ahead.count
      guard searched <= Self.longestLine else {
        throw BadRequest(reason: "a line has more than \(Self.longestLine) bytes")
      }
      let block = try read()
      if block.isEmpty {
        guard !ahead.isEmpty else { return nil }
        throw BadRequest(reason: "the input ends within a line")
      }
      ahead += block
    }
  }

  private func copyInput(_ count: Int) throws {
    var rest = count
    while rest > 0 {
      if ahead.isEmpty { ahead = try read() }
      guard !ahead.isEmpty else {
        throw BadRequest(reason: "the input ends \(rest) bytes before the end of a request")
      }
      let part = ahead.prefix(rest)
      try Self.write(Array(part), to: STDIN_FILENO)
      rest -= part.count
      ahead.removeFirst(part.count)
    }
    lseek(STDIN_FILENO, 0, SEEK_SET)
  }

  private func read() throws -> [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    while true {
      let count = Foundation.read(requests, &block, block.count)
      if count >= 0 { return Array(block.prefix(count)) }
      guard errno == EINTR else { throw Self.failure }
    }
  }

  // MARK: Answers

  /// Sends what the command wrote.
  func answer(_ status: Int32) throws {
    let written = try [STDOUT_FILENO, STDERR_FILENO].map { stream in
      lseek(stream, 0, SEEK_SET)
      return try FileHandle(fileDescriptor: stream).readToEnd() ?? Data()
    }
    let head: JSONValue = [
      "status": .integer(Int(status)), "output": .integer(written[0].count),
      "errors": .integer(written[1].count),
    ]
    for data in [Data((head.line + "\n").utf8)] + written {
      try Self.write(Array(data), to: answers)
    }
  }

  private static func empty(_ stream: Int32) throws {
    guard ftruncate(stream, 0) == 0, lseek(stream, 0, SEEK_SET) == 0 else { throw failure }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    guard writeAll(bytes, to: descriptor) else { throw failure }
  }

  /// The error of the last system call. Only the exit code can report it.
  private static var failure: Refusal {
    Refusal(
      "E_REQUEST", "a request or an answer broke off: \(String(cString: strerror(errno)))",
      ExitStatus.inputOutput)
  }
}

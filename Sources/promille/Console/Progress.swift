import Estimation
import Foundation
import StudyData
import Synchronization

/// Shows on a terminal how far a long piece of work is.
struct Progress {
  private var meter: ProgressMeter
  private let line: StatusLine

  init(of total: Int?, people: Int? = nil, _ console: Console) {
    meter = ProgressMeter(of: total, people: people)
    line = StatusLine(console)
  }

  /// Says that one more series is done, of the same person as the last or of the next.
  mutating func advance(ofNextPerson isNext: Bool = true) {
    if let text = meter.advance(at: line.elapsed, ofNextPerson: isNext) { line.write(text) }
  }

  /// Removes it from the terminal.
  func clear() { line.clear() }

  /// Runs a command, and shows how far it is with a study that it maps at once.
  ///
  /// - Parameter console: Where to; nil shows nothing.
  static func showing(on console: Console?, _ run: () throws -> Void) throws {
    guard let console else { return try run() }
    let shown = Mutex<Progress?>(nil)
    ParallelMap.observer.withLock {
      $0 = { done, total in
        shown.withLock { shown in
          // Each part of the work is counted, and timed, from its beginning.
          if done == 1 { shown = Progress(of: total, console) }
          shown?.advance()
          if done == total { shown?.clear() }
        }
      }
    }
    defer { shown.withLock { $0?.clear() } }
    try run()
  }
}

/// A line at the end of a terminal that is written over; none where nobody would see it.
final class StatusLine: Sendable {
  private struct State {
    var next = ProgressMeter.patience
    var isVisible = false
  }

  private static let eraseRest = "\u{1B}[K"

  private let state = Mutex(State())
  private let start = ContinuousClock.now
  private let isShown: Bool

  init(_ console: Console) {
    isShown = console.showsProgress
  }

  fileprivate var elapsed: Duration { ContinuousClock.now - start }

  /// Says what is done now, once that takes long.
  func show(_ text: String) {
    let time = elapsed
    let isTime = state.withLock { state in
      guard time >= state.next else { return false }
      state.next = time + ProgressMeter.interval
      return true
    }
    if isTime { write(text) }
  }

  fileprivate func write(_ text: String) {
    guard isShown else { return }
    state.withLock { state in
      state.isVisible = true
      Self.write("\r" + text + Self.eraseRest)
    }
  }

  /// Removes it from the terminal.
  func clear() {
    state.withLock { state in
      guard state.isVisible else { return }
      state.isVisible = false
      Self.write("\r" + Self.eraseRest)
    }
  }

  private static func write(_ text: String) {
    // If standard error is closed, there is nobody left to show it to.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}

extension Console {
  fileprivate var showsProgress: Bool { !isQuiet && isatty(STDERR_FILENO) == 1 }

  /// The number of people of a stream whose number of series is not known; counted only to be shown.
  func people(of stream: borrowing StudyStream) -> Int? {
    stream.count == nil && showsProgress ? stream.people : nil
  }
}

/// Says how far a long piece of work is: what is done, how fast, and the time left.
struct ProgressMeter {
  /// Work that takes less needs none.
  static let patience = Duration.seconds(1)
  /// The shortest time between two lines.
  static let interval = Duration.milliseconds(200)

  private let total: Int?
  private let people: Int?
  private var done = 0
  private var begun = 0
  private var next = patience

  /// - Parameters:
  ///   - total: The number of series, if it is known.
  ///   - people: The number of people, if that is known instead.
  init(of total: Int?, people: Int? = nil) {
    self.total = total
    self.people = people
  }

  /// Says that one more series is done.
  ///
  /// - Parameters:
  ///   - time: The time since the work began.
  ///   - isNext: Whether it is the first of its person.
  /// - Returns: The line to show; nil if it is too early for another.
  mutating func advance(at time: Duration, ofNextPerson isNext: Bool = true) -> String? {
    done += 1
    if isNext { begun += 1 }
    guard time >= next else { return nil }
    next = time + Self.interval
    return text(in: time / .seconds(1))
  }

  private func text(in seconds: Double) -> String {
    let rate = Double(done) / seconds
    let speed = String(format: "%.*f series/s", rate < 10 ? 1 : 0, rate)
    let (ready, all, what) =
      total.map { (done, $0, "series") } ?? people.map { (begun, $0, "people") } ?? (0, 0, "")
    guard ready > 0 else { return "\(done) series, \(speed)" }
    let left = Int((Double(max(0, all - ready)) * seconds / Double(ready)).rounded(.up))
    let time = left < 120 ? "\(left) s" : "\((left + 59) / 60) min"
    return "\(ready) of \(all) \(what), \(speed), \(time) left"
  }
}

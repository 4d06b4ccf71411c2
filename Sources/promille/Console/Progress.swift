import Foundation

/// Shows on a terminal how far a long piece of work is: what is done, how fast, and the time left.
struct Progress {
  /// Work that takes less needs none.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)

  private let total: Int?
  private let isShown: Bool
  private let start = ContinuousClock.now
  private var next: ContinuousClock.Instant
  private var done = 0
  private var isVisible = false

  /// - Parameter total: How many series there are; nil if that is not known.
  init(of total: Int?, _ console: Console) {
    self.total = total
    isShown = !console.isQuiet && isatty(STDERR_FILENO) == 1
    next = start + Self.patience
  }

  /// Says that one more series is done.
  mutating func advance() {
    done += 1
    guard isShown, ContinuousClock.now >= next else { return }
    next = ContinuousClock.now + Self.interval
    isVisible = true
    let text = Self.text(done, of: total, in: (ContinuousClock.now - start) / .seconds(1))
    write("\r" + text + Self.eraseRest)
  }

  /// Takes it off the terminal.
  mutating func clear() {
    guard isVisible else { return }
    isVisible = false
    write("\r" + Self.eraseRest)
  }

  private static let eraseRest = "\u{1B}[K"

  private static func text(_ done: Int, of total: Int?, in seconds: Double) -> String {
    let rate = Double(done) / seconds
    let speed = String(format: "%.*f series/s", rate < 10 ? 1 : 0, rate)
    guard let total else { return "\(done) series, \(speed)" }
    let left = Int((Double(total - done) / rate).rounded(.up))
    let time = left < 120 ? "\(left) s" : "\((left + 59) / 60) min"
    return "\(done) of \(total) series, \(speed), \(time) left"
  }

  private func write(_ text: String) {
    // If standard error is closed, there is nobody left to show it to.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}

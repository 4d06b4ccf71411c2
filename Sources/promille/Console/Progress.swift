import Foundation

/// Shows on a terminal how far a long piece of work is.
struct Progress {
  /// Nil where nobody would see it.
  private var meter: ProgressMeter?
  private let start = ContinuousClock.now
  private var isVisible = false

  /// - Parameter total: How many series there are; nil if that is not known.
  init(of total: Int?, _ console: Console) {
    let isShown = !console.isQuiet && isatty(STDERR_FILENO) == 1
    meter = isShown ? ProgressMeter(of: total) : nil
  }

  /// Says that one more series is done.
  mutating func advance() {
    guard meter != nil else { return }
    let time = ContinuousClock.now - start
    guard let text = meter?.advance(at: time) else { return }
    isVisible = true
    write("\r" + text + Self.eraseRest)
  }

  /// Takes it off the terminal.
  mutating func clear() {
    guard isVisible else { return }
    isVisible = false
    write("\r" + Self.eraseRest)
  }

  private static let eraseRest = "\u{1B}[K"

  private func write(_ text: String) {
    // If standard error is closed, there is nobody left to show it to.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}

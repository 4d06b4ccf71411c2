public import Metrics
import Synchronization

/// Counts in memory, in the text that Prometheus reads.
public final class InMemoryMetrics: MetricsFactory {
  public static let shared = InMemoryMetrics()

  private struct Value {
    var sum = 0.0
    /// Number of recorded values; nil for counters and gauges.
    var count: Int?
  }

  private let values = Mutex<[String: Value]>([:])

  var text: String {
    values.withLock { values in
      values.sorted { $0.key < $1.key }.map { name, value in
        guard let count = value.count else { return "\(name) \(value.sum)\n" }
        let (base, labels) = Self.parts(name)
        return "\(base)_sum\(labels) \(value.sum)\n\(base)_count\(labels) \(count)\n"
      }.joined()
    }
  }

  private static func parts(_ name: String) -> (String, String) {
    guard let brace = name.firstIndex(of: "{") else { return (name, "") }
    return (String(name[..<brace]), String(name[brace...]))
  }

  private final class Line: CounterHandler, RecorderHandler, TimerHandler {
    let name: String
    let isSummary: Bool
    let board: InMemoryMetrics

    init(
      _ label: String, _ dimensions: [(String, String)], isSummary: Bool = false,
      _ board: InMemoryMetrics
    ) {
      let labels = dimensions.map { name, value in
        "\(name)=\"\(value.utf8.contains(0x22) ? value.replacing("\"", with: "'") : value)\""
      }
      name = label + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
      self.isSummary = isSummary
      self.board = board
    }

    private func change(_ body: (inout Value) -> Void) {
      board.values.withLock { body(&$0[name, default: Value()]) }
    }

    func increment(by amount: Int64) { change { $0.sum += Double(amount) } }
    func reset() { change { $0 = Value() } }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) {
      change { line in
        guard isSummary else {
          line.sum = value
          return
        }
        line.sum += value
        line.count = (line.count ?? 0) + 1
      }
    }
    func recordNanoseconds(_ duration: Int64) {
      change { line in
        line.sum += Double(duration) / 1e9
        line.count = (line.count ?? 0) + 1
      }
    }
  }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Line(label, dimensions, self)
  }
  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { Line(label, dimensions, isSummary: aggregate, self) }
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Line(label, dimensions, self)
  }
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}
}

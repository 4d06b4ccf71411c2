import CReference

/// The week of twenty drinks in C.
struct CWork {
  let name: String
  /// Minutes computed by one run.
  let count: Int
  let run: () -> Void

  private static let minutes = 7 * 1440
  private static let starts = (0..<20).map { $0 * 503 + $0 * $0 % 97 }
  private static let doses = (0..<20).map { 0.1 + 0.035 * Double($0 * 7 % 20) }

  static var all: [CWork] {
    [
      row("memset", creference(row: creference_memset)),
      row("thesis_loop", drinking(creference_thesis)),
      row("recurrence", drinking(creference_recurrence)),
      four,
    ]
  }

  private typealias Drinking = (
    UnsafeMutablePointer<Double>, Int, UnsafePointer<Int>, UnsafePointer<Double>, Int, Double,
    Double
  ) -> Void

  private static func creference(
    row clear: @escaping (UnsafeMutablePointer<Double>, Int) -> Void
  ) -> (UnsafeMutablePointer<Double>) -> Void {
    { clear($0, minutes) }
  }

  private static func drinking(_ work: @escaping Drinking) -> (UnsafeMutablePointer<Double>) -> Void
  {
    { work($0, minutes, starts, doses, starts.count, 18, 0.15) }
  }

  private static func row(
    _ name: String, _ work: @escaping (UnsafeMutablePointer<Double>) -> Void
  ) -> CWork {
    let memory = Memory(minutes)
    return CWork(name: name, count: minutes) { work(memory.start) }
  }

  /// Four curves side by side.
  private static var four: CWork {
    let memory = Memory(4 * minutes)
    let doses = doses.flatMap { dose in [0.8, 0.9, 1, 1.1].map { dose * $0 } }
    return CWork(name: "four_curves", count: 4 * minutes) {
      creference_four(memory.start, minutes, starts, doses, starts.count, 18, 0.15)
    }
  }

  private final class Memory {
    let start: UnsafeMutablePointer<Double>

    init(_ count: Int) {
      start = .allocate(capacity: count)
      start.initialize(repeating: 0, count: count)
    }

    deinit { start.deallocate() }
  }
}

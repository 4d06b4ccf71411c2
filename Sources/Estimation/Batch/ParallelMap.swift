import Dispatch
import Synchronization

/// Maps over many elements on several threads, with results in the order of the elements.
package enum ParallelMap {
  /// Elements that a thread takes at a time: enough that threads hardly ever wait for each other,
  /// few enough that none is left with much to do at the end.
  private static let chunkSize = 16

  /// Maps each element by a worker of the thread that takes it.
  ///
  /// What is computed for an element must not depend on what its worker did before; then the results
  /// are the same for any number of threads.
  ///
  /// - Parameters:
  ///   - jobs: How many threads; one at least.
  ///   - makeWorker: Makes what a thread needs for itself.
  package static func map<Element: Sendable, Value: Sendable, Worker>(
    _ elements: [Element],
    jobs: Int,
    makeWorker: @Sendable () -> Worker,
    _ transform: @Sendable (Worker, Element) -> Value
  ) -> [Value] {
    let chunkCount = (elements.count + chunkSize - 1) / chunkSize
    let threads = min(max(1, jobs), max(1, chunkCount))
    guard threads > 1 else {
      let worker = makeWorker()
      return elements.map { transform(worker, $0) }
    }
    let next = Mutex(0)
    let chunks = Mutex([[Value]](repeating: [], count: chunkCount))
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      let worker = makeWorker()
      while let chunk = next.withLock({ $0.claimed(below: chunkCount) }) {
        let first = chunk * chunkSize
        let values = elements[first..<min(first + chunkSize, elements.count)]
          .map { transform(worker, $0) }
        chunks.withLock { $0[chunk] = values }
      }
    }
    return chunks.withLock { $0.flatMap { $0 } }
  }
}

extension Int {
  /// The number as it was, counted up; nil once the limit is reached.
  fileprivate mutating func claimed(below limit: Int) -> Int? {
    guard self < limit else { return nil }
    defer { self += 1 }
    return self
  }
}

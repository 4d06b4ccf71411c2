import Dispatch
import Synchronization

/// Maps elements that come one after another on several threads, and hands the results on in the
/// order of the elements.
///
/// Only so many elements are under way at a time, so that memory does not grow with their number.
enum ParallelStream {
  /// Chunks under way for each thread: enough that none waits while one element takes long.
  private static let chunksPerThread = 8

  /// Maps each element by a worker of the thread that takes it.
  ///
  /// What is computed for an element must not depend on what its worker did before; then the results
  /// are the same for any number of threads.
  ///
  /// - Parameters:
  ///   - jobs: How many threads; one at least.
  ///   - chunkSize: Elements that a thread takes at a time: 1 to have every result at once, more so
  ///     that threads hardly wait for each other.
  ///   - next: Gives the next element, nil after the last. Called by one thread at a time.
  ///   - makeWorker: Makes what a thread needs for itself.
  ///   - consume: Takes the results, in order. Called by one thread at a time.
  /// - Throws: What `next` or `consume` throws; neither is called again after that, but for elements
  ///   taken before the last one that `next` gave.
  static func map<Element: Sendable, Value: Sendable, Worker>(
    jobs: Int,
    chunkSize: Int,
    next: sending @escaping () throws -> Element?,
    makeWorker: @Sendable () -> Worker,
    _ transform: @Sendable (Worker, Element) -> Value,
    consume: sending @escaping (Value) throws -> Void
  ) throws {
    let threads = max(1, jobs)
    let source = Mutex(ChunkSource(next))
    let sink = Mutex(ChunkSink(consume))
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<(threads * chunksPerThread) { room.signal() }
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      let worker = makeWorker()
      while true {
        room.wait()
        let taken = source.withLock { $0.take(chunkSize) }
        guard let taken else {
          room.signal()
          return
        }
        let values = taken.elements.map { transform(worker, $0) }
        let (written, isBroken) = sink.withLock { $0.put(values, at: taken.index) }
        if isBroken { source.withLock { $0.stop() } }
        for _ in 0..<written { room.signal() }
      }
    }
    if let failure = sink.withLock({ $0.failure }) ?? source.withLock({ $0.failure }) {
      throw failure
    }
  }
}

/// Gives elements out in numbered chunks.
private struct ChunkSource<Element> {
  /// What ended it before the last element.
  private(set) var failure: (any Error)?

  private let next: () throws -> Element?
  private var index = 0
  private var isAtEnd = false

  init(_ next: @escaping () throws -> Element?) {
    self.next = next
  }

  /// The next chunk; nil after the last.
  mutating func take(_ count: Int) -> (index: Int, elements: [Element])? {
    var elements: [Element] = []
    do {
      while !isAtEnd, elements.count < count {
        guard let element = try next() else {
          isAtEnd = true
          break
        }
        elements.append(element)
      }
    } catch {
      failure = error
      isAtEnd = true
    }
    guard !elements.isEmpty else { return nil }
    defer { index += 1 }
    return (index, elements)
  }

  mutating func stop() {
    isAtEnd = true
  }
}

/// Takes chunks in any order and hands them on in theirs.
private struct ChunkSink<Value> {
  /// What ended it.
  private(set) var failure: (any Error)?

  private let consume: (Value) throws -> Void
  private var waiting: [Int: [Value]] = [:]
  private var index = 0

  init(_ consume: @escaping (Value) throws -> Void) {
    self.consume = consume
  }

  /// Takes a chunk; says how many are done with since, and whether no more are wanted.
  mutating func put(_ values: [Value], at position: Int) -> (written: Int, isBroken: Bool) {
    waiting[position] = values
    var written = 0
    while let values = waiting.removeValue(forKey: index) {
      index += 1
      written += 1
      guard failure == nil else { continue }
      do {
        for value in values { try consume(value) }
      } catch {
        failure = error
      }
    }
    return (written, failure != nil)
  }
}

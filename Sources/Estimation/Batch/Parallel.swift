import Dispatch
package import StudyData
package import Synchronization

/// Maps the series of a stream on several threads, and passes the results on in the order of the series.
///
/// The number of series in progress is limited, so that memory does not grow with the stream.
package enum ParallelStream {
  /// The number of chunks in progress for each thread: enough that no thread waits while one series takes long.
  private static let chunksPerThread = 8

  /// The number of series in a chunk; 1 for a live stream, so that every result is available at once.
  private static let chunkSize = 16

  /// The number of readings after which a chunk ends early, to limit memory with long series.
  fileprivate static let chunkReadings = 1000

  /// Maps each series by a worker of its thread.
  ///
  /// The result for a series must not depend on earlier calls of its worker; then results are identical for any number of
  /// threads.
  ///
  /// - Parameters:
  ///   - stream: The series.
  ///   - jobs: The number of threads, at least 1.
  ///   - makeWorker: Creates the state of a thread.
  ///   - transform: Computes the result of a series.
  ///   - consume: Receives the results, in order. Called by one thread at a time.
  /// - Returns: The diagnostics of the study as a whole.
  /// - Throws: The error of the stream, after the results of earlier series were consumed, or that of `consume`, which is
  ///   not called again. ``SeriesFailure/cancelled`` if the task was cancelled; no series is begun after that.
  package static func map<Value: Sendable, Worker>(
    _ stream: sending StudyStream,
    jobs: Int,
    makeWorker: @Sendable () -> Worker,
    _ transform: @Sendable (Worker, Series) -> Value,
    consume: @escaping @Sendable (Value) throws -> Void
  ) throws -> [Diagnostic] {
    let threads = max(1, jobs)
    let chunkSize = stream.isLive ? 1 : chunkSize
    let source = Mutex(ChunkSource(stream))
    let sink = Mutex(ChunkSink(consume))
    // Counted up from 0: the program traps if a semaphore is released below its initial value, and after a failure some
    // chunks may never have been consumed.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<(threads * chunksPerThread) { room.signal() }
    let isCancelled = Parallel.perform(threads) { isCancelled in
      let worker = makeWorker()
      while true {
        room.wait()
        if isCancelled() { source.withLock { $0.stop() } }
        guard let chunk = source.withLock({ $0.nextChunk(of: chunkSize) }) else {
          room.signal()
          return
        }
        var values: [Value] = []
        values.reserveCapacity(chunk.series.count)
        for series in chunk.series where !isCancelled() {
          values.append(transform(worker, series))
        }
        // An incomplete chunk of a cancelled task is dropped, since its missing series must not be skipped.
        guard values.count == chunk.series.count else {
          room.signal()
          return
        }
        let (done, isBroken) = sink.withLock { $0.put(values, at: chunk.index) }
        if isBroken { source.withLock { $0.stop() } }
        for _ in 0..<done { room.signal() }
      }
    }
    if let failure = sink.withLock({ $0.failure }) ?? source.withLock({ $0.failure }) {
      throw failure
    }
    guard !isCancelled else { throw SeriesFailure.cancelled }
    return source.withLock { $0.findings }
  }
}

/// Reads series in numbered chunks.
private struct ChunkSource {
  /// The error of the stream; nil if it ended without one.
  private(set) var failure: (any Error)?

  private var stream: StudyStream
  private var index = 0
  private var isAtEnd = false

  init(_ stream: StudyStream) {
    self.stream = stream
  }

  /// The diagnostics of the study as a whole.
  var findings: [Diagnostic] { stream.diagnostics }

  /// Returns the next chunk of at most `count` series; nil after the last.
  mutating func nextChunk(of count: Int) -> (index: Int, series: [Series])? {
    var chunk: [Series] = []
    var readings = 0
    do {
      while !isAtEnd, chunk.count < count, readings < ParallelStream.chunkReadings {
        if let series = try stream.next() {
          chunk.append(series)
          readings += series.readings.count
        } else {
          isAtEnd = true
        }
      }
    } catch {
      failure = error
      isAtEnd = true
    }
    guard !chunk.isEmpty else { return nil }
    defer { index += 1 }
    return (index, chunk)
  }

  mutating func stop() {
    isAtEnd = true
  }
}

/// Receives chunks in any order and passes them on in order.
private struct ChunkSink<Value> {
  /// The error of the consumer; nil if there was none.
  private(set) var failure: (any Error)?

  private let consume: (Value) throws -> Void
  private var waiting: [Int: [Value]] = [:]
  private var index = 0

  init(_ consume: @escaping (Value) throws -> Void) {
    self.consume = consume
  }

  /// Receives a chunk; returns the number of chunks completed by that, and whether the consumer has failed.
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

/// Maps over the series of a study on several threads, with results in the order of the series.
package enum ParallelMap {
  /// Receives how many series are done, and of how many, by one thread at a time.
  package typealias Observer = @Sendable (_ done: Int, _ total: Int) -> Void

  /// Receives the progress of maps. A map takes it out while it runs, so that maps within it do not report.
  package static let observer = Mutex<Observer?>(nil)

  /// Maps each element by a worker of the thread that takes it, and reports to the observer; otherwise as
  /// `Parallel.map`.
  ///
  /// - Throws: ``SeriesFailure/cancelled`` if the task was cancelled; no element is begun after that.
  package static func map<Element: Sendable, Value: Sendable, Worker>(
    _ elements: [Element], jobs: Int,
    makeWorker: @Sendable () -> Worker,
    _ transform: @Sendable (Worker, Element) -> Value
  ) throws(SeriesFailure) -> [Value] {
    let observer = Self.observer.withLock { $0.take() }
    defer { if let observer { Self.observer.withLock { $0 = observer } } }
    let done = Mutex(0)
    let values = Parallel.map(elements, jobs: jobs, makeWorker: makeWorker) { worker, element in
      let value = transform(worker, element)
      if let observer {
        done.withLock { done in
          done += 1
          observer(done, elements.count)
        }
      }
      return value
    }
    guard let values else { throw .cancelled }
    return values
  }
}

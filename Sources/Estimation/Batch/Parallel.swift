import Dispatch
package import StudyData
package import Synchronization

/// Maps series that come one after another on several threads, and hands the results on in the order
/// of the series.
///
/// Only so many are under way at a time, so that memory does not grow with their number.
package enum ParallelStream {
  /// Chunks under way for each thread: enough that none waits while one series takes long.
  private static let chunksPerThread = 8

  /// Series that a thread takes at a time; of a live stream it is one, so that every result is
  /// there at once.
  private static let chunkSize = 16

  /// Readings after which a chunk ends before that: long series would be many readings under way.
  fileprivate static let chunkReadings = 1000

  /// Maps each series by a worker of the thread that takes it.
  ///
  /// What is computed for a series must not depend on what its worker did before; then the results
  /// are the same for any number of threads.
  ///
  /// - Parameters:
  ///   - jobs: How many threads; one at least.
  ///   - makeWorker: Makes what a thread needs for itself.
  ///   - consume: Takes the results, in order. Called by one thread at a time.
  /// - Returns: What was found in the study as a whole.
  /// - Throws: What the stream or `consume` throws. What the stream gave before has been consumed;
  ///   after it threw itself, `consume` is not called again. ``SeriesFailure/cancelled`` if the task was
  ///   cancelled; no series is begun after that.
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
    // Counted up from 0: a semaphore that goes while it stands below where it began stops the program,
    // and after a failure some chunks may never have been handed on.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<(threads * chunksPerThread) { room.signal() }
    let isCancelled = Parallel.perform(threads) { isCancelled in
      let worker = makeWorker()
      while true {
        room.wait()
        if isCancelled() { source.withLock { $0.stop() } }
        guard let taken = source.withLock({ $0.take(chunkSize) }) else {
          room.signal()
          return
        }
        var values: [Value] = []
        values.reserveCapacity(taken.series.count)
        for series in taken.series where !isCancelled() {
          values.append(transform(worker, series))
        }
        // What a cancelled chunk lacks must not be passed over, so the chunk is not handed on at all.
        guard values.count == taken.series.count else {
          room.signal()
          return
        }
        let (done, isBroken) = sink.withLock { $0.put(values, at: taken.index) }
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

/// Gives series out in numbered chunks.
private struct ChunkSource {
  /// What ended it before the last series.
  private(set) var failure: (any Error)?

  private var stream: StudyStream
  private var index = 0
  private var isAtEnd = false

  init(_ stream: StudyStream) {
    self.stream = stream
  }

  /// What was found in the study as a whole.
  var findings: [Diagnostic] { stream.diagnostics }

  /// The next chunk; nil after the last.
  mutating func take(_ count: Int) -> (index: Int, series: [Series])? {
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

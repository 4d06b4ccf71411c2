import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Parallel maps on several threads, with results in the order of the elements.
///
/// The result for an element must not depend on earlier work of its thread; then results are identical
/// for any number of threads.
package enum Parallel {
  /// Elements that a thread takes at a time: enough that threads hardly ever wait for each other,
  /// few enough that none is left with much to do at the end.
  private static let chunkSize = 16

  /// Maps each element by a worker of the thread that takes it.
  ///
  /// - Parameters:
  ///   - jobs: The number of threads; at least 1 is used.
  ///   - makeWorker: Creates the state of a thread.
  /// - Returns: Nil if the task was cancelled; no element is begun after that.
  package static func map<Element: Sendable, Value: Sendable, Worker>(
    _ elements: [Element], jobs: Int,
    makeWorker: @Sendable () -> Worker,
    _ transform: @Sendable (Worker, Element) -> Value
  ) -> [Value]? {
    let chunkCount = (elements.count + chunkSize - 1) / chunkSize
    let next = Mutex(0)
    let chunks = Mutex([[Value]](repeating: [], count: chunkCount))
    let isCancelled = perform(min(max(1, jobs), max(1, chunkCount))) { isCancelled in
      let worker = makeWorker()
      while let chunk = next.withLock({ $0.claimed(below: chunkCount) }) {
        let first = chunk * chunkSize
        var values: [Value] = []
        for element in elements[first..<min(first + chunkSize, elements.count)] {
          guard !isCancelled() else { return }
          values.append(transform(worker, element))
        }
        chunks.withLock { $0[chunk] = values }
      }
    }
    return isCancelled ? nil : chunks.withLock { $0.flatMap { $0 } }
  }

  /// Computes a value for each index below a count, one index at a time, for values that take long. All
  /// values are computed even if the task is cancelled.
  package static func map<Value: Sendable>(
    _ count: Int, jobs: Int, _ value: @Sendable (Int) -> Value
  ) -> [Value] {
    let next = Mutex(0)
    let values = Mutex([Value?](repeating: nil, count: count))
    _ = perform(min(max(1, jobs), max(1, count))) { _ in
      while let index = next.withLock({ $0.claimed(below: count) }) {
        let result = value(index)
        values.withLock { $0[index] = result }
      }
    }
    return values.withLock { $0 }.compactMap(\.self)
  }

  /// Runs a closure on several threads at once, and waits for all of them.
  ///
  /// - Parameter body: Receives a function that returns whether the task has been cancelled, which other
  ///   threads cannot see.
  /// - Returns: Whether the task has been cancelled.
  package static func perform(_ threads: Int, _ body: @Sendable (() -> Bool) -> Void) -> Bool {
    withUnsafeCurrentTask { task in
      // Safe: the task outlives the threads, and `isCancelled` may be read from any thread.
      nonisolated(unsafe) let task = task
      let isCancelled: @Sendable () -> Bool = { task?.isCancelled ?? false }
      if threads == 1 {
        body(isCancelled)
      } else {
        // `run` returns only after all threads have ended, so `body` does not escape.
        withoutActuallyEscaping(body) { body in
          WorkingThread.run(threads) { body(isCancelled) }
        }
      }
      return isCancelled()
    }
  }
}

/// POSIX threads beside the calling one. If the system cannot start more, as under a memory limit, the
/// others do the work; libdispatch would wait for a thread for ever.
private struct WorkingThread {
  private let body: @Sendable () -> Void

  static func run(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    var threads: [pthread_t] = []
    for _ in 1..<count {
      guard let thread = start(WorkingThread(body: body)) else { break }
      threads.append(thread)
    }
    body()
    for thread in threads { pthread_join(thread, nil) }
  }

  private static func start(_ thread: WorkingThread) -> pthread_t? {
    let argument = UnsafeMutablePointer<WorkingThread>.allocate(capacity: 1)
    argument.initialize(to: thread)
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    pthread_attr_setstacksize(attributes, stackSize)
    #if canImport(Darwin)
      var handle: pthread_t?
    #else
      var handle = pthread_t()
    #endif
    let code = pthread_create(
      &handle, attributes,
      { argument in
        #if canImport(Darwin)
          let memory = argument.assumingMemoryBound(to: WorkingThread.self)
        #else
          guard let memory = argument?.assumingMemoryBound(to: WorkingThread.self) else {
            return nil
          }
        #endif
        let thread = memory.move()
        memory.deallocate()
        thread.body()
        return nil
      }, argument)
    guard code == 0 else {
      argument.deinitialize(count: 1)
      argument.deallocate()
      return nil
    }
    return handle
  }

  /// The default stack size of the main thread, in bytes.
  private static let stackSize = 8 << 20
}

extension Int {
  /// Increments the number and returns its old value; nil once the limit is reached.
  fileprivate mutating func claimed(below limit: Int) -> Int? {
    guard self < limit else { return nil }
    defer { self += 1 }
    return self
  }
}

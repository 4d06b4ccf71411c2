import Synchronization

/// Sends elements to all subscribers, in order. A subscriber that falls too far behind loses its stream, and comes
/// back for what it missed.
final class Broadcast<Element: Sendable>: Sendable {
  private let streams = Mutex<(next: Int, all: [Int: AsyncStream<Element>.Continuation])>((0, [:]))
  private let limit: Int

  /// - Parameter limit: Number of elements that may wait for a subscriber.
  init(limit: Int) { self.limit = limit }

  var count: Int { streams.withLock { $0.all.count } }

  func subscribe() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingOldest(limit))
    let key = streams.withLock { streams in
      streams.next += 1
      streams.all[streams.next] = continuation
      return streams.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.streams.withLock { _ = $0.all.removeValue(forKey: key) }
    }
    return stream
  }

  func send(_ element: Element) {
    for stream in streams.withLock({ Array($0.all.values) }) {
      if case .dropped = stream.yield(element) { stream.finish() }
    }
  }

  /// Ends all streams, when the server stops.
  func finish() {
    for stream in streams.withLock({ Array($0.all.values) }) { stream.finish() }
  }
}

final class StreamLimit<Key: Hashable & Sendable>: Sendable {
  private let counts = Mutex<[Key: Int]>([:])

  func count(of key: Key) -> Int { counts.withLock { $0[key] ?? 0 } }

  /// Registers a stream of a key, for as long as the returned value lives; nil at the limit.
  func register(_ key: Key, upTo limit: Int) -> Registration? {
    let isFree = counts.withLock { counts in
      guard counts[key, default: 0] < limit else { return false }
      counts[key, default: 0] += 1
      return true
    }
    return isFree ? Registration(limit: self, key: key) : nil
  }

  final class Registration: Sendable {
    private let limit: StreamLimit
    private let key: Key

    fileprivate init(limit: StreamLimit, key: Key) {
      self.limit = limit
      self.key = key
    }

    deinit {
      limit.counts.withLock { counts in
        let rest = (counts[key] ?? 1) - 1
        counts[key] = rest > 0 ? rest : nil
      }
    }
  }
}

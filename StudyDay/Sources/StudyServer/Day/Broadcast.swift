import Synchronization

/// Sends elements to all subscribers, in order. A subscriber that falls too far behind loses its stream, and comes
/// back for what it missed.
final class Broadcast<Element: Sendable>: Sendable {
  private let streams = Mutex<(next: Int, all: [Int: AsyncStream<Element>.Continuation])>((0, [:]))
  private let limit: Int

  /// - Parameter limit: How many elements may wait for a subscriber.
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

  /// A place among those of a key, which is held as long as the value lives; nil if all are taken.
  func place(of key: Key, upTo most: Int) -> Place? {
    let isFree = counts.withLock { counts in
      guard counts[key, default: 0] < most else { return false }
      counts[key, default: 0] += 1
      return true
    }
    return isFree ? Place(tally: self, key: key) : nil
  }

  final class Place: Sendable {
    private let tally: StreamLimit
    private let key: Key

    fileprivate init(tally: StreamLimit, key: Key) { (self.tally, self.key) = (tally, key) }

    deinit {
      tally.counts.withLock { counts in
        let rest = (counts[key] ?? 1) - 1
        counts[key] = rest > 0 ? rest : nil
      }
    }
  }
}

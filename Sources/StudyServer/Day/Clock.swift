import Foundation
import StudyStore
import Synchronization

/// The server's clock.
public protocol DayClock: Sendable {
  /// Milliseconds since 1970 in UTC.
  var now: Int64 { get }
}

/// The clock of the machine.
public struct SystemClock: DayClock {
  public init() {}

  public var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded()) }
}

/// A clock that is set, for tests and demonstrations.
public final class SetClock: DayClock {
  private let time: Mutex<Int64>

  public init(_ time: Int64) { self.time = Mutex(time) }

  public var now: Int64 { time.withLock { $0 } }

  /// Sets the clock forward, in ms.
  public func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

import Foundation
import Synchronization

public protocol DayClock: Sendable {
  var now: Int64 { get }
}

public struct SystemClock: DayClock {
  public init() {}

  public var now: Int64 { Int64((Date().timeIntervalSince1970 * 1000).rounded()) }
}

/// A clock that is set, for tests and demonstrations.
public final class SetClock: DayClock {
  private let time: Mutex<Int64>

  public init(_ time: Int64) { self.time = Mutex(time) }

  public var now: Int64 { time.withLock { $0 } }

  public func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

import Foundation
import Synchronization

/// What devices say of themselves: what they have not sent. It is no change of the study, and is forgotten with the
/// server; devices say it again within a minute.
final class Devices: Sendable {
  struct Device: Encodable, Sendable {
    var account: String
    var station: String?
    var waiting: Int64
    var refused: Int64
    /// When the oldest of them was made.
    var oldest: String?
    var seen: String
    var isOnline = true
  }

  private let known = Mutex<[UUID: (device: Device, seen: Int64)]>([:])
  /// After what silence a device is gone, and is forgotten unless it has something to send, in ms.
  private static let (gone, forgotten): (Int64, Int64) = (150_000, 86_400_000)

  func note(_ id: UUID, _ device: Device, at now: Int64) {
    known.withLock { known in
      // A browser without a memory is a new device each time.
      if known.count >= 1000 {
        known = known.filter { $0.value.device.waiting > 0 || now - $0.value.seen < Self.gone }
        if known.count >= 1000 { known.removeAll() }
      }
      known[id] = (device, now)
    }
  }

  func all(at now: Int64) -> [Device] {
    known.withLock { $0.values.map { $0 } }
      .filter { now - $0.seen < Self.forgotten || $0.device.waiting + $0.device.refused > 0 }
      .map { device, seen in
        var device = device
        device.isOnline = now - seen < Self.gone
        return device
      }.sorted { ($0.account, $0.seen) < ($1.account, $1.seen) }
  }
}

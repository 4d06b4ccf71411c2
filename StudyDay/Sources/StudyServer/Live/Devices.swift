import Foundation
import Synchronization

/// Unsent entries that devices report. They are not part of the study and are kept in memory only: devices report
/// again within a minute.
final class Devices: Sendable {
  struct Device: Encodable, Sendable {
    var account: String
    var station: String?
    var waiting: Int64
    var refused: Int64
    /// Time of the oldest unsent entry.
    var oldest: String?
    var seen: String
    var isOnline = true
  }

  private let devices = Mutex<[UUID: (device: Device, seen: Int64)]>([:])
  /// Silence after which a device counts as offline, and is dropped unless it has something to send, in ms.
  private static let (gone, forgotten): (Int64, Int64) = (150_000, 86_400_000)

  func update(_ id: UUID, _ device: Device, at now: Int64) {
    devices.withLock { devices in
      // A browser without storage counts as a new device each time.
      if devices.count >= 1000 {
        devices = devices.filter { $0.value.device.waiting > 0 || now - $0.value.seen < Self.gone }
        if devices.count >= 1000 { devices.removeAll() }
      }
      devices[id] = (device, now)
    }
  }

  func all(at now: Int64) -> [Device] {
    devices.withLock { $0.values.map { $0 } }
      .filter { now - $0.seen < Self.forgotten || $0.device.waiting + $0.device.refused > 0 }
      .map { device, seen in
        var device = device
        device.isOnline = now - seen < Self.gone
        return device
      }.sorted { ($0.account, $0.seen) < ($1.account, $1.seen) }
  }
}

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

  private let devices = Mutex<[UUID: (device: Device, isOfLab: Bool, seen: Int64)]>([:])
  /// Silence after which a device counts as offline, and is dropped unless it has something to send, in ms.
  private static let (gone, forgotten): (Int64, Int64) = (150_000, 86_400_000)
  /// Silence after which staff are alerted, in ms.
  static let silence: Int64 = 600_000

  /// - Parameter isOfLab: True if entries of others are made on it.
  func update(_ id: UUID, _ device: Device, isOfLab: Bool = true, at now: Int64) {
    devices.withLock { devices in
      // A browser without storage counts as a new device each time.
      if devices.count >= 1000 {
        devices = devices.filter { $0.value.device.waiting > 0 || now - $0.value.seen < Self.gone }
        if devices.count >= 1000 { devices.removeAll() }
      }
      devices[id] = (device, isOfLab, now)
    }
  }

  /// Returns notices of silent devices of the lab: those with a name or unsent entries. A phone whose page was closed
  /// is not among them.
  func silent(at now: Int64) -> [Notice] {
    devices.withLock { devices in
      devices.compactMap { id, one in
        let (device, waiting) = (one.device, one.device.waiting + one.device.refused)
        guard one.isOfLab, device.station != nil || waiting > 0,
          now - one.seen >= Self.silence, now - one.seen < Self.forgotten || waiting > 0
        else { return nil }
        let name = device.station.map { "\($0) (\(device.account))" } ?? "of \(device.account)"
        return Notice(
          kind: .device, subject: nil,
          text: "The device \(name) is silent. "
            + (waiting == 0 ? "Nothing waited on it." : "Not stored on the server: \(waiting)."),
          importance: waiting > 0 ? 4 : 3, since: device.seen, topic: id.uuidString)
      }
    }.sorted { ($0.since, $0.text) < ($1.since, $1.text) }
  }

  func all(at now: Int64) -> [Device] {
    devices.withLock { $0.values.map { (device: $0.device, seen: $0.seen) } }
      .filter { now - $0.seen < Self.forgotten || $0.device.waiting + $0.device.refused > 0 }
      .map { device, seen in
        var device = device
        device.isOnline = now - seen < Self.gone
        return device
      }.sorted { ($0.account, $0.seen) < ($1.account, $1.seen) }
  }
}

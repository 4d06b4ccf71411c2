import Foundation
import GRDB
import Hummingbird
import StudyData
import StudyStore
import Synchronization

/// What devices say of themselves: what they have not sent. It is no change of the study, and is forgotten with the
/// server; devices say it again within a minute.
final class Devices: Sendable {
  struct Device: Codable, Sendable {
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

private struct Operation: Codable, Sendable {
  struct Backup: Codable, Sendable {
    var seq: Int64
    var at: String
  }

  var serverTime: String
  var seq: Int64
  var devices: [Devices.Device]
  var pages: Int
  var backup: Backup?
  var databaseBytes: Int64?
  var freeBytes: Int64?
  var notStoringSince: String?
  var letters: [String: Int64]
  var writesBy: [String]
}

extension Route {
  static let operation = [
    Route(.post, "/devices", reaching: .seeDay) { asked in
      var form = try await asked.form("the device")
      let text = try form.required("id", form.text("id", 36...36))
      guard let id = UUID(uuidString: text) else { throw Problem(.badValue, "id must be a UUID.") }
      let (station, oldest) = (try form.text("station", 1...40), try form.moment("oldest"))
      let waiting = try form.integer("waiting", 0...1_000_000) ?? 0
      let refused = try form.integer("refused", 0...1_000_000) ?? 0
      try form.end()
      let now = asked.store.clock.now
      asked.day.devices.note(
        id,
        Devices.Device(
          account: asked.identity.name, station: asked.identity.station ?? station,
          waiting: waiting, refused: refused, oldest: oldest.map(ISOTime.text),
          seen: ISOTime.text(now)), at: now)
      return try await asked.read { db in
        var answer = ["seq": try EventLog.last(in: db)?.seq ?? 0]
        answer["backed_up"] = try StudyStore.lastBackup(in: db)?.seq
        return answer
      }
    },
    Route(.get, "/operation", permitted: .seeMetrics) { asked in
      let (day, store) = (asked.day, asked.store)
      let now = store.clock.now
      let path = store.path
      var operation = try await store.read { db in
        let letters = try SafeRow.all(db, "SELECT state, count(*) AS n FROM letters GROUP BY state")
        return Operation(
          serverTime: ISOTime.text(now), seq: try EventLog.last(in: db)?.seq ?? 0, devices: [],
          pages: day.hub.messages.count,
          backup: try StudyStore.lastBackup(in: db).map {
            Operation.Backup(seq: $0.seq, at: ISOTime.text($0.at))
          },
          letters: Dictionary(
            letters.map { ($0["state"] as String, $0["n"] as Int64) }, uniquingKeysWith: { $1 }),
          writesBy: store.letterWays)
      }
      operation.devices = day.devices.all(at: now)
      let files = FileManager.default
      func size(_ path: String) -> Int64? {
        (try? files.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
      }
      operation.databaseBytes = size(path).map { $0 + (size(path + "-wal") ?? 0) }
      let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
      let system = try? files.attributesOfFileSystem(forPath: folder)
      operation.freeBytes = (system?[.systemFreeSize] as? NSNumber)?.int64Value
      operation.notStoringSince = store.failingSince.map(ISOTime.text)
      return try Response.json(operation)
    },
  ]
}

import DayDatabase
import Foundation
import Hummingbird
@_spi(StudyDay) import StudyStore

private struct Operation: Encodable, Sendable {
  struct Backup: Encodable, Sendable {
    var seq: Int64
    var at: String
  }

  var serverTime: String
  var seq: Int64
  var devices: [Devices.Device]
  var pages: Int
  var backup: Backup?
  /// Interval of automatic copies in minutes, and the reason if the last one failed.
  var backupEveryMin: Int64?
  var backupFailure: String?
  var databaseBytes: Int64?
  var freeBytes: Int64?
  var notStoringSince: String?
  var letters: [String: Int64]
  var writesBy: [String]
}

extension Route {
  static let operation = [
    Route(.post, "/devices", reaching: .seeDay) { request in
      var form = try await request.form("the device")
      let text = try form.required("id", form.text("id", 36...36))
      guard let id = UUID(uuidString: text) else { throw Problem(.badValue, "id must be a UUID.") }
      let station = try form.text("station", 1...40)
      let oldest = try form.moment("oldest")
      let waiting = try form.integer("waiting", 0...1_000_000) ?? 0
      let refused = try form.integer("refused", 0...1_000_000) ?? 0
      try form.end()
      let now = request.store.clock.now
      request.day.devices.update(
        id,
        Devices.Device(
          account: request.identity.name, station: request.identity.station ?? station,
          waiting: waiting, refused: refused, oldest: oldest.map(ISOTime.text),
          seen: ISOTime.text(now)),
        isOfLab: request.identity.may(.enterEntry), at: now)
      return try await request.read { db in
        var answer = ["seq": try EventLog.last(in: db)?.seq ?? 0]
        answer["backed_up"] = try StudyStore.lastBackup(in: db)?.seq
        return answer
      }
    },
    Route(.get, "/operation", permitted: .seeMetrics) { request in
      let day = request.day
      let store = request.store
      let now = store.clock.now
      let path = store.path
      var operation = try await store.read { db in
        let counts = try db.rows("SELECT state, count(*) AS n FROM letters GROUP BY state")
        return Operation(
          serverTime: ISOTime.text(now), seq: try EventLog.last(in: db)?.seq ?? 0, devices: [],
          pages: day.hub.messages.count,
          backup: try StudyStore.lastBackup(in: db).map {
            Operation.Backup(seq: $0.seq, at: ISOTime.text($0.at))
          },
          letters: Dictionary(
            counts.map { ($0["state"] as String, $0["n"] as Int64) }, uniquingKeysWith: { $1 }),
          writesBy: store.notificationChannels)
      }
      operation.devices = day.devices.all(at: now)
      operation.backupEveryMin = day.options.backups.map { $0.interval / 60_000 }
      operation.backupFailure = day.backups?.state.failure
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

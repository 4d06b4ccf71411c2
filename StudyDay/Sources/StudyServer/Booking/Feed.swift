import DayDatabase
import Foundation
import GRDB
@_spi(StudyDay) import StudyStore

/// Public offer: sites, labs, session types and slots with free places, without personal data.
struct Feed: Encodable {
  struct Site: Encodable {
    var id: Int64
    var name: String
    var address: String?
    var labs: [Lab] = []
  }

  struct Lab: Encodable {
    var id: Int64
    var name: String
    var sessionTypes: [SessionType] = []
  }

  struct SessionType: Encodable {
    var id: Int64
    var name: String
    var lengthMin: Int64
    var slots: [Slot] = []
  }

  struct Slot: Encodable {
    var id: Int64
    var starts: String
    var ends: String
    var capacity: Int
    var free: Int
  }

  var sites: [Site] = []

  /// Reads the slots that start after a moment; a public feed has only sites that the owner shows to everybody.
  init(from now: Int64, isPublic: Bool, in db: Database) throws {
    let shown = try StudyServer.Slot.page(Page(limit: 10_000), from: now, in: db)
      .filter { $0.isOpen(at: now) }
    let slots = Dictionary(grouping: shown, by: \.sessionType)
    func rows(_ table: String, _ parent: String, _ id: Int64) throws -> [SafeRow] {
      try db.rows(
        "SELECT * FROM \(table) WHERE \(parent) = ? AND closed_ms IS NULL ORDER BY id", [id])
    }
    let sites = try db.rows(
      "SELECT * FROM sites WHERE closed_ms IS NULL AND (is_public OR NOT ?) ORDER BY id", [isPublic]
    )
    for row in sites {
      var site = Site(id: row["id"], name: row["name"], address: row["address"])
      for row in try rows("labs", "site_id", site.id) {
        var lab = Lab(id: row["id"], name: row["name"])
        for row in try rows("session_types", "lab_id", lab.id) {
          let type: Int64 = row["id"]
          lab.sessionTypes.append(
            SessionType(
              id: type, name: row["name"], lengthMin: row["length_min"],
              slots: (slots[type] ?? []).map { slot in
                Slot(
                  id: slot.id, starts: ISOTime.text(slot.starts), ends: ISOTime.text(slot.ends),
                  capacity: slot.capacity, free: slot.free)
              }))
        }
        site.labs.append(lab)
      }
      self.sites.append(site)
    }
  }

  var xml: String {
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<feed>"]
    func open(_ name: String, _ attributes: [(String, String?)], isEmpty: Bool = false) {
      let text = attributes.compactMap { key, value in
        value.map { " \(key)=\"\(Self.escaped($0))\"" }
      }
      lines.append("<\(name)\(text.joined())\(isEmpty ? "/" : "")>")
    }
    for site in sites {
      open("site", [("id", "\(site.id)"), ("name", site.name), ("address", site.address)])
      for lab in site.labs {
        open("lab", [("id", "\(lab.id)"), ("name", lab.name)])
        for type in lab.sessionTypes {
          open(
            "session-type",
            [("id", "\(type.id)"), ("name", type.name), ("length-min", "\(type.lengthMin)")])
          for slot in type.slots {
            open(
              "slot",
              [
                ("id", "\(slot.id)"), ("starts", slot.starts), ("ends", slot.ends),
                ("capacity", "\(slot.capacity)"), ("free", "\(slot.free)"),
              ], isEmpty: true)
          }
          lines.append("</session-type>")
        }
        lines.append("</lab>")
      }
      lines.append("</site>")
    }
    return (lines + ["</feed>", ""]).joined(separator: "\n")
  }

  /// Escapes a text for an XML attribute; characters that XML 1.0 forbids are left out.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n", "\r": escaped += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: break
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

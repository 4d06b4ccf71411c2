import DayDatabase
import Foundation
import HTTPTypes
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

/// QR codes of links.
@Suite struct QRCodeTests {
  /// SHA-256 of the modules that python-qrcode 8 makes of so many letters h, in bytes with correction M and mask 0, as
  /// lines of 0 and 1; one or more lengths of each version.
  @Test(arguments: [
    (1, 21, "1391567a70f54312"), (14, 21, "5fabbb99e4ebd283"), (15, 25, "642548f1b3d2e2f5"),
    (40, 29, "8274a79ccd1bc7ae"), (62, 33, "cdd33f937333152d"), (84, 37, "a9a110bd2d4f5725"),
    (85, 41, "0c3ba22c7ce2cdb1"), (122, 45, "1c4beee24d7e53f4"), (152, 49, "754fb1b4d7bbe1db"),
    (181, 57, "bc44ab7128d2361f"), (213, 57, "4522638fcf789c24"),
  ])
  func isThatOfAnotherLibrary(_ count: Int, _ size: Int, _ digest: String) throws {
    let rows = try #require(QRCode(String(repeating: "h", count: count))).rows
    #expect(rows.count == size && rows.allSatisfy { $0.count == size })
    let text = rows.map { $0.map { $0 ? "1" : "0" }.joined() }.joined(separator: "\n")
    #expect(Event.sha256(Data(text.utf8)).hexadecimal.hasPrefix(digest))
  }

  @Test func longTextsHaveNoQRCode() {
    #expect(QRCode(String(repeating: "h", count: 214)) == nil)
  }

  @Test func everyLinkHasQRCode() async throws {
    let day = try TestDay()
    let token = try await day.token(.owner)
    try await day.serve { client in
      let made = try await client.send(
        .post, "/invitations", token, ["name": "pat", "role": "participant"])
      let link = try #require(made.json["link"]?.string)
      #expect(made.json["qr"] == QRCode(link)?.json && made.json["qr"] != nil)
    }
  }
}

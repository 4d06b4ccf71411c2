import DayDatabase
import Foundation
import HTTPTypes
@_spi(StudyDay) import StudyStore
import Testing

@testable import StudyServer

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The feed and the calendar file: what programs of others read.
@Suite struct FeedTests {
  static let hostile = "\"><!--&]]>\u{1} <b>ä</b> 🍷 \u{FFFF}'"

  @Test func publicFeedShowsOnlyPublicSites() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2)
      _ = try await served.book(slot, as: "p01")
      for name in ["feed.json", "feed.xml"] {
        #expect(try await served.send(.get, "/\(name)").status == 401)
        #expect(try await served.send(.get, "/\(name)", as: "p01").status == 200)
      }
      let shown = try await served.send(.patch, "/sites/1", as: "olga", ["public": true])
      #expect(shown.json["public"] == true)
      let feed = try await served.send(.get, "/feed.json")
      let types = feed.json["sites"]?.list.first?["labs"]?.list.first?["session_types"]?.list
      let freeSlot = types?.first?["slots"]?.list.first
      #expect(freeSlot?["free"] == 1 && freeSlot?["capacity"] == 2, "\(feed.text)")
      for secret in ["Lovelace", "p01", "olga"] { #expect(!feed.text.contains(secret)) }
      // What has begun cannot be booked.
      served.clock.advance(by: 3 * 86_400_000)
      #expect(try await !served.send(.get, "/feed.json").text.contains("\"starts\""))
    }
  }

  @Test func hostileNamesMakeNoMarkup() async throws {
    try await ServedDay.run { served in
      _ = try await served.makeSlot(places: 2)
      let plain = Self.hostile.replacing("\u{1}", with: "")
      let named = try await served.send(
        .patch, "/sites/1", as: "olga",
        ["name": .text(plain), "address": .text(plain), "public": true])
      #expect(named.status == 200, "\(named.text)")
      let feed = try await served.send(.get, "/feed.xml")
      let reader = Reader()
      let parser = XMLParser(data: Data(feed.text.utf8))
      parser.delegate = reader
      #expect(parser.parse(), "\(feed.text)")
      #expect(reader.elements == ["feed", "site", "lab", "session-type", "slot"])
      #expect(reader.names.first == plain.replacing("\u{FFFF}", with: ""))
    }
  }

  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [String] = []
    var names: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) {
      elements.append(name)
      if let text = attributes["name"] { names.append(text) }
    }
  }

  @Test func feedEscapesInvalidXMLCharacters() {
    #expect(Feed.escaped("a\u{0}\u{B}\u{FFFE}b\n<&\">") == "ab&#10;&lt;&amp;&quot;&gt;")
  }

  @Test func calendarLinesAreFoldedAndTextIsEscaped() {
    let file = CalendarFile(
      uid: "u", starts: ServedDay.morning, ends: ServedDay.morning + 3_600_000,
      made: ServedDay.morning, summary: "a,b;c\\d\r\ne\nf\u{7}",
      location: String(repeating: "ä🍷", count: 40), description: "d")
    let lines = file.text.components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 75 })
    #expect(lines.contains("SUMMARY:a\\,b\\;c\\\\d\\ne\\nf"))
    #expect(lines.contains("DTSTART:20260501T080000Z") && lines.contains("DTEND:20260501T090000Z"))
    #expect(
      !file.text.replacing("\r\n", with: "").unicodeScalars.contains { $0 == "\n" || $0 == "\r" })
    // Unfolded, it is what it was.
    let unfolded = file.text.replacing("\r\n ", with: "")
    #expect(unfolded.contains("LOCATION:\(String(repeating: "ä🍷", count: 40))\r\n"))
    #expect(file.text.hasPrefix("BEGIN:VCALENDAR\r\n") && file.text.hasSuffix("END:VCALENDAR\r\n"))
  }

  @Test func aBookingIsAnAppointment() async throws {
    try await ServedDay.run { served in
      let slot = try await served.makeSlot(places: 2, name: "Wine, red; dry")
      let id = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      let file = try await served.send(.get, "/bookings/\(id)/calendar.ics", as: "p01")
      #expect(file.headers[.contentType] == "text/calendar; charset=utf-8")
      #expect(file.text.contains("SUMMARY:Wine\\, red\\; dry\r\n"))
      #expect(file.text.contains("STATUS:CONFIRMED"))
      _ = try await served.send(.delete, "/bookings/\(id)", as: "p01")
      let after = try await served.send(.get, "/bookings/\(id)/calendar.ics", as: "p01")
      #expect(after.text.contains("STATUS:CANCELLED") && after.text.contains("METHOD:CANCEL"))
    }
  }
}

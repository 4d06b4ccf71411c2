import Foundation
import FuzzSupport
import HTTPTypes

private let reader = [
  FuzzedReader("entries") { day.send(.post, "/api/v1/entries", $0) },
  FuzzedReader("bookings") { data in
    for place in ["1/bookings", "2/waiting"] { day.send(.post, "/api/v1/slots/\(place)", data) }
  },
  // The forms of those who run the day: each gets what is made for another, too.
  FuzzedReader("forms") { data in
    for offer in ["sites", "labs", "session-types", "slots"] {
      day.send(.post, "/api/v1/\(offer)", data)
      day.send(.patch, "/api/v1/\(offer)/1", data)
    }
    for form in ["invitations", "people/ann/release", "sign-in"] {
      day.send(.post, "/api/v1/\(form)", data)
    }
    day.send(.patch, "/api/v1/settings", data)
    day.send(.patch, "/api/v1/people/ann/measures", data)
  },
  // Anything: a method and an address, and a body.
  FuzzedReader("requests") { data in
    let parts = data.files(2)
    let words = parts[0].split(separator: 0x20, maxSplits: 1)
    // NIO refuses addresses with such bytes.
    guard words.count == 2, words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
      let method = HTTPRequest.Method(String(decoding: words[0], as: UTF8.self))
    else { return }
    day.send(method, String(decoding: words[1], as: UTF8.self), parts[1])
  },
].chosen

/// Entry point of libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  reader.send(bytes, count)
}

private let day = FuzzedDay()

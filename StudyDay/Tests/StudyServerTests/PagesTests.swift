import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import StudyServer

/// The pages are served whole, safely, and say nothing from anywhere else.
@Suite struct PagesTests {
  private func get(
    _ path: String, _ headers: HTTPFields = [:],
    _ check: @escaping @Sendable (TestResponse) throws -> Void
  ) async throws {
    try await TestDay().day.test(.router, services: []) { client in
      try check(try await client.executeRequest(uri: path, method: .get, headers: headers))
    }
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try #require(Pages.files[path]).bytes, as: UTF8.self)
  }

  @Test(arguments: Pages.files.keys.sorted())
  func servesEveryFileWithItsTypeAndPolicy(path: String) async throws {
    let file = try #require(Pages.files[path])
    try await get(path) { response in
      #expect(response.status == .ok)
      #expect(Array(buffer: response.body) == file.bytes)
      #expect(response.headers[.contentType] == file.type)
      #expect(response.headers[.contentSecurityPolicy] == Pages.policy)
      #expect(response.headers[.xContentTypeOptions] == "nosniff")
      #expect(response.headers[.cacheControl] == "no-cache")
    }
    try await get(path, [.ifNoneMatch: "\"other\", \(file.tag)"]) { response in
      #expect(response.status == .notModified)
      #expect(response.body.readableBytes == 0)
    }
  }

  @Test func servesThePageOfAPersonWhateverTheName() async throws {
    let day = try text("/day")
    for name in ["P01", "P%2001", "%C3%A4%22%3Cb%3E"] {
      try await get("/person/\(name)") { #expect(String(buffer: $0.body) == day) }
    }
    try await get("/assets/../day.css") { #expect($0.status == .notFound) }
    try await get("/assets/none.js") { #expect($0.status == .notFound) }
  }

  @Test func allowsNoInlineScriptAndNoOtherServer() throws {
    #expect(!Pages.policy.contains("unsafe"))
    for (path, file) in Pages.files {
      let content = String(decoding: file.bytes, as: UTF8.self)
      #expect(!content.contains("{{"), "\(path)")
      if file.type.hasPrefix("text/html") {
        #expect(!content.contains("style="), "\(path)")
        #expect(!content.contains("<style"), "\(path)")
        #expect(content.firstMatch(of: /\son\w+=/) == nil, "\(path)")
        for script in content.matches(of: /<script[^>]*>([^<]*)/) {
          #expect(script.1.isEmpty, "\(path)")
        }
      }
      for address in content.matches(of: /https?:\/\/[^"' )]+/) {
        #expect(address.0.hasPrefix("http://www.w3.org/"), "\(path) names \(address.0)")
      }
      #expect(!content.contains("innerHTML"), "\(path)")
    }
  }

  @Test func everyLoadedFileIsServed() throws {
    for (path, file) in Pages.files {
      let content = String(decoding: file.bytes, as: UTF8.self)
      for link in content.matches(of: /(?:src|href)="(\/[^"#]*)"/) {
        #expect(Pages.files[String(link.1)] != nil, "\(path) loads \(link.1)")
      }
      for other in content.matches(of: /from "\.\/([a-z]+\.js)"/) {
        #expect(Pages.files["/assets/\(other.1)"] != nil, "\(path) imports \(other.1)")
      }
    }
  }

  @Test func serviceWorkerListsEveryFile() throws {
    let worker = try text("/sw.js")
    #expect(!worker.contains("{{"))
    let list = try #require(worker.firstMatch(of: /FILES = "([^"]*)"/)).1.split(separator: " ")
    #expect(Set(list.map(String.init)) == Set(Pages.files.keys).subtracting(["/sw.js"]))
    // What the server says of people is never kept by the worker.
    #expect(!list.contains { $0.hasPrefix("/api") })
    #expect(worker.contains("startsWith(\"/api/\")"))
  }
}

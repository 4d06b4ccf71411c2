import Foundation
import Testing

/// A connection to this machine as bytes, which waits without holding a thread: the server in this process may need
/// it.
final class Wire: Sendable {
  private let descriptor: Int32

  init(port: Int) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    _ = text.withCString { Foundation.send(descriptor, $0, strlen($0), 0) }
  }

  /// A timeout that no busy machine explains.
  struct NothingCame: Error {}

  /// Returns the next bytes; nil if the other end closed the connection.
  func receive() async throws -> String? {
    let end = ContinuousClock.now + .seconds(120)
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&waiting, 1, 0) == 0 {
      guard ContinuousClock.now < end else { throw NothingCame() }
      try await Task.sleep(for: .milliseconds(5))
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  /// Returns everything until the other end closes the connection, and the time that it took.
  func receiveAll() async throws -> (text: String, time: Duration) {
    let start = ContinuousClock.now
    var text = ""
    while let part = try await receive() { text += part }
    return (text, start.duration(to: .now))
  }
}

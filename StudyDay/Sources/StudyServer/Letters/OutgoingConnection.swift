import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A connection that this server opens: to a mail server, a webhook, or a push service. It speaks in lines, and never for longer than
/// ``limit``.
struct OutgoingConnection {
  static let limit = Duration.seconds(30)
  /// The longest line of an answer, in bytes: RFC 5321 has 512, and headers of HTTP 8 KiB.
  private static let longestLine = 8192

  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private let channel: any Channel
  private let host: String
  private let trust: NIOSSLTrustRoots
  private var rest = ByteBuffer()

  /// Opens a connection, and closes it once something was done with it, or after ``limit``.
  ///
  /// - Parameters:
  ///   - isSecure: Whether it begins with TLS.
  ///   - trust: Who signs certificates; tests have their own.
  static func open<Value: Sendable>(
    _ host: String, _ port: Int, isSecure: Bool, trust: NIOSSLTrustRoots = .default,
    _ body: @escaping @Sendable (inout OutgoingConnection) async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connectTimeout(.seconds(10))
          .connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
              if isSecure {
                try channel.pipeline.syncOperations.addHandler(try tls(host, trust))
              }
              return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                wrappingChannelSynchronously: channel)
            }
          }
        return try await channel.executeThenClose { inbound, outbound in
          var connection = OutgoingConnection(
            inbound: inbound.makeAsyncIterator(), outbound: outbound, channel: channel.channel,
            host: host, trust: trust)
          return try await body(&connection)
        }
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      guard let first = try await group.next(), let value = first else {
        throw DeliveryFailure(reason: "no answer within \(limit.components.seconds) s")
      }
      return value
    }
  }

  private static func tls(_ host: String, _ trust: NIOSSLTrustRoots) throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.trustRoots = trust
    // The name of a host; addresses have none.
    let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    return try NIOSSLClientHandler(
      context: NIOSSLContext(configuration: configuration), serverHostname: isAddress ? nil : host)
  }

  /// Goes on with TLS.
  mutating func secure() async throws {
    // What came before TLS began would be taken for what came by it.
    guard rest.readableBytes == 0 else {
      throw DeliveryFailure(reason: "the server said more than it was asked")
    }
    let (host, trust) = (host, trust)
    try await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.addHandler(try Self.tls(host, trust), position: .first)
    }.get()
  }

  func send(_ text: String) async throws {
    try await outbound.write(ByteBuffer(string: text))
  }

  func send(_ bytes: Data) async throws {
    try await outbound.write(ByteBuffer(bytes: bytes))
  }

  /// The next line, without its end.
  mutating func line() async throws -> String {
    while true {
      if let end = rest.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
        let length = end - rest.readerIndex
        let line = rest.readString(length: length) ?? ""
        rest.moveReaderIndex(forwardBy: 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      guard rest.readableBytes <= Self.longestLine else {
        throw DeliveryFailure(reason: "an endless line")
      }
      guard var part = try await inbound.next() else {
        throw DeliveryFailure(reason: "the connection was closed")
      }
      rest.writeBuffer(&part)
    }
  }
}

extension OutgoingConnection {
  /// The first line of an answer of HTTP with its status and, of who is busy, after how many seconds to come again.
  mutating func answer() async throws -> (line: String, status: Int, wait: Int64?) {
    let first = try await line()
    let status = first.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    guard [429, 503].contains(status) else { return (first, status, nil) }
    for _ in 0..<100 {
      guard let field = try? await line(), !field.isEmpty else { break }
      if let wait = field.wholeMatch(of: /(?i)retry-after: *([0-9]{1,9})/) {
        return (first, status, Int64(wait.1))
      }
    }
    return (first, status, nil)
  }
}

/// Why something was not delivered.
struct DeliveryFailure: Error {
  var reason: String
  /// Whether it is of no use to try again.
  var isFinal = false
  /// Whether there is nobody any more to whom it could be.
  var isGone = false
  /// After how many seconds to try again at the earliest.
  var wait: Int64?
}

import DayDatabase
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// An address to which letters are posted, signed: `X-Promille-Signature: t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY`.
public struct Webhook: Sendable {
  /// Time limit of a post.
  private static let limit = Duration.seconds(30)

  private let host: String
  /// The host, and the port if it is stated.
  private let authority: String
  private let port: Int
  private let isSecure: Bool
  private let path: String
  private let secret: String
  /// Roots of trust of certificates; tests have their own.
  var trust = NIOSSLTrustRoots.default

  /// - Returns: nil if it is no address by http or https, or http to another machine.
  public init?(_ url: String, secret: String) {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
      parts.scheme == "https" || parts.scheme == "http", !secret.isEmpty,
      parts.scheme == "https" || ["127.0.0.1", "::1", "localhost"].contains(host)
    else { return nil }
    self.host = host
    isSecure = parts.scheme == "https"
    port = parts.port ?? (isSecure ? 443 : 80)
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    authority = parts.port.map { "\(name):\($0)" } ?? name
    path =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    self.secret = secret
  }

  /// Posts a notification, and returns the status of the answer. Redirects are not followed.
  func post(_ json: EventValue, id: String, at now: Int64) async throws -> String {
    let body = json.text
    let seconds = now / 1000
    let signature = Self.hmac(Data("\(seconds).\(body)".utf8), key: Data(secret.utf8)).hexadecimal
    let answer = try await answer(
      to: HTTPRequestHead(
        version: .http1_1, method: .POST, uri: path,
        headers: [
          "Host": authority, "Content-Type": "application/json",
          "Content-Length": "\(body.utf8.count)",
          "X-Promille-Delivery": id, "X-Promille-Signature": "t=\(seconds),v1=\(signature)",
          "Connection": "close",
        ]), body)
    let status = "\(answer.status.code) \(answer.status.reasonPhrase)"
    guard 200...299 ~= answer.status.code else {
      throw DeliveryFailure(
        reason: "the webhook said \(status)", isFinal: answer.status == .gone,
        wait: answer.headers.first(name: "Retry-After").flatMap { Int64($0) })
    }
    return status
  }

  /// Sends a request on a connection of its own, and waits for the head of the answer.
  private func answer(to head: HTTPRequestHead, _ body: String) async throws -> HTTPResponseHead {
    try await withThrowingTaskGroup(of: HTTPResponseHead?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connectTimeout(.seconds(10))
          .connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
              let pipeline = channel.pipeline.syncOperations
              if isSecure { try pipeline.addHandler(tls()) }
              try pipeline.addHTTPClientHandlers()
              return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                wrappingChannelSynchronously: channel)
            }
          }
        return try await channel.executeThenClose { inbound, outbound in
          try await outbound.write(.head(head))
          try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body))))
          try await outbound.write(.end(nil))
          for try await case .head(let answer) in inbound { return answer }
          throw DeliveryFailure(reason: "the connection was closed")
        }
      }
      group.addTask {
        try await Task.sleep(for: Self.limit)
        return nil
      }
      guard let first = try await group.next(), let answer = first else {
        throw DeliveryFailure(reason: "no answer within \(Self.limit.components.seconds) s")
      }
      return answer
    }
  }

  private func tls() throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.trustRoots = trust
    // The name of a host; addresses have none.
    let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
    return try NIOSSLClientHandler(
      context: NIOSSLContext(configuration: configuration), serverHostname: isAddress ? nil : host)
  }

  /// HMAC-SHA-256 (RFC 2104).
  static func hmac(_ message: Data, key: Data) -> Data {
    let block = 64
    let short = key.count > block ? Event.sha256(key) : key
    let filled = short + Data(count: block - short.count)
    func padded(_ pad: UInt8) -> Data { Data(filled.map { $0 ^ pad }) }
    return Event.sha256(padded(0x5C) + Event.sha256(padded(0x36) + message))
  }
}

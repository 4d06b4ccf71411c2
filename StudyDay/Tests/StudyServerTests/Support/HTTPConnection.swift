import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL

/// One connection of HTTP/1.1 to this machine, in the open or by TLS.
struct HTTPConnection {
  /// The server hung up.
  struct Closed: Error {}

  private var parts: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>

  /// Opens a connection while something is done with it.
  static func open<Value>(
    port: Int, tls: NIOSSLContext? = nil, _ body: (inout HTTPConnection) async throws -> Value
  ) async throws -> Value {
    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls {
            try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil))
          }
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandler(HTTP1ToHTTPClientCodec())
          return try NIOAsyncChannel<HTTPResponsePart, HTTPRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var connection = HTTPConnection(parts: inbound.makeAsyncIterator(), outbound: outbound)
      return try await body(&connection)
    }
  }

  private init(
    parts: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator,
    outbound: NIOAsyncChannelOutboundWriter<HTTPRequestPart>
  ) {
    self.parts = parts
    self.outbound = outbound
  }

  /// Sends a request and takes the answer.
  ///
  /// - Throws: ``Closed`` if none comes.
  mutating func send(_ head: HTTPRequest, _ body: ByteBuffer) async throws -> TestResponse {
    try await outbound.write(.head(head))
    if body.readableBytes > 0 { try await outbound.write(.body(body)) }
    try await outbound.write(.end(nil))
    var response: TestResponse?
    while let part = try await parts.next() {
      switch part {
      case .head(let head):
        response = TestResponse(
          status: head.status, headers: head.headerFields, body: ByteBuffer())
      case .body(let buffer): response?.body.writeImmutableBuffer(buffer)
      case .end:
        guard let response else { break }
        return response
      }
    }
    throw Closed()
  }
}

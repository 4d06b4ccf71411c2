import Foundation
import HTTPTypes
import NIOCore
import NIOSSL
import TestSupport
import Testing

@testable import StudyServer

let openssl = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}

/// A certificate of localhost that signs itself, and its key.
func madeCertificate(
  _ name: String, in folder: TemporaryFolder
) throws -> (certificate: String, key: String) {
  let certificate = folder("\(name).pem")
  let key = folder("\(name).key")
  let process = Process()
  process.executableURL = URL(filePath: try #require(openssl))
  process.arguments = [
    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
  ]
  process.standardError = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0)
  return (certificate, key)
}

/// The day by https, from the program itself. Certificates are made by openssl.
@Suite(.enabled(if: openssl != nil, "openssl is not installed"))
struct TLSTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func health(
    _ port: Int, trusting file: String?, upTo version: TLSVersion? = nil
  ) async throws -> TestResponse {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.maximumTLSVersion = version
    configuration.certificateVerification = .noHostnameVerification
    if let file { configuration.trustRoots = .file(file) }
    let head = HTTPRequest(
      method: .get, scheme: "https", authority: "localhost", path: "/api/v1/health")
    return try await HTTPConnection.open(
      port: port, tls: try NIOSSLContext(configuration: configuration)
    ) {
      try await $0.send(head, ByteBuffer())
    }
  }

  @Test func servesByHTTPS() async throws {
    let trusted = try madeCertificate("own", in: folder)
    let program = try ServeProgram(
      folder("study.sqlite"), "--tls-certificate", trusted.certificate, "--tls-key", trusted.key)
    let port = try program.port()
    let answer = try await health(port, trusting: trusted.certificate)
    #expect(answer.status == .ok)
    #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000")
    // Who does not know the certificate, or does not ask for https, gets nothing.
    await #expect(throws: (any Error).self) { try await health(port, trusting: nil) }
    #expect(try await health(port, trusting: trusted.certificate, upTo: .tlsv12).status == .ok)
    await #expect(throws: (any Error).self) {
      try await health(port, trusting: trusted.certificate, upTo: .tlsv11)
    }
    let wire = try Wire(port: port)
    wire.send("GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await !wire.receiveAll().text.contains("200"))
    #expect(program.stop() == 0)
  }

  @Test func keyOfAnotherCertificateIsRefused() throws {
    let trusted = try madeCertificate("own", in: folder)
    let untrusted = try madeCertificate("other", in: folder)
    let missing = folder("nowhere.key")
    for key in [untrusted.key, missing, trusted.certificate] {
      let program = try ServeProgram(
        folder("study.sqlite"), "--tls-certificate", trusted.certificate, "--tls-key", key)
      let failure = try program.failure()
      #expect(failure.code == 66 && failure.text.contains("error E_SERVE_TLS"), "\(failure.text)")
      #expect(failure.text.contains(key) && failure.text.contains("give a certificate"))
      #expect(!failure.text.contains("PRIVATE KEY"))
    }
  }
}

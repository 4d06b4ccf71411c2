import Foundation
import TestSupport
import Testing

@testable import StudyServer

/// The certificate of a lab can speak for this machine, and its key is nobody else's.
@Suite(.enabled(if: openssl != nil, "openssl is not installed"))
struct LabCertificateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) throws -> (status: Int32, text: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test func labCertificateIsNoAuthorityForOtherHosts() throws {
    let (certificate, key) = try LabCertificate.make(beside: folder("day.sqlite"))
    let attributes = try FileManager.default.attributesOfItem(atPath: key)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    for (name, status) in [("localhost", Int32(0)), ("bank.example", 2)] {
      let request = folder("\(name).csr")
      let leaf = folder("\(name).pem")
      let leafKey = folder("leaf.key")
      let made = try run(
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
        leafKey, "-out", request, "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)")
      #expect(made.status == 0, "\(made.text)")
      let signed = try run(
        "x509", "-req", "-in", request, "-CA", certificate, "-CAkey", key, "-CAcreateserial",
        "-copy_extensions", "copy", "-out", leaf)
      #expect(signed.status == 0, "\(signed.text)")
      let verified = try run("verify", "-CAfile", certificate, leaf)
      #expect(verified.status == status, "\(name): \(verified.text)")
    }
  }
}

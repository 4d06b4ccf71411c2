import Foundation
import NIOCore

/// Self-signed certificate for phones on the network of a lab, without an external authority.
public enum LabCertificate {
  /// Names and addresses of this machine, the most useful first.
  public static var names: [String] {
    let devices = (try? System.enumerateDevices()) ?? []
    let addresses = devices.compactMap { $0.address?.ipAddress }
      .filter { !$0.hasPrefix("127.") && !$0.contains(":") }
    return addresses + [ProcessInfo.processInfo.hostName, "localhost", "127.0.0.1"]
  }

  /// Makes a certificate and its key beside a database by the program openssl; those that are there stay, so that phones
  /// which trust them go on.
  ///
  /// - Returns: The files of certificate and key.
  /// - Throws: ``ServerFailure``.
  public static func make(beside database: String) throws(ServerFailure) -> (
    certificate: String, key: String
  ) {
    let certificate = "\(database).pem"
    let key = "\(database).key"
    let files = FileManager.default
    defer { try? files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key) }
    if files.fileExists(atPath: certificate), files.fileExists(atPath: key) {
      return (certificate, key)
    }
    func isAddress(_ name: String) -> Bool { name.allSatisfy { $0.isNumber || $0 == "." } }
    let alternatives = names.map { "\(isAddress($0) ? "IP" : "DNS"):\($0)" }
    // Phones accept an authority only; name constraints limit this one to this machine.
    let permitted = names.map { name in
      "permitted;" + (isAddress(name) ? "IP:\(name)/255.255.255.255" : "DNS:\(name)")
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-nodes", "-keyout", key, "-out", certificate,
      // Browsers refuse longer ones.
      "-days", "397", "-subj", "/CN=Promille study day",
      "-addext", "subjectAltName=\(alternatives.joined(separator: ","))",
      "-addext", "nameConstraints=critical,\(permitted.joined(separator: ","))",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { throw failure(certificate) }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw failure(certificate) }
    return (certificate, key)
  }

  private static func failure(_ certificate: String) -> ServerFailure {
    ServerFailure(
      description:
        "error E_SERVE_CERTIFICATE: \(certificate) cannot be made: install openssl, and see that files can be made there; "
        + "or give --tls-certificate and --tls-key", exitCode: 73)
  }
}

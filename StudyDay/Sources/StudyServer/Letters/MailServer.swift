import Crypto
import DayDatabase
import Foundation
import NIOSSL
@_spi(StudyDay) import StudyStore

/// The server that takes mail: `smtps://user@host:465`, or `smtp://user@host:587`, where TLS begins by STARTTLS.
public struct MailServer: Sendable {
  private var host: String
  private var port: Int
  private var isSecure: Bool
  private var login: (user: String, password: String)?
  var sender: String
  var trust = NIOSSLTrustRoots.default

  /// - Parameters:
  ///   - url: As above.
  ///   - sender: The address that mail comes from.
  ///   - password: Of the user.
  /// - Returns: nil if the address of the server or of the sender is none.
  public init?(_ url: String, from sender: String, password: String?) {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
      parts.scheme == "smtps" || parts.scheme == "smtp", sender.isMailAddress
    else { return nil }
    self.host = host
    isSecure = parts.scheme == "smtps"
    port = parts.port ?? (isSecure ? 465 : 587)
    login = parts.user.map { ($0, password ?? "") }
    self.sender = sender
  }

  /// Sends a message (RFC 5321), whose id stays the same when it is sent again, so that it is shown once; returns what
  /// the server said.
  func send(_ text: String, subject: String, id: String, to address: String, at now: Int64)
    async throws -> String
  {
    guard address.isMailAddress else {
      throw DeliveryFailure(reason: "the contact is no e-mail address", isFinal: true)
    }
    let message = message(text, subject: subject, id: id, to: address, at: now)
    let (host, isSecure, login, sender) = (host, isSecure, login, sender)
    return try await OutgoingConnection.open(host, port, isSecure: isSecure, trust: trust) {
      connection in
      try await connection.expect(220)
      var offers = try await connection.ask("EHLO promille", 250)
      if !isSecure, offers.contains("STARTTLS") {
        try await connection.ask("STARTTLS", 220)
        try await connection.secure()
        offers = try await connection.ask("EHLO promille", 250)
      } else if !isSecure, !["127.0.0.1", "::1", "localhost"].contains(host) {
        throw DeliveryFailure(reason: "the mail server offers no TLS")
      }
      if let login {
        let secret = Data("\0\(login.user)\0\(login.password)".utf8).base64EncodedString()
        try await connection.ask("AUTH PLAIN \(secret)", 235)
      }
      try await connection.ask("MAIL FROM:<\(sender)>", 250)
      try await connection.ask("RCPT TO:<\(address)>", 250)
      try await connection.ask("DATA", 354)
      let answer = try await connection.ask(message + "\r\n.", 250)
      try? await connection.send("QUIT\r\n")
      return answer[0]
    }
  }

  private func message(
    _ text: String, subject: String, id: String, to address: String, at now: Int64
  ) -> String {
    let date = DateFormatter()
    date.locale = Locale(identifier: "en_US_POSIX")
    date.timeZone = .gmt
    date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
    let domain = sender.split(separator: "@").last ?? "localhost"
    // In base64 no line is too long, or a point.
    let body = Data(text.utf8).base64EncodedString(options: [
      .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
    ])
    return [
      "From: <\(sender)>", "To: <\(address)>", "Subject: \(subject)",
      "Date: \(date.string(from: Date(timeIntervalSince1970: Double(now) / 1000)))",
      "Message-ID: <\(id)@\(domain)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "", body,
    ].joined(separator: "\r\n")
  }
}

extension OutgoingConnection {
  /// Sends a command of SMTP, and takes the answer.
  @discardableResult
  fileprivate mutating func ask(_ command: String, _ code: Int) async throws -> [String] {
    try await send(command + "\r\n")
    return try await expect(code)
  }

  /// The lines of the answer, without the code.
  @discardableResult
  fileprivate mutating func expect(_ code: Int) async throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try await line()
      guard let given = Int(line.prefix(3)) else {
        throw DeliveryFailure(reason: "the mail server does not speak SMTP")
      }
      guard given == code else {
        // 5xx of a mailbox holds; one of a login may be mended.
        throw DeliveryFailure(
          reason: "the mail server said \(line.prefix(200))", isFinal: given / 10 == 55)
      }
      lines.append(String(line.dropFirst(4)))
      if line.dropFirst(3).first != "-" { return lines }
      guard lines.count < 100 else { throw DeliveryFailure(reason: "an endless answer") }
    }
  }
}

/// Where notices are posted, signed: `X-Promille-Signature: t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY`.
public struct Webhook: Sendable {
  private var host: String
  private var port: Int
  private var isSecure: Bool
  private var path: String
  private var secret: String

  /// - Returns: nil if it is no address by http or https, or http to another machine.
  public init?(_ url: String, secret: String) {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
      parts.scheme == "https" || parts.scheme == "http", !secret.isEmpty,
      parts.scheme == "https" || ["127.0.0.1", "::1", "localhost"].contains(host)
    else { return nil }
    self.host = host
    isSecure = parts.scheme == "https"
    port = parts.port ?? (isSecure ? 443 : 80)
    path =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
      + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
    self.secret = secret
  }

  func post(_ json: EventValue, id: String, at now: Int64) async throws -> String {
    let (body, seconds) = (json.text, now / 1000)
    let signature = Self.hmac(Data("\(seconds).\(body)".utf8), key: Data(secret.utf8)).hexadecimal
    let request = [
      "POST \(path) HTTP/1.1", "Host: \(host)", "Content-Type: application/json",
      "Content-Length: \(body.utf8.count)", "X-Promille-Delivery: \(id)",
      "X-Promille-Signature: t=\(seconds),v1=\(signature)", "Connection: close", "", body,
    ].joined(separator: "\r\n")
    return try await OutgoingConnection.open(host, port, isSecure: isSecure) { connection in
      try await connection.send(request)
      let answer = try await connection.answer()
      guard 200...299 ~= answer.status else {
        throw DeliveryFailure(
          reason: "the webhook said \(answer.line.prefix(200))", isFinal: answer.status == 410,
          wait: answer.wait)
      }
      return answer.line
    }
  }

  /// RFC 2104, with SHA-256.
  static func hmac(_ message: Data, key: Data) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
  }
}

import DayDatabase
import Foundation
import StudyData

/// A program that takes mail as sendmail does: a message on its standard input, with recipients in its header.
public struct MailCommand: Sendable {
  /// Why a command cannot send mail.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let program: String
  private let arguments: [String]
  let sender: String
  /// Time limit of one message.
  var limit = Duration.seconds(60)

  /// - Parameters:
  ///   - command: The program and its arguments, as `msmtp -t`. Quotation marks and backslashes hold words together as in
  ///     a shell; no shell is started.
  ///   - sender: The address that mail comes from.
  public init(_ command: String, from sender: String) throws(Failure) {
    guard sender.isMailAddress else {
      throw Failure(description: "--mail-from must be the e-mail address that mail comes from.")
    }
    guard let words = Self.words(of: command), let name = words.first else {
      throw Failure(
        description: "--mail-command must be a program and its arguments, as \"msmtp -t\".")
    }
    guard let program = Self.program(name) else {
      throw Failure(description: "--mail-command: the program \(name.quoted) cannot be found.")
    }
    self.program = program
    arguments = Array(words.dropFirst())
    self.sender = sender
  }

  /// Splits a command at blanks outside of quotation marks; nil if one of them is not closed.
  static func words(of command: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var mark: Character?
    var rest = command[...]
    while let character = rest.popFirst() {
      switch (mark, character) {
      case ("'", "'"), ("\"", "\""): mark = nil
      case (nil, "'"), (nil, "\""):
        mark = character
        word = word ?? ""
      case (nil, "\\"):
        guard let next = rest.popFirst() else { return nil }
        word = (word ?? "") + String(next)
      case ("\"", "\\") where rest.first == "\"" || rest.first == "\\":
        word = (word ?? "") + String(rest.removeFirst())
      case (nil, _) where character.isWhitespace:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    guard mark == nil else { return nil }
    return words + (word.map { [$0] } ?? [])
  }

  /// The path of a program that is given by its path, or by its name on the PATH.
  private static func program(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
    return paths.first { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && !isFolder.boolValue && FileManager.default.isExecutableFile(atPath: path)
    }
  }

  /// Sends a message. Its id stays the same when it is sent again, so that mail programs show it once.
  func send(
    _ text: String, subject: String, id: String, to address: String, name: String, at now: Int64
  ) async throws {
    guard address.isMailAddress else {
      throw DeliveryFailure(reason: "the contact is no e-mail address", isFinal: true)
    }
    let message = message(text, subject: subject, id: id, to: address, name: name, at: now)
    let (ending, errors) = try await ChildProgram.run(
      program, arguments, input: Data(message.utf8), limit: limit)
    guard ending == "exit 0" else {
      let line = errors.split(whereSeparator: \.isNewline).last { !String($0).isBlank }
      throw DeliveryFailure(
        reason: "the mail command ended with \(ending)\(line.map { ": \($0)" } ?? "")")
    }
  }

  /// A message in the form of RFC 5322, with the ends of lines that programs expect on their standard input.
  func message(
    _ text: String, subject: String, id: String, to address: String, name: String, at now: Int64
  ) -> String {
    let date = DateFormatter()
    date.locale = Locale(identifier: "en_US_POSIX")
    date.timeZone = .gmt
    date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
    let domain = sender.split(separator: "@").last ?? "localhost"
    // In base64 no line is too long, a lone point, or beyond ASCII.
    let body = Data(text.utf8).base64EncodedString(options: [
      .lineLength76Characters, .endLineWithLineFeed,
    ])
    return [
      "From: <\(sender)>", "To: \(name.isBlank ? "" : Self.headerText(name) + "\n ")<\(address)>",
      "Subject: \(Self.headerText(subject))",
      "Date: \(date.string(from: Date(timeIntervalSince1970: Double(now) / 1000)))",
      "Message-ID: <\(id)@\(domain)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "", body, "",
    ].joined(separator: "\n")
  }

  /// A text as it may be in a header: short ASCII words as they are, anything else encoded (RFC 2047), so that it
  /// neither ends a line nor means anything to who reads the header.
  private static func headerText(_ text: String) -> String {
    if text.wholeMatch(of: /[A-Za-z0-9 ]{0,60}/) != nil { return text }
    // A line with encoded words has 76 characters at most, and no word ends within a character.
    var parts: [String] = [""]
    for scalar in text.unicodeScalars {
      if parts[parts.count - 1].utf8.count + scalar.utf8.count > 39 { parts.append("") }
      parts[parts.count - 1].unicodeScalars.append(scalar)
    }
    return parts.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }
      .joined(separator: "\n ")
  }
}

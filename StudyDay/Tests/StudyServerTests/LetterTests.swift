import DayDatabase
import Foundation
import GRDB
import HTTPTypes
import HealthData
@_spi(StudyDay) import StudyStore
import TestSupport
import Testing

@testable import StudyServer

/// Notifications by mail.
@Suite struct LetterTests {
  private static let address = "pat@example.org"

  /// A day that writes by a mail program, and pat, who booked with an address.
  private func day(
    mailingBy program: MailProgram, name: String = "Pat", limit: Duration = .seconds(30),
    again: TestDay? = nil
  ) async throws -> TestDay {
    var options = DayOptions()
    options.mail = try MailCommand(program.command, from: "study@example.org")
    options.mail?.limit = limit
    let day = try TestDay(options: options, again: again)
    guard again == nil else { return day }
    try await day.store(contact: Self.address, of: "pat", named: name)
    return day
  }

  private func deliver(_ day: TestDay) async {
    await NotificationDelivery(
      store: day.day.store, mail: day.day.options.mail, webhook: day.day.options.webhook,
      logger: silent
    ).deliver()
  }

  /// Chooses to be written to about the turn, and has it called.
  private func call(_ day: TestDay) async throws {
    let pat = try await day.token(.participant, "pat")
    let staff = try await day.token(.operator)
    try await day.serve { client in
      let path = "/people/pat/written"
      let choice: EventValue = ["kinds": ["turn"]]
      #expect(try await client.send(.put, path, pat, choice).status == 422, "without consent")
      let chosen = try await client.send(.put, path, pat, ["kinds": ["turn"], "consent": true])
      #expect(chosen.status == 200 && chosen.json["has_address"] == true, "\(chosen.json)")
      _ = try await client.send(.post, "/queue", pat, [:])
      _ = try await client.send(.post, "/queue/next", staff, ["place": "Breath 1"])
    }
  }

  private func outcomes(_ day: TestDay) async throws -> [EventValue] {
    try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
      .filter { ["letter.sent", "letter.failed"].contains($0.action) }.map(\.newValue)
  }

  @Test func chosenNotificationIsSentOnce() async throws {
    let program = try MailProgram()
    let day = try await day(mailingBy: program, name: "Zoë Brontë")
    try await call(day)
    await deliver(day)
    await deliver(day)
    #expect(try program.startCount == 1)
    let message = try #require(MailMessage(program.mail))
    #expect(
      message.header == [
        "From": "<study@example.org>", "To": "=?utf-8?B?Wm/DqyBCcm9udMOr?= <pat@example.org>",
        "Subject": "It is your turn", "Date": "Fri, 01 May 2026 18:00:00 +0000",
        "Message-ID": "<letter-1-\(TestDay.start)@example.org>",
        "Auto-Submitted": "auto-generated", "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "base64",
      ])
    #expect(message.text.contains("Number 1 is called to Breath 1."))
    // What, to whom and whether it arrived is in the log; name and address are not.
    let outcomes = try await outcomes(day)
    #expect(outcomes.count == 1)
    #expect(
      outcomes[0]["arrived"] == true && outcomes[0]["kind"] == "turn"
        && outcomes[0]["way"] == "mail")
    let events = try await day.day.store.read { try EventLog.events(after: 0, limit: .max, in: $0) }
    #expect(!events.contains { "\($0)".contains(Self.address) || "\($0)".contains("Bront") })
    #expect(events.last?.subject == "pat")
    let chain = try StudyStore.day(day.path, for: .reading).verifyChanges()
    #expect(chain.broken == nil && chain.different == nil)
  }

  /// The mail program fails, and the day's server is started anew meanwhile.
  @Test func aLetterWaitsOverARestart() async throws {
    let program = try MailProgram("exit 75")
    let day = try await day(mailingBy: program)
    try await call(day)
    await deliver(day)
    #expect(try await outcomes(day).isEmpty)
    try program.does("keep")
    let later = try await self.day(mailingBy: program, again: day)
    // Not before its time.
    await deliver(later)
    #expect(try program.startCount == 1)
    later.clock.advance(by: 61_000)
    await deliver(later)
    #expect(try program.startCount == 2)
    #expect(MailMessage(try program.mail)?.header["Message-ID"]?.hasPrefix("<letter-1-") == true)
    #expect(try await outcomes(later).map { $0["arrived"] } == [true])
  }

  /// The server is killed while the mail program has the letter.
  @Test func aLetterSurvivesAKill() async throws {
    let program = try MailProgram("exec sleep 20")
    let day = try await day(mailingBy: program)
    try await call(day)
    // Programs go by the clock of the machine.
    try await day.day.store.change { try $0.db.execute(sql: "UPDATE letters SET next_ms = 0") }
    func serve() throws -> ServeProgram {
      let server = try ServeProgram(
        day.path, "--mail-command", program.command, "--mail-from", "study@example.org")
      _ = try server.port()
      return server
    }
    let first = try serve()
    try await wait { try program.startCount == 1 }
    _ = first.stop(SIGKILL)
    #expect(try await outcomes(day).isEmpty)
    try program.does("keep")
    let next = try serve()
    try await wait { try await !outcomes(day).isEmpty }
    #expect(next.stop() == 0)
    #expect(try await outcomes(day).map { $0["arrived"] } == [true])
    #expect(try program.startCount == 2 && program.mail.contains("To: Pat\n <pat@example.org>\n"))
  }

  private func wait(until holds: () async throws -> Bool) async throws {
    for _ in 0..<600 {
      if try await holds() { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("it did not come")
  }

  @Test(arguments: [
    (
      "echo x >&2; echo '<pat@example.org> is unknown' >&2; echo >&2; exit 67",
      "exit 67: <...> is unknown"
    ),
    ("kill -9 $$", "signal 9"), ("exit 1", "exit 1"),
  ])
  func aLetterIsTriedForADayAndGivenUpWithAReason(_ action: String, _ reason: String) async throws {
    let program = try MailProgram(action)
    let day = try await day(mailingBy: program)
    try await call(day)
    for _ in 0..<40 {
      await deliver(day)
      day.clock.advance(by: 3_600_000)
    }
    let outcomes = try await outcomes(day)
    #expect(outcomes.map { $0["arrived"] } == [false])
    #expect(outcomes[0]["answer"] == .text("the mail command ended with \(reason)"))
    #expect(try (20...40).contains(program.startCount))
  }

  /// It is ended with all that it started, and the letter is tried again.
  @Test func hangingMailProgramIsKilled() async throws {
    let program = try MailProgram("sleep 600 & echo $! > \"$folder/child\"; wait")
    let day = try await day(mailingBy: program, limit: .seconds(1))
    try await call(day)
    let start = ContinuousClock.now
    await deliver(day)
    #expect(start.duration(to: .now) < .seconds(30))
    #expect(try await outcomes(day).isEmpty)
    let child = try #require(
      pid_t(program.folder.read("child").trimmingCharacters(in: .whitespacesAndNewlines)))
    // Once nobody waits for it, a killed process is taken up by the first one of the machine.
    let state = { (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? "" }
    for _ in 0..<200 where kill(child, 0) == 0 && !state().contains(") Z ") {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(kill(child, 0) != 0 || state().contains(") Z "))
    try program.does("keep")
    day.clock.advance(by: 61_000)
    await deliver(day)
    #expect(try await outcomes(day).map { $0["arrived"] } == [true])
  }

  /// Some mail programs leave a process behind that delivers.
  @Test func backgroundChildrenOfMailProgramAreNotWaitedFor() async throws {
    let program = try MailProgram("keep; sleep 20 & exit 0")
    let day = try await day(mailingBy: program)
    try await call(day)
    let start = ContinuousClock.now
    await deliver(day)
    #expect(start.duration(to: .now) < .seconds(15))
    #expect(try await outcomes(day).map { $0["arrived"] } == [true])
  }

  /// It reads nothing and writes much.
  @Test func mailProgramThatDoesNotReadBlocksNothing() async throws {
    let program = try MailProgram(
      "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo last >&2; exit 75")
    let day = try await day(mailingBy: program)
    try await call(day)
    day.clock.advance(by: 90_000_000)
    await deliver(day)
    #expect(
      try await outcomes(day).map { $0["answer"] } == ["the mail command ended with exit 75: last"])
  }

  @Test func mailProgramInheritsNothingOfTheServer() async throws {
    let program = try MailProgram("keep; env > \"$folder/env\"; ls /dev/fd/ > \"$folder/fd\"")
    let day = try await day(mailingBy: program)
    try await call(day)
    await deliver(day)
    let names = try program.folder.read("env").split(separator: "\n")
      .compactMap { $0.split(separator: "=").first.map(String.init) }
    // The last three are made by shells.
    let passedOn: Set = [
      "HOME", "LOGNAME", "PATH", "USER", "XDG_CONFIG_HOME", "PWD", "SHLVL", "_",
    ]
    #expect(Set(names).isSubset(of: passedOn) && names.contains("PATH"))
    // Its three streams, and the folder that is listed.
    #expect(try program.folder.read("fd").split(separator: "\n").count <= 4)
  }

  @Test func nothingIsSentOnceTheConsentIsWithdrawn() async throws {
    let program = try MailProgram()
    let day = try await day(mailingBy: program)
    try await call(day)
    let pat = try await day.token(.participant, "pat")
    try await day.serve { client in
      let answer = try await client.send(.delete, "/people/pat/consent", pat)
      #expect(answer.status == 204)
    }
    await deliver(day)
    #expect(try program.startCount == 0)
    #expect(try await outcomes(day).map { $0["answer"] } == ["the consent was withdrawn"])
  }

  @Test(arguments: [
    "a b@c.org", "a@b.org>\r\nRCPT TO:<x@y.org", "a@b.org\nBcc: x@y.org", "nobody", "a@b@c", "",
  ])
  func invalidAddressGetsNoMail(_ text: String) async throws {
    #expect(!text.isMailAddress)
    #expect(throws: MailCommand.Failure.self) { try MailCommand("sh", from: text) }
    let program = try MailProgram()
    let mail = try MailCommand(program.command, from: "study@example.org")
    let failure = await #expect(throws: DeliveryFailure.self) {
      try await mail.send("text", subject: "x", id: "1", to: text, name: "Pat", at: 0)
    }
    #expect(try failure?.isFinal == true && program.startCount == 0)
  }

  /// A name neither ends a line nor means anything in a header.
  @Test(arguments: [
    "Eve\r\nBcc: x@y.org\r\n\r\ntext", "Eve\nBcc: x@y.org", "Eve\rBcc: x@y.org", "\n", "\u{2028}x",
    "<x@y.org>, Eve", "\"Eve\" (x@y.org)", "=?utf-8?Q?Eve?=", "Eve\0", "Zoë", "Łukasz Żółć", "王芳",
    String(repeating: "👩‍👩‍👧", count: 80), String(repeating: "x", count: 400), "", " ", "Ann  Lee",
  ])
  func aNameIsANameOnly(_ name: String) throws {
    let mail = try MailCommand("sh -c true", from: "study@example.org")
    let text = mail.message(
      "text", subject: name, id: "1", to: Self.address, name: name, at: 0)
    #expect(text.utf8.allSatisfy { $0 == 0x0A || 0x20..<0x7F ~= $0 }, "nothing else is ASCII")
    let message = try #require(MailMessage(text))
    #expect(
      Set(message.header.keys) == [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version",
        "Content-Type", "Content-Transfer-Encoding",
      ])
    #expect(message.text == "text")
    #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= 76 })
    let person = try #require(message.header["To"])
    let address = name.isBlank ? "<pat@example.org>" : " <pat@example.org>"
    #expect(person.hasSuffix(address))
    #expect(
      MailMessage.decoded(String(person.dropLast(address.count))) == (name.isBlank ? "" : name))
    #expect(MailMessage.decoded(message.header["Subject"] ?? "?") == name)
  }

  @Test(
    arguments: [
      ("msmtp -t", ["msmtp", "-t"]), ("  a\t b ", ["a", "b"]), ("'a b' \"c d\"", ["a b", "c d"]),
      ("a\\ b", ["a b"]), ("'a\\b' \"a\\b\"", ["a\\b", "a\\b"]), ("\"a\\\"b\\\\\"", ["a\"b\\"]),
      ("a'b'\"c\"", ["abc"]), ("'' \"\"", ["", ""]), ("a $HOME `id` $(id) | b; c > d", nil),
      ("é 'ü'", ["é", "ü"]), ("", []),
    ] as [(String, [String]?)])
  func aCommandIsWords(_ command: String, _ words: [String]?) {
    // No shell sees it: what means something to one is a word as any other.
    let plain = command.split(separator: " ").map(String.init)
    #expect(MailCommand.words(of: command) == words ?? plain)
  }

  @Test(arguments: ["'a", "\"a", "a\\", "\"a\\\"", ""])
  func invalidMailCommandIsRefused(_ command: String) {
    #expect(throws: MailCommand.Failure.self) {
      try MailCommand(command, from: "study@example.org")
    }
  }

  @Test(arguments: ["no-such-program -t", "/no/such/program", "/etc", "/dev/null", "''"])
  func missingMailProgramIsReportedAtStart(_ command: String) throws {
    let folder = try TemporaryFolder()
    let refused = try ServeProgram(
      folder("study.sqlite"), "--mail-command", command, "--mail-from", "study@example.org"
    ).failure()
    #expect(refused.code == 64 && refused.text.contains("cannot be found"), "\(refused)")
    #expect(try folder.contents.isEmpty)
  }

  /// Places gained, sessions moved and called off, releases: who chose it, and nobody else.
  @Test func bookingChangesAreNotified() async throws {
    try await ServedDay.run { served in
      served.day.store.notificationChannels = ["mail"]
      let slot = try await served.makeSlot(places: 1)
      let first = try await served.book(slot, as: "p01").json["id"]?.string ?? ""
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p02", ServedDay.form)
      _ = try await served.send(.post, "/slots/\(slot)/waiting", as: "p03", ServedDay.form)
      let all = EventValue.array(NotificationKind.allCases.map { .text($0.rawValue) })
      for name in ["p01", "p02"] {
        let answer = try await served.send(
          .put, "/people/\(name)/written", as: name, ["kinds": all, "consent": true])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
          try await served.send(.get, "/people/\(name)/written", as: "p03").status == 403)
      }
      func letters() async throws -> [String] {
        try await served.day.store.read { db in
          try String.fetchAll(
            db,
            sql:
              "SELECT name || ' ' || kind FROM letters JOIN subjects ON subjects.id = subject_id ORDER BY letters.id"
          )
        }
      }
      // Who cancels knows it; who moves up is told.
      _ = try await served.send(.delete, "/bookings/\(first)", as: "p01")
      #expect(try await letters() == ["p02 place"])
      _ = try await served.send(
        .patch, "/slots/\(slot)", as: "olga", ["starts": "2026-05-02T17:00:00Z"])
      #expect(try await letters() == ["p02 place", "p02 moved"])
      _ = try await served.send(
        .patch, "/slots/\(slot)", as: "olga", ["closed": true, "cancel_bookings": true])
      #expect(try await letters() == ["p02 place", "p02 moved", "p02 cancelled"])
      let texts = try await served.day.store.read {
        try String.fetchAll($0, sql: "SELECT text FROM letters ORDER BY id")
      }
      #expect(texts.allSatisfy { $0.contains("Evening") && $0.contains("2026-05-02") }, "\(texts)")
      // Nobody chooses for others.
      #expect(
        try await served.send(
          .put, "/people/p01/written", as: "p02", ["kinds": all, "consent": true]
        ).status == 403)
    }
  }
}

extension TestDay {
  /// A person who gave a name and a contact.
  func store(contact: String, of subject: String, named name: String = "N") async throws {
    try await day.store.change { change in
      let id = try Sessions.subject(subject, in: change.db)
      try change.db.execute(
        sql: "INSERT INTO people (subject_id, name, contact, consent_ms) VALUES (?, ?, ?, ?)",
        arguments: [id, name, contact, change.now])
      try change.log(Event(actor: "test", action: "subject.consent", subject: subject))
    }
  }
}

/// A program that takes mail, in a folder with a blank in its name.
struct MailProgram {
  let folder: TemporaryFolder
  private var scriptFolder: String { folder("mail box") }

  /// - Parameter action: Lines of a shell; `keep` keeps the message.
  init(_ action: String = "keep") throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("mail box")
    try folder.write("", to: "starts")
    try folder.write(
      """
      folder=$1
      keep() { cat > "$folder/mail"; }
      echo >> "$folder/starts"
      . "$folder/action"
      """, to: "mail box/take.sh")
    try does(action)
  }

  var command: String { "sh '\(scriptFolder)/take.sh' \"\(folder.path)\"" }

  func does(_ action: String) throws { try folder.write(action + "\n", to: "action") }

  /// Number of times that the program was started.
  var startCount: Int { get throws { try folder.read("starts").count } }

  /// The last message that it kept.
  var mail: String { get throws { try folder.read("mail") } }
}

/// A message as who gets it reads it.
struct MailMessage {
  var header: [String: String] = [:]
  var text: String

  init?(_ message: String) {
    let unfolded = message.replacing("\n ", with: " ")
    guard let end = unfolded.firstRange(of: "\n\n"),
      let body = Data(
        base64Encoded: String(unfolded[end.upperBound...]), options: .ignoreUnknownCharacters)
    else { return nil }
    text = String(decoding: body, as: UTF8.self)
    for line in unfolded[..<end.lowerBound].split(separator: "\n") {
      guard let colon = line.firstRange(of: ": "),
        header.updateValue(
          String(line[colon.upperBound...]), forKey: String(line[..<colon.lowerBound])) == nil
      else { return nil }
    }
  }

  /// A text of a header with its encoded words read (RFC 2047).
  static func decoded(_ text: String) -> String {
    let words = text.matches(of: /=\?utf-8\?B\?([A-Za-z0-9+\/=]*)\?=/)
    guard !words.isEmpty else { return text }
    return words.map {
      String(decoding: Data(base64Encoded: String($0.1)) ?? Data(), as: UTF8.self)
    }.joined()
  }
}

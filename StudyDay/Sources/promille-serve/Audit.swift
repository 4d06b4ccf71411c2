import ArgumentParser
import DayDatabase
import HealthData
import StrictOptions
@_spi(StudyDay) import StudyStore

struct Audit: StrictCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "List every change of a study day, and check that none was tampered with.",
    discussion: """
      A sound --verify proves that no change was altered or removed since it was stored, and that the tables are what \
      the changes say: entries, sessions with their limits and decisions, session types and slots, bookings and \
      waiting lists, measures, accounts with roles and people, sign-ins, consent, and settings with thresholds. It \
      proves nothing against who can write the file and computes all hashes anew, or cuts the last changes off: that \
      shows only in a hash that you noted elsewhere. Compare it with the one that --verify prints; the report of each \
      day has the number and the hash of its last change. In no change, and not compared, are names and contacts, the \
      instrument, sites, favourites and other choices, letters, and what was imported from files.

      Each change carries the SHA-256 of itself and the change before. --verify has SQLite check the file, recomputes \
      the hashes, and names the first change or the first thing that differs; then it exits with 65.

      Names, contacts and tokens of people are not in the list. CSV has an apostrophe before texts that a spreadsheet \
      would run as a formula; other formats have every text as it was.

      Examples:
        promille serve audit study.sqlite
        promille serve audit study.sqlite --verify
        promille serve audit study.sqlite --subject ann --format json -o changes.json
      """)

  @Argument(help: "The database.", completion: .file())
  var database: String

  @Flag(help: "Check all changes, and list none.")
  var verify = false

  @Option(help: "List only the changes of one subject.")
  var subject: String?

  @Option(help: ArgumentHelp("List only the changes after this one.", valueName: "seq"))
  var after: Int64 = 0

  @OptionGroup(title: "Output") var output: OutputOptions

  func run() throws {
    try OutputOptions.require(output.path, apartFrom: database)
    let store = try StudyStore.day(database, for: .reading)
    guard verify else {
      let changes = try store.changes(after: after, subject: subject)
      return try output.print(
        [Self.changes.with(changes)],
        note: changes.isEmpty ? "There is no change; promille serve begins a study day." : nil)
    }
    let chain = try store.verifyChanges()
    try output.print([Self.chain.with([chain])])
    if let different = chain.different {
      throw refusal(
        "E_AUDIT_ENTRIES",
        "\(different.what) \(different.name) is not what the changes say: \(different.message); something other than "
          + "the study day changed it, compare with a backup")
    }
    guard let broken = chain.broken else { return }
    throw refusal(
      "E_AUDIT_CHAIN",
      "change \(broken) is not what was stored, or the one before it is missing; trust no change from there on, and "
        + "compare with a backup")
  }

  private func refusal(_ code: String, _ message: String) -> any Error {
    PromilleServe.say("\(database): error \(code): \(message)")
    return ExitCode(65)
  }

  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--subject", "--after"], if: verify, "because --verify checks all changes; leave it out")
    ]
  }

  /// A row per change.
  private static let changes = ResultTable<Event>(
    name: "changes",
    columns: [
      .init("seq") { .integer($0.seq) },
      .init("at_utc") { .text(ISOTime.text($0.at)) },
      .init("device_utc") { $0.device.map { .text(ISOTime.text($0)) } },
      .init("clock_offset_ms") { $0.clockOffset.map(EventValue.integer) },
      .init("actor", isTyped: true) { .text($0.actor) },
      .init("station", isTyped: true) { $0.station.map(EventValue.text) },
      .init("action") { .text($0.action) },
      .init("subject", isTyped: true) { $0.subject.map(EventValue.text) },
      .init("record") { $0.record.map { .text($0.text) } },
      .init("old_json", isTyped: true) { $0.old.map(EventValue.text) },
      .init("new_json", isTyped: true) { $0.new.map(EventValue.text) },
      .init("change_reason", isTyped: true) { $0.reason.map(EventValue.text) },
      .init("hash") { .text($0.hash.hexadecimal) },
      .init("issuer", isTyped: true) { $0.issuer.map(EventValue.text) },
    ])

  /// One row: number of sound changes, and the first difference.
  private static let chain = ResultTable<ChangeChain>(
    name: "chain",
    columns: [
      .init("sound") { .integer($0.sound) },
      .init("last_hash") { .text($0.hash.hexadecimal) },
      .init("first_altered") { $0.broken.map(EventValue.integer) },
      .init("first_different") { $0.different.map { .text($0.name) } },
    ])
}

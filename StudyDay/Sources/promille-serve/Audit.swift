import ArgumentParser
import Foundation
import HealthData
import Reporting
import StrictOptions
import StudyStore

struct Audit: RecordedCommand {
  static let configuration = Help.configuration("audit")

  @Argument(help: "The database.", completion: .file())
  var database: String

  @Flag(help: "Check all changes, and list none.")
  var verify = false

  @Option(help: "List only the changes of one subject.")
  var subject: String?

  @Option(help: ArgumentHelp("List only the changes after this one.", valueName: "seq"))
  var after: Int64 = 0

  @OptionGroup(title: "Output") var output: OutputOptions

  var namedFiles: [NamedFile] { [.read(database)] }

  func run() throws {
    let store = try StudyStore(path: database, for: .reading)
    guard verify else {
      let changes = try store.changes(after: after, subject: subject)
      return try output.print(.audit(changes, provenance: provenance()))
    }
    let chain = try store.verifyChanges()
    try output.print(.verdict(chain, provenance: provenance()))
    if let different = chain.different {
      throw Refusal(
        "E_AUDIT_ENTRIES",
        "\(different.what) \(different.name) is not what the changes say: \(different.message); something other than "
          + "the study day changed it, compare with a backup", ExitStatus.badData, at: database)
    }
    guard let broken = chain.broken else { return }
    throw Refusal(
      "E_AUDIT_CHAIN",
      "change \(broken) is not what was stored, or the one before it is missing; trust no change from there on, and "
        + "compare with a backup", ExitStatus.badData, at: database)
  }
}

extension Report {
  static func audit(_ changes: [Event], provenance: Provenance) -> Report {
    Report(
      sections: [Section(Self.changes, rows: changes)],
      notes: changes.isEmpty ? ["There is no change; promille serve begins a study day."] : [],
      provenance: provenance)
  }

  static func verdict(_ chain: ChangeChain, provenance: Provenance) -> Report {
    Report(sections: [Section(Self.chain, rows: [chain])], provenance: provenance)
  }

  static let changes = TableLayout<Event>(
    "changes", "A row per change of a study day.",
    columns: [
      Column("seq", heading: "change", "number of the change") { Int($0.seq) },
      Column("at_utc", heading: "at (UTC)", "when the server stored it") { ISOTime.text($0.at) },
      Column("device_utc", "when it happened, by the device's clock") {
        $0.device.map(ISOTime.text)
      },
      Column("clock_offset_ms", "what was added to the device's time") {
        $0.clockOffset.map { Int($0) }
      },
      Column("actor", heading: "by", "account", \.actor),
      Column(
        "station", heading: "station", isTyped: true, "station, if one is known", \.station),
      Column("action", heading: "action", "what was done", \.action),
      Column("subject", heading: "subject", "subject", \.subject),
      Column("record", "UUID of what was changed") { $0.record?.uuidString.lowercased() },
      Column("old_json", isTyped: true, "what it was, as JSON", \.old),
      Column("new_json", heading: "new", isTyped: true, "what it is, as JSON", \.new),
      Column(
        "change_reason", heading: "reason", isTyped: true, "why; required for corrections", \.reason
      ),
      Column("hash", "SHA-256 of the change and the hash before", \.hash.hexadecimal),
    ])

  static let chain = TableLayout<ChangeChain>(
    "chain", "`--verify`: one row.",
    columns: [
      Column("sound", heading: "sound", "changes that are as they were stored") { Int($0.sound) },
      Column("last_hash", heading: "last hash", "hash of the last of them", \.hash.hexadecimal),
      Column("first_altered", heading: "first altered", "first change that is not as it was stored")
      { $0.broken.map { Int($0) } },
      Column(
        "first_different", heading: "first different",
        "first thing that is not what the changes say: an entry by its UUID, a session or an account by its name",
        \.different?.name),
    ])
}

extension Audit {
  var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--subject", "--after"], if: verify, "because --verify checks all changes; leave it out")
    ]
  }
}

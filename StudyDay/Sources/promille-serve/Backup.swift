import ArgumentParser
import DayDatabase
@_spi(StudyDay) import StudyStore

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a database, even while a study day is served from it.",
    discussion: """
      The copy holds everything that was committed when the command began, in one file. Nobody has to stop: entries \
      go on meanwhile. The copy must not exist yet. The database notes how far the copy goes: devices of a study day \
      keep what they sent until then.

      The copy is complete: it holds the names, contacts and accounts of a study day. To pass a study on, use \
      promille export --to sqlite.

      Example: promille serve backup study.sqlite backup.sqlite
      """)

  @Argument(help: "The database.", completion: .file())
  var database: String

  @Argument(help: "The copy.", completion: .file())
  var copy: String

  func run() throws {
    try StudyStore(path: database, for: .reading).copy(to: copy)
    // A read-only database cannot be served.
    try? StudyStore.noteBackup(copy, of: database)
  }
}

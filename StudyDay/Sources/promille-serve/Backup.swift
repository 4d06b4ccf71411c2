import ArgumentParser
import StudyStore

struct Backup: ParsableCommand {
  static let configuration = Help.configuration("backup")

  @Argument(help: "The database.", completion: .file())
  var database: String

  @Argument(help: "The copy.", completion: .file())
  var copy: String

  func run() throws {
    try StudyStore(path: database, for: .reading).copy(to: copy)
    // A database that cannot be changed is served by nobody.
    try? StudyStore(path: database, for: .changing).noteBackup(copy)
  }
}

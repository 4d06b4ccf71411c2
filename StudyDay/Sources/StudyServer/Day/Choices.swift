@_spi(StudyDay) import DayDatabase
import GRDB
@_spi(StudyDay) import StudyStore

/// Preferences of each account; every choice is an event of the log.
enum Choices {
  /// Number of favourites that a small screen shows without scrolling.
  static let mostDrinks = 7

  static func value(_ name: String, of account: Int64, in db: Database) throws -> EventValue? {
    try db.row("SELECT value FROM choices WHERE account_id = ? AND name = ?", [account, name])
      .flatMap { $0.json("value") }.flatMap { $0 == .null ? nil : $0 }
  }
}

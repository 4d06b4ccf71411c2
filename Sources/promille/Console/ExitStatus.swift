import ArgumentParser
import StudyStore

/// How the command ends, by the numbers of sysexits.h. Usage errors (64) end in the parser.
enum ExitStatus {
  /// Finished, but some subject failed.
  static let someFailed = ExitCode(1)
  /// The data cannot be read as a study.
  static let badData = ExitCode(65)
  /// The study is not there.
  static let noInput = ExitCode(66)
  /// Our fault.
  static let internalError = ExitCode(70)
  /// The output cannot be written.
  static let cannotCreate = ExitCode(73)
  /// A disk or a database failed, or a file was written to while it was read.
  static let inputOutput = ExitCode(74)
  /// Somebody else holds what is needed; later it may go.
  static let tryLater = ExitCode(75)
}

extension StoreError {
  /// How the command ends if a database cannot be used.
  var exitCode: ExitCode {
    switch code {
    case .missing, .notFound: ExitStatus.noInput
    case .notADatabase, .foreign, .older, .newer, .schema, .corrupt, .value: ExitStatus.badData
    case .notMade, .readOnly, .full: ExitStatus.cannotCreate
    case .locked: ExitStatus.tryLater
    case .failed: ExitStatus.inputOutput
    }
  }
}

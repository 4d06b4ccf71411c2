import ArgumentParser
import StudyStore

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

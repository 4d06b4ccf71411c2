import AlcoholKinetics
import ArgumentParser
import Casework
import Estimation
import Population
import Reporting
@_spi(StudyDay) import StudyData
import StudyFiles
@_spi(StudyDay) import StudyStore

/// The exit codes of the command, by the numbers of sysexits.h. Usage errors (64) end in the parser.
enum ExitStatus {
  /// Finished, but some subject failed.
  static let someFailed = ExitCode(1)
  /// The data cannot be read as a study.
  static let badData = ExitCode(65)
  /// The study is not there.
  static let noInput = ExitCode(66)
  /// A fault of the program itself.
  static let internalError = ExitCode(70)
  /// The output cannot be written.
  static let cannotCreate = ExitCode(73)
  /// A disk or a database failed, or a file was written to while it was read.
  static let inputOutput = ExitCode(74)
}

// MARK: - Errors that end the command

/// An error that a command lets pass: it ends the command with a message and an exit code.
protocol EndingError: Error {
  var exitCode: ExitCode { get }
  func report(on console: Console)
}

/// A failure that is described in full, with a stable code.
protocol CodedFailure: EndingError, CustomStringConvertible {
  var code: String { get }
}

extension CodedFailure {
  var exitCode: ExitCode { ExitStatus.badData }
  func report(on console: Console) { console.say(Message(.error, code, description)) }
}

/// A refusal by the command itself.
struct Refusal: EndingError {
  let code: String
  let message: String
  let exitCode: ExitCode
  /// The file that the message is about; nil for the command.
  let file: String?

  init(_ code: String, _ message: String, _ exitCode: ExitCode, at file: String? = nil) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
    self.file = file
  }

  func report(on console: Console) {
    console.say(Message(.error, code, message, at: file.map { SourceLocation(file: $0) }))
  }
}

extension StudyError: EndingError {
  func report(on console: Console) { console.report(diagnostics) }

  var exitCode: ExitCode { ExitCode(exitStatus) }
}

extension StoreError: EndingError {
  func report(on console: Console) { console.say(Message(self)) }

  var exitCode: ExitCode { ExitCode(exitStatus) }
}

extension Problem: CodedFailure {
  var exitCode: ExitCode {
    switch code {
    case "E_OPTION": ExitCode.validationFailure
    case "E_POPULATION_NOT_EVALUATED", "E_CANCELLED": ExitStatus.someFailed
    default: ExitStatus.badData
    }
  }
}

extension PictureConverter.Failure: CodedFailure {
  var exitCode: ExitCode { ExitStatus.cannotCreate }
}

extension TemporaryFile.Failure: CodedFailure {
  var exitCode: ExitCode { ExitStatus.cannotCreate }
}

extension SeriesFailure: CodedFailure {
  var exitCode: ExitCode {
    if case .badOptions = self { ExitCode.validationFailure } else { ExitStatus.badData }
  }
}

import ArgumentParser
import Casework
import Population
import Reporting
import StudyData
import StudyFiles
import StudyStore

/// How the command ends, by the numbers of sysexits.h. Usage errors (64) end in the parser.
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
  /// Another process holds what is needed.
  static let tryLater = ExitCode(75)
}

// MARK: - Failures of the library

/// A failure that the library describes in full, with a stable code.
protocol CodedFailure: Error, CustomStringConvertible {
  var code: String { get }
  /// How the command ends because of it.
  var exitCode: ExitCode { get }
}

extension Console {
  /// Runs what the library may refuse; if it does, says why and ends the command.
  func orEnd<Value, Failure: CodedFailure>(_ body: () throws(Failure) -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw end(error)
    }
  }

  /// Says why something was refused.
  func end(_ failure: some CodedFailure) -> ExitCode {
    error("promille: error \(failure.code): \(failure)")
    return failure.exitCode
  }

  /// Says why a study could not be used.
  func end(_ failure: StudyError) -> ExitCode {
    tell(failure.diagnostics)
    return failure.exitCode
  }

  /// Says why a database could not be used.
  func end(_ failure: StoreError) -> ExitCode {
    error(failure.description)
    return failure.exitCode
  }
}

extension StudyError {
  /// How the command ends if a study cannot be read.
  var exitCode: ExitCode {
    switch kind {
    case .noInput: ExitStatus.noInput
    case .badData: ExitStatus.badData
    case .changed: ExitStatus.inputOutput
    }
  }
}

extension StoreError {
  /// How the command ends if a database cannot be used.
  var exitCode: ExitCode {
    switch code {
    case .missing, .notFound: ExitStatus.noInput
    case .notADatabase, .foreign, .older, .newer, .schema, .corrupt, .value, .served:
      ExitStatus.badData
    case .notMade, .readOnly, .full: ExitStatus.cannotCreate
    case .locked: ExitStatus.tryLater
    case .failed: ExitStatus.inputOutput
    }
  }
}

extension PopulationFailure: CodedFailure {
  var exitCode: ExitCode {
    switch self {
    case .badOptions: ExitCode.validationFailure
    case .badFile, .tooFewPeople: ExitStatus.badData
    case .notEvaluated, .cancelled: ExitStatus.someFailed
    }
  }
}

extension CaseFailure: CodedFailure {
  var exitCode: ExitCode { ExitStatus.badData }
}

extension StudyWritingError: CodedFailure {
  var exitCode: ExitCode { ExitStatus.badData }
}

extension PictureConverter.Failure: CodedFailure {
  var exitCode: ExitCode { ExitStatus.cannotCreate }
}

extension PrivateFolder.Failure: CodedFailure {
  var exitCode: ExitCode { ExitStatus.cannotCreate }
}

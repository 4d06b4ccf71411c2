import AlcoholKinetics
import ArgumentParser
import Foundation
import Reporting
import StudyData

/// Which study is read.
struct StudyOptions: ParsableArguments {
  @Argument(help: "Folder with subjects.csv, drinks.csv and readings.csv.")
  var study: String

  /// Reads the study, tells what is wrong with it, and ends the command if it cannot be used.
  ///
  /// - Parameters:
  ///   - console: Where to tell it.
  ///   - readings: A file to read in the place of the study's own readings.
  func read(_ console: Console, readingsFrom readings: String? = nil) throws -> Study {
    let study = try orExit(console) { () throws(StudyError) in
      if let readings {
        try StudyReader.read(self.study, readingsFrom: readings)
      } else {
        try StudyReader.read(self.study)
      }
    }
    // With other readings, what is wrong with the rest has been told before.
    console.tell(
      study.allDiagnostics.filter { readings == nil || $0.location.file == readings })
    return study
  }

  /// Reads a study of estimates instead of series, in the same way.
  func readEstimates(_ console: Console) throws -> EstimateStudy {
    let study = try orExit(console) { () throws(StudyError) in
      try EstimateReader.read(self.study)
    }
    console.tell(study.allDiagnostics)
    return study
  }

  private func orExit<Value>(
    _ console: Console, _ read: () throws(StudyError) -> Value
  ) throws -> Value {
    do throws(StudyError) {
      return try read()
    } catch {
      console.tell(error.diagnostics)
      throw error.exitCode
    }
  }

  /// How a result was made.
  func provenance(
    _ command: String,
    inputs: [InputDigest],
    factors: ConversionFactors,
    options: [(name: String, value: JSONValue)] = []
  ) -> Provenance {
    Provenance(
      version: Promille.version, command: command,
      options: [("study", .string(study))] + options, inputs: inputs, factors: factors)
  }
}

extension StudyError {
  /// How the command ends if a study cannot be read.
  var exitCode: ExitCode {
    switch kind {
    case .noInput: ExitStatus.noInput
    case .badData: ExitStatus.badData
    }
  }
}

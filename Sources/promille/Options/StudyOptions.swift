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
    let study: Study
    do throws(StudyError) {
      if let readings {
        study = try StudyReader.read(self.study, readingsFrom: readings)
      } else {
        study = try StudyReader.read(self.study)
      }
    } catch {
      error.diagnostics.forEach { console.error($0.description) }
      throw error.exitCode
    }
    // With other readings, what is wrong with the rest has been told before.
    let findings = study.allDiagnostics.filter { readings == nil || $0.location.file == readings }
    for diagnostic in findings {
      switch diagnostic.severity {
      case .error: console.error(diagnostic.description)
      case .warning: console.warning(diagnostic.description)
      }
    }
    return study
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

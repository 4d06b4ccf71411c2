import AlcoholKinetics
import ArgumentParser
import Reporting
import Validation

/// `promille regress`
struct Regress: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the accuracy of Promille against certified numbers.",
    discussion: """
      --nist solves the 27 nonlinear regression problems of the NIST Statistical Reference Datasets \
      from both starts and counts the correct digits. They are built in; nothing is read.

      Ends with 1 if a problem is not solved to 4 digits from either start, or if the average is \
      below 9.4 digits.

      Example: promille regress --nist --format csv
      """)

  @Flag(help: "Certify the least-squares engine on the NIST problems.")
  var nist = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard nist else {
      throw ValidationError("Nothing to check: choose --nist.")
    }
  }

  func run() throws {
    let certification = try certification()
    try output.print(.certification(certification, provenance: provenance))
    guard certification.isPassed else {
      output.console.warning("promille: the certification failed; see the column status")
      throw ExitStatus.someFailed
    }
  }

  private func certification() throws -> NISTCertification {
    do {
      return try NISTCertification()
    } catch {
      output.console.error("promille: error E_SOLVER: \(error)")
      throw ExitStatus.internalError
    }
  }

  private var provenance: Provenance {
    Provenance(
      version: Promille.version, command: "regress", options: [("nist", .bool(nist))],
      inputs: [], factors: ConversionFactors())
  }
}

import ArgumentParser
import Reporting
import Validation

/// Which readings are fitted and what those below the limit of detection say.
struct ReadingArguments: ParsableArguments {
  @Option(
    help: """
      \(Censoring.explanation) (default: m3; with a --loss other than linear one-sided)
      """)
  var censor: Censoring?

  @OptionGroup var limits: ReadingLimits

  /// The options as the library takes them, for a loss.
  func selection(_ loss: Loss) -> ReadingSelection {
    limits.selection(censoring(loss))
  }

  /// The options as results carry them.
  func values(_ loss: Loss) -> [(name: String, value: JSONValue)] {
    limits.values(censoring(loss))
  }

  /// A censored likelihood goes with least squares only.
  private func censoring(_ loss: Loss) -> Censoring {
    censor ?? (loss == .linear ? .m3 : .oneSided)
  }
}

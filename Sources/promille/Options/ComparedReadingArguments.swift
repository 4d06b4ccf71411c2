import ArgumentParser
import Reporting
import Validation

/// Which readings are compared with predictions, and how fits for these take those below the limit of
/// detection.
struct ComparedReadingArguments: ParsableArguments {
  @Option(help: "\(Censoring.explanation)")
  var censor = Censoring.m3

  @OptionGroup var limits: ReadingLimits

  /// The options as the library takes them.
  var selection: ReadingSelection { limits.selection(censor) }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] { limits.values(censor) }
}

extension Censoring {
  /// What help says of the ways to censor.
  static let explanation = """
    What a reading below the limit of detection says: none takes it at face value, drop leaves it \
    out, one-sided asks that the curve be below the limit, m3 takes the probability of that \
    (Beal 2001).
    """
}

/// What a reading below the limit of detection says.
///
/// Without a limit of detection nothing is censored, and a zero is a reading of zero.
public enum Censoring: String, CaseIterable, Hashable, Sendable {
  /// The concentration is what was shown, and every zero after the first drink counts (naive; for
  /// comparison).
  case none
  /// Nothing: it is left out (Beal's M1).
  case drop
  /// That the prediction should not be above the limit; a prediction below it is no error.
  case oneSided = "one-sided"
  /// That the concentration shown was below the limit, with the probability that the error model
  /// gives this (Beal's M3; Beal 2001, J. Pharmacokinet. Pharmacodyn. 28, 481).
  case m3
}

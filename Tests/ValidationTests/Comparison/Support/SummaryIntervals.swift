import Estimation
import Validation

/// All intervals of a summary.
struct SummaryIntervals: Equatable {
  let all: [Interval?]

  init(_ summary: ComparisonSummary) {
    all =
      summary.methods.flatMap { [$0.biasInterval, $0.maeInterval, $0.rmseInterval] }
      + summary.pairs.map(\.interval)
  }
}

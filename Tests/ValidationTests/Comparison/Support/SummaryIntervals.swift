import Estimation
import Validation

/// All intervals of a summary.
struct SummaryIntervals: Equatable {
  let all: [Interval?]

  init(_ summary: ComparisonSummary) {
    all =
      summary.methods.flatMap { [$0.bias.interval, $0.mae.interval, $0.rmse.interval] }
      + summary.pairs.map(\.interval)
  }
}

import AlcoholKinetics
import Estimation
import Validation

extension TimeErrorShares {
  /// What the error of the time is made of, a row per r-factor method, for people.
  static let columns: [Column<TimeErrorShares>] =
    [
      Column(forPeople: "method", \.method), Column(forPeople: "people", \.subjects),
      Column(forPeople: "mean |error|, min", style: .decimals(0), \.meanAbsoluteMinutes),
      Column(forPeople: "r, %") { $0.percent[.r]?.displayed(signed: false) },
      Column(forPeople: "beta, %") { $0.percent[.elimination]?.displayed(signed: false) },
      Column(forPeople: "k_a and lag, %") { $0.percent[.absorption]?.displayed(signed: false) },
      Column(forPeople: "all three, %") { $0.all.displayed(signed: false) },
    ]

  /// What the error of the best method is made of, and what would have helped.
  ///
  /// - Parameter best: The method with the smallest mean absolute error.
  static func sentence(on shares: [TimeErrorShares], _ options: PredictionOptions) -> String? {
    guard let best = shares.min(by: { $0.meanAbsoluteMinutes < $1.meanAbsoluteMinutes }) else {
      return nil
    }
    let whole = NumberStyle.decimals(0)
    let symbols: [(part: Part, name: String)] = [
      (.elimination, options.model == .widmark ? "beta" : "elimination"), (.r, "r"),
      (.absorption, "absorption"),
    ]
    let parts = symbols.compactMap { part, name in
      best.percent[part].map { (share: max(0, $0.value), name: name) }
    }.sorted { $0.share > $1.share }.map { "\(whole.format($0.share)) % is \($0.name)" }
    let helps =
      switch best.largest {
      case .elimination, .r:
        "one reading after the peak would tell much of it, as it saved 44 % (4 to 67) in the open studies"
      case .absorption: "state what people had eaten, or read before the peak"
      }
    return
      "Of \(options.title(of: best.method))'s mean error of \(whole.format(best.meanAbsoluteMinutes)) min in the "
      + "\(best.subjects.counted("person", "people")) whose readings determine k_a, beta and r "
      + "(of \(best.known)), \(parts.inWords). Most would be gained by knowing "
      + "\(symbols.first { $0.part == best.largest }?.name ?? "r"): \(helps)."
  }
}

extension Report.Section {
  /// The table of what errors are made of; none if that is not known.
  static func errorShares(_ shares: [TimeErrorShares]) -> [Report.Section] {
    shares.isEmpty
      ? []
      : [Report.Section(name: "error_shares", table: Table(TimeErrorShares.columns, rows: shares))]
  }
}

import Estimation

/// How many readings of a study were not used, or not at face value, and why.
struct LeftOut {
  private let counts: [ReadingUse: Int]

  init(_ fits: [StudyFit]) {
    self.init(fits.compactMap(\.result.value).flatMap(\.readings).map(\.use))
  }

  init(_ uses: [ReadingUse]) {
    counts = uses.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// One sentence for people; nil if all readings were taken as they are.
  var remark: String? {
    let left = ReadingUse.allCases.filter { !$0.isUsed }.compactMap { use in
      counts[use].map { "\($0) \(use.cause)" }
    }
    let censored = counts[.censored].map { "below detection and censored: \($0)" }
    let parts = [left.isEmpty ? nil : "left out: " + left.joined(separator: ", "), censored]
    let facts = parts.compactMap(\.self).joined(separator: "; ")
    return facts.isEmpty ? nil : "Readings " + facts + "."
  }
}

extension ReadingUse {
  /// The reason in words.
  fileprivate var cause: String {
    switch self {
    case .quantified, .censored: ""
    case .excludedByStudy: "excluded by the study"
    case .mouthAlcohol: "too soon after a drink (mouth alcohol)"
    case .beforeDrinking: "at or before the first drink"
    case .belowDetection: "below detection"
    case .repeatedZero: "further zeros after the first"
    }
  }
}

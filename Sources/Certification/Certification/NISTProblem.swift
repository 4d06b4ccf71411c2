/// One of the 27 nonlinear regression problems of NIST, with its certified solution.
///
/// The certified values have 11 digits. They were computed in 128-bit precision and confirmed by at
/// least two algorithms.
///
/// Source: NIST Statistical Reference Datasets, nonlinear regression (public domain),
/// https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
public struct NISTProblem: Sendable {
  /// How hard NIST calls a problem.
  public enum Difficulty: String, CaseIterable, Codable, Hashable, Sendable {
    case lower, average, higher
  }

  /// NIST's name, such as `"Misra1a"`.
  public let name: String

  /// How hard NIST calls it.
  public let difficulty: Difficulty

  /// The model as NIST writes it.
  public let formula: String

  let model: NISTModel

  /// The two starts of p parameters each; the first is the farther one.
  public let starts: [[Double]]

  /// The p certified parameters.
  public let parameters: [Double]

  /// The p certified standard deviations of the parameters.
  public let standardDeviations: [Double]

  /// The certified residual sum of squares.
  public let rss: Double

  /// The certified residual standard deviation.
  public let residualSD: Double

  /// The number of observations, minus p.
  public let degreesOfFreedom: Int

  /// Observations between semicolons or ends of lines: response and predictors, separated by spaces, as
  /// NIST writes them.
  let data: String
}

extension NISTProblem: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

extension NISTProblem {
  /// The observations one by one, as NIST writes them.
  var observations: [Substring] {
    data.split { $0 == "\n" || $0 == ";" }.map { $0.first == " " ? $0.dropFirst() : $0 }
  }

  /// The observations by column: the response, the predictor and the second one if there is one.
  var columns: [[Double]] {
    let rows = observations.map { line in
      line.split(separator: " ").map { Double($0) ?? .nan }
    }
    let count = rows.map(\.count).min() ?? 0
    return (0..<count).map { column in rows.map { $0[column] } }
  }
}

extension NISTProblem {
  /// All 27, the easier ones first, in NIST's order.
  public static let all: [NISTProblem] = lower + average + higher

  private static let lower = [
    misra1a, chwirut2, chwirut1, lanczos3, gauss1, gauss2, danWood, misra1b,
  ]

  private static let average = [
    kirby2, hahn1, nelson, mgh17, lanczos1, lanczos2, gauss3, misra1c, misra1d, roszman1, enso,
  ]

  private static let higher = [
    mgh09, thurber, boxBOD, rat42, mgh10, eckerle4, rat43, bennett5,
  ]
}

/// A problem is known by its name, which is all that is coded of it.
extension NISTProblem: Codable, Hashable {
  /// Finds a problem by its name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let problem = Self.all.first(where: { $0.name == name }) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "NIST has no problem \(name)")
    }
    self = problem
  }

  /// Encodes the name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// One of the 27 nonlinear regression problems of NIST, with its certified solution.
///
/// The certified values have 11 digits. They were computed in 128-bit precision and confirmed by at
/// least two algorithms. The files of `datasets/nist-strd` are compiled into the program as NIST
/// publishes them.
///
/// Source: NIST Statistical Reference Datasets, nonlinear regression (public domain),
/// https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
package struct NISTProblem: Sendable {
  package enum Difficulty: String, CaseIterable, Codable, Hashable, Sendable {
    case lower, average, higher
  }

  package let name: String
  package let difficulty: Difficulty
  /// The two starts of p parameters each; the first is the farther one.
  package let starts: [[Double]]
  package let parameters: [Double]
  /// The certified standard deviations of the parameters.
  package let standardDeviations: [Double]
  package let rss: Double
  package let residualSD: Double

  let model: NISTModel
  let responses: [Double]
  /// One or two predictors of n values each.
  let predictors: [[Double]]

  package var degreesOfFreedom: Int { responses.count - parameters.count }
}

extension NISTProblem {
  /// The number of problems; a constant, because help texts need it at every start without reading
  /// files.
  package static let count = 27

  package static let all: [NISTProblem] = files.compactMap { NISTProblem(file: $0) }

  private static let files: [[UInt8]] = [
    PackageResources.Misra1a_dat, PackageResources.Chwirut2_dat, PackageResources.Chwirut1_dat,
    PackageResources.Lanczos3_dat, PackageResources.Gauss1_dat, PackageResources.Gauss2_dat,
    PackageResources.DanWood_dat, PackageResources.Misra1b_dat, PackageResources.Kirby2_dat,
    PackageResources.Hahn1_dat, PackageResources.Nelson_dat, PackageResources.MGH17_dat,
    PackageResources.Lanczos1_dat, PackageResources.Lanczos2_dat, PackageResources.Gauss3_dat,
    PackageResources.Misra1c_dat, PackageResources.Misra1d_dat, PackageResources.Roszman1_dat,
    PackageResources.ENSO_dat, PackageResources.MGH09_dat, PackageResources.Thurber_dat,
    PackageResources.BoxBOD_dat, PackageResources.Rat42_dat, PackageResources.MGH10_dat,
    PackageResources.Eckerle4_dat, PackageResources.Rat43_dat, PackageResources.Bennett5_dat,
  ]

  /// Reads a file in NIST's layout: starts and certified values from line 41, observations from
  /// line 61. Returns nil for other files, and for problems without a model of that name.
  init?(file: [UInt8]) {
    let lines = String(decoding: file, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map { line in line.split(whereSeparator: \.isWhitespace).map(String.init) }
    guard lines.count > 60,
      let title = lines.first(where: { $0.starts(with: ["Dataset", "Name:"]) }), title.count > 2,
      let model = NISTModel.byName[title[2]],
      let level = lines.first(where: { $0.dropFirst().starts(with: ["Level", "of", "Difficulty"]) }
      ),
      let difficulty = Difficulty(rawValue: level[0].lowercased())
    else { return nil }

    func certified(_ words: [String]) -> Double? {
      lines.first { $0.starts(with: words) }?.last.flatMap { Double($0) }
    }
    guard let rss = certified(["Residual", "Sum", "of", "Squares:"]),
      let residualSD = certified(["Residual", "Standard", "Deviation:"])
    else { return nil }

    // b1 = start 1, start 2, parameter, standard deviation
    let rows = lines[40...].prefix { $0.dropFirst().first == "=" }
      .map { $0.dropFirst(2).compactMap { Double($0) } }
    let observations = lines[60...].filter { !$0.isEmpty }.map { $0.compactMap { Double($0) } }
    guard rows.allSatisfy({ $0.count == 4 }), let width = observations.first?.count, width > 1,
      observations.allSatisfy({ $0.count == width })
    else { return nil }

    name = title[2]
    self.difficulty = difficulty
    self.model = model
    starts = [rows.map { $0[0] }, rows.map { $0[1] }]
    parameters = rows.map { $0[2] }
    standardDeviations = rows.map { $0[3] }
    self.rss = rss
    self.residualSD = residualSD
    responses = observations.map { $0[0] }
    predictors = (1..<width).map { column in observations.map { $0[column] } }
  }
}

/// A problem is coded by its name.
extension NISTProblem: RawRepresentable, Codable, Hashable, CustomStringConvertible {
  package var rawValue: String { name }
  package var description: String { name }

  package init?(rawValue name: String) {
    guard let problem = Self.all.first(where: { $0.name == name }) else { return nil }
    self = problem
  }
}

import AlcoholKinetics
import Estimation
import StudyData
import TestSupport

/// A row of fit-statistics.csv with the simulated series that it is about.
struct ExpectedFit {
  let row: [String: String]
  let series: Series
  let instrument: Instrument
  let options: FitOptions

  /// All rows, which Tests/Tools/fit_statistics_scipy.py made.
  static func all() throws -> [ExpectedFit] {
    let truths = try PackageFolder.expectations("fit-series-truth")
    let readings = Dictionary(grouping: try PackageFolder.expectations("fit-series")) {
      $0["subject"] ?? ""
    }
    return try PackageFolder.expectations("fit-statistics").map { row in
      guard let subject = row["subject"], let series = readings[subject],
        let truth = truths.first(where: { $0["subject"] == subject })
      else { throw MissingColumn(name: "subject") }
      return try ExpectedFit(row, truth: truth, readings: series)
    }
  }

  private init(
    _ row: [String: String], truth: [String: String], readings: [[String: String]]
  ) throws {
    self.row = row
    let drink = Drink(
      time: 0, duration: Hours(minutes: try truth.known("duration_min")),
      ethanol: .perBodyWeight(GramsPerKilogram(try truth.known("dose_g_per_kg"))))
    // The reference counts every reading below detection; a fit would count but the first of those
    // that end a series. After a last drink of nothing they do not end it.
    let nothing = Drink(time: 24, ethanol: .perBodyWeight(0))
    series = Series(
      subject: Subject(id: row["subject"] ?? ""), drinks: [drink, nothing],
      readings: try readings.map { reading in
        Reading(
          time: Hours(minutes: try reading.known("time_min")),
          value: try reading.known("bac_g_per_kg"), unit: .bloodGramsPerKilogram,
          limitOfDetection: try reading.number("lod"))
      })
    instrument = Instrument(
      resolution: try truth.number("resolution_g_per_kg"),
      relativeAccuracy: try truth.number("accuracy"))
    let free = Set(
      (row["free"] ?? "").split(separator: " ").compactMap { FitParameter(rawValue: String($0)) })
    options = FitOptions(
      estimate: free, fixed: free.contains(.r) ? [:] : [.r: try truth.known("r")],
      selection: ReadingSelection(censoring: Censoring(rawValue: row["censoring"] ?? "") ?? .none),
      error: try Self.error(row["error_model"]), loss: Loss(rawValue: row["loss"] ?? "") ?? .linear)
  }

  private static func error(_ name: String?) throws -> ErrorModel {
    switch name {
    case "additive": .additive(sd: nil)
    case "proportional": .proportional(cv: nil)
    case "combined": .combined(nil)
    case "instrument": .instrument
    default: throw MissingColumn(name: "error_model")
    }
  }

  /// The fit of the series, with intervals of a kind.
  func fit(_ kind: IntervalOptions.Kind) throws -> SeriesFit {
    var options = options
    options.interval = IntervalOptions(kind: kind)
    return try SeriesFitter(options: options).fit(series, instrument: instrument)
  }
}

public import AlcoholKinetics
public import Estimation
import RealModule
public import StudyData

/// A k_a of predictions that is far from what the study's own readings say.
public struct FarAbsorption: Codable, Hashable, Sendable {
  /// What predictions take.
  public let predicted: PerHour
  /// The median of the series' own fits.
  public let median: PerHour
  /// How many series gave it.
  public let series: Int

  /// k_a is far if it is more than this many times the median, or less than its inverse.
  private static let factor = 2.0
  /// The fewest series that say anything.
  private static let fewest = 3
  /// The most subjects that are fitted to find out.
  private static let mostFitted = 200

  /// Compares with fits that are there already, of which those count whose k_a the readings determine.
  init?(_ fits: [StudyFit], _ options: PredictionOptions) {
    guard case .given(let given) = options.parameters,
      let predicted = options.typical.values(of: options.model, for: nil, given: given)[.ka]
    else { return nil }
    let known = fits.compactMap { fit -> Double? in
      guard let fit = try? fit.result.get(), fit.isConverged, let ka = fit.estimates[.ka],
        !ka.isAtBound,
        ka.isIdentifiable != false
      else { return nil }
      return ka.value
    }
    .sorted()
    guard known.count >= Self.fewest else { return nil }
    let median = (known[(known.count - 1) / 2] * known[known.count / 2]).squareRoot()
    guard max(predicted / median, median / predicted) > Self.factor else { return nil }
    (self.predicted, self.median, series) = (PerHour(predicted), PerHour(median), known.count)
  }

  /// Fits the series of a study, of a large one those of 200 subjects, and compares with them; nil if k_a is not
  /// far, or if nothing can be said.
  ///
  /// - Throws: `SeriesFailure.badOptions(_:)` if the options ask for something impossible.
  public init?(
    in study: Study, _ options: PredictionOptions, jobs: Int = 1
  ) throws(SeriesFailure) {
    guard case .given = options.parameters, let method = options.methods.first else { return nil }
    let some = study.evenly(most: Self.mostFitted)
    let fits = try PredictionParameters.fits(
      of: some, method, options, StartDesign.defaultCount, jobs)
    self.init(fits, options)
  }

  /// The stable code of the warning.
  public var code: String { "W_KA_FAR" }
}

extension FarAbsorption: CustomStringConvertible {
  /// What was found and what to do.
  public var description: String {
    let shape = predicted > median ? "early and too high" : "late and too low"
    return
      "Predictions take k_a \(Self.short(predicted.value)) /h, but the study's own fits have a median of "
      + "\(Self.short(median.value)) /h (\(series) series), so that predicted peaks are too \(shape). State a "
      + "k_a that fits these people, or predict with that of all other subjects."
  }

  private static func short(_ value: Double) -> String {
    StudyWarning.fixed(value, value < 10 ? 2 : 1)
  }
}

extension Study {
  /// The study with at most so many subjects, evenly from the order of their names, so that the order of the study
  /// does not matter.
  func evenly(most: Int) -> Study {
    let names = Set(series.map(\.subject.id)).sorted()
    guard names.count > most else { return self }
    let chosen = Set((0..<most).map { names[$0 * names.count / most] })
    var some = self
    some.series = series.filter { chosen.contains($0.subject.id) }
    return some
  }
}

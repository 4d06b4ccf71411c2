package import AlcoholKinetics
import StudyData

extension Series {
  /// A number of its own, the same in every study and on every machine: FNV-1a of its names (Fowler,
  /// Noll & Vo).
  package var seed: UInt64 {
    (Array(subject.id.utf8) + [0] + Array((occasion ?? "").utf8))
      .reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// The time of the first drink, from which times to sobriety count; 0 if there is none.
  package var start: Hours {
    drinks.map(\.time).min() ?? 0
  }

  /// Refuses a series whose data have an error, or hold what no series can.
  package func requireUsable() throws(SeriesFailure) {
    if let error = firstError ?? valueErrors.first {
      throw .badData(error)
    }
  }

  /// The doses of the series, per kg of body weight.
  package func regimen() throws(SeriesFailure) -> Regimen {
    do {
      return try Regimen(drinks, bodyWeight: subject.weight)
    } catch {
      throw .kinetics(error)
    }
  }
}

extension RFactorMethod {
  /// Whether r is outside what the method's authors published for the subject's sex.
  package func isOutsidePublishedRange(_ r: RFactor, for subject: Subject) -> Bool {
    guard let sex = subject.sex, let range = publishedRange(for: sex) else { return false }
    return !range.contains(r)
  }

  /// A model with the method's r for a subject, and given values of other parameters.
  package func parameters(
    for subject: Subject, _ model: EliminationModel, _ values: [FitParameter: Double]
  ) throws(SeriesFailure) -> ModelParameters {
    var values = values
    do { values[.r] = try rFactor(for: subject).value } catch { throw .rFactor(error) }
    do { return try ModelParameters(model, values) } catch { throw .kinetics(error) }
  }
}

extension Regimen {
  /// What all doses together amount to in blood, dose / (r x weight): no reading can be above.
  package func largestConcentration(_ parameters: ModelParameters) -> GramsPerKilogram {
    total / parameters.r.value
  }
}

extension Hours {
  /// What is nothing between two times, a few microseconds.
  ///
  /// Times come from sums in h, in which whole minutes are rounded; the slack keeps a reading that was
  /// taken exactly at a limit on the right side of it.
  package static let roundingSlack: Hours = 1e-9
}

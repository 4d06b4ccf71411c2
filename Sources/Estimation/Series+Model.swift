package import AlcoholKinetics
import StudyData

extension Series {
  /// Returns a hash of the data of the series as a seed: the same in every study and on every machine, for any name of the
  /// subject, clock and unit of the readings. It is FNV-1a (Fowler, Noll & Vo) of measures, drinks and readings, rounded
  /// as fits round them (``RoundedInput``).
  package func seed() -> UInt64 {
    var hash = FNV()
    let beginning = start
    let factors = ConversionFactors()
    let measures = [subject.age?.value, subject.height?.value, subject.weight?.value]
    for measure in measures { hash.add(measure ?? -1) }
    hash.add(subject.sex.map { $0 == .female ? 1 : 0 } ?? -1)
    var rest = drinks[...]
    while let drink = rest.popFirst() {
      var dose = drink.ethanol.signed
      // Simultaneous drinks hash like one drink with their total dose.
      while let next = rest.first, next.time == drink.time, next.duration == drink.duration {
        dose += next.ethanol.signed
        rest.removeFirst()
      }
      hash.add(RoundedInput.elapsed(drink.time, since: beginning))
      hash.add(drink.duration.value)
      hash.add(RoundedInput.level(dose))
      hash.add(drink.route == .oral ? 0 : 1)
    }
    for reading in readings {
      hash.add(RoundedInput.elapsed(reading.time, since: beginning))
      for value in [reading.value, reading.limitOfDetection] {
        let blood = value.map { reading.unit.bloodConcentration(of: $0, using: factors).value }
        hash.add(blood.map(RoundedInput.level) ?? -1)
      }
    }
    return hash.value
  }

  /// The time of the first drink, from which times to sobriety count; 0 if there is none.
  package var start: Hours {
    drinks.map(\.time).min() ?? 0
  }

  /// Throws ``SeriesFailure/badData(_:)`` if the data of the series have an error.
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
      throw .problem(error)
    }
  }
}

/// Rounds the input of fits, so that results do not depend on its last bits: the same study on another clock or in another
/// unit differs by rounding, which can move the end of a descent in a flat valley.
package enum RoundedInput {
  /// Returns true if a clock starts at the first drink, to a third of a millisecond, so that times need no rounding.
  static func isBeginning(_ time: Hours) -> Bool { abs(time.value) < 1e-7 }

  /// Returns the time since a beginning, in h, rounded to a millionth of a minute.
  static func elapsed(_ time: Hours, since beginning: Hours) -> Double {
    guard !isBeginning(beginning) else { return time.value }
    return ((time - beginning).minutes * 1e6).rounded() / 1e6 / 60
  }

  /// Returns a concentration in blood, in g/kg, rounded to 1e-11: far below the resolution of any reading, far above the
  /// rounding error of a conversion. Numbers with fewer decimals stay the same to the last bit.
  package static func level(_ concentration: Double) -> Double {
    abs(concentration) < 1e4 ? (concentration * 1e11).rounded() / 1e11 : concentration
  }
}

extension EthanolDose {
  /// The dose in g, or the negative dose in g per kg of body weight.
  fileprivate var signed: Double {
    switch self {
    case .mass(let dose): dose.value
    case .perBodyWeight(let dose): -dose.value
    }
  }
}

/// FNV-1a of 64 bits over numbers.
private struct FNV {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ number: Double) {
    // Adding 0 turns -0 into 0, so that both have the same hash.
    let bits = (number + 0).bitPattern
    for shift in stride(from: 0, to: 64, by: 8) {
      value = (value ^ (bits >> UInt64(shift)) & 0xff) &* 0x100_0000_01b3
    }
  }
}

extension RFactorMethod {
  /// Returns true if r is outside the range that the method's authors published for the subject's sex.
  package func isOutsidePublishedRange(_ r: RFactor, for subject: Subject) -> Bool {
    guard let sex = subject.sex, let range = publishedRange(for: sex) else { return false }
    return !range.contains(r)
  }

  /// Returns a model with the method's r for a subject, and given values of other parameters.
  package func parameters(
    for subject: Subject, _ model: EliminationModel, _ values: [FitParameter: Double]
  ) throws(SeriesFailure) -> ModelParameters {
    var values = values
    do { values[.r] = try rFactor(for: subject).value } catch { throw .problem(error) }
    do { return try ModelParameters(model, values) } catch { throw .problem(error) }
  }
}

extension Regimen {
  /// Returns the largest possible concentration in blood, total dose / (r x weight).
  package func largestConcentration(_ parameters: ModelParameters) -> GramsPerKilogram {
    total / parameters.r.value
  }
}

extension Hours {
  /// The tolerance for comparing times, a few microseconds.
  ///
  /// Times are sums in h, in which whole minutes are rounded; the tolerance keeps a reading that was taken exactly at a
  /// limit on the right side of it.
  package static let roundingSlack: Hours = 1e-9
}

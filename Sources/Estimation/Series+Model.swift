package import AlcoholKinetics
import StudyData

extension Series {
  /// A number of its own from what it holds, the same in every study and on every machine, whatever its subject is
  /// called, its clock and the unit of its readings are: FNV-1a (Fowler, Noll & Vo) of measures, drinks and readings, of
  /// which the last bits do not count (``SettledNumber``).
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
      // Two halves are the drink.
      while let next = rest.first, next.time == drink.time, next.duration == drink.duration {
        dose += next.ethanol.signed
        rest.removeFirst()
      }
      hash.add(SettledNumber.elapsed(drink.time, since: beginning))
      hash.add(drink.duration.value)
      hash.add(SettledNumber.level(dose))
      hash.add(drink.route == .oral ? 0 : 1)
    }
    for reading in readings {
      hash.add(SettledNumber.elapsed(reading.time, since: beginning))
      for value in [reading.value, reading.limitOfDetection] {
        let blood = value.map { reading.unit.bloodConcentration(of: $0, using: factors).value }
        hash.add(blood.map(SettledNumber.level) ?? -1)
      }
    }
    return hash.value
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

/// What fits are told of a series, so that no verdict hangs on a last bit: the same study on another clock or in another
/// unit differs by rounding alone, and a descent in a valley may end elsewhere for it.
package enum SettledNumber {
  /// Whether a clock begins with the first drink, to a third of a millisecond, so that nothing is to be done.
  static func isBeginning(_ time: Hours) -> Bool { abs(time.value) < 1e-7 }

  /// The time since a beginning, in h, to a millionth of a minute.
  static func elapsed(_ time: Hours, since beginning: Hours) -> Double {
    guard !isBeginning(beginning) else { return time.value }
    return ((time - beginning).minutes * 1e6).rounded() / 1e6 / 60
  }

  /// A concentration in blood, in g/kg, to 1e-11: far below what any reading says, far above what rounding leaves of a
  /// conversion. What has no more decimals stays the same to the last bit.
  package static func level(_ concentration: Double) -> Double {
    abs(concentration) < 1e4 ? (concentration * 1e11).rounded() / 1e11 : concentration
  }
}

extension EthanolDose {
  /// Grams, or what there is for each kg as a number below zero.
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
    // Zero has two signs.
    let bits = (number + 0).bitPattern
    for shift in stride(from: 0, to: 64, by: 8) {
      value = (value ^ (bits >> UInt64(shift)) & 0xff) &* 0x100_0000_01b3
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

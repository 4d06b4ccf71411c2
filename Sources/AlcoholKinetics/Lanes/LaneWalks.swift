private import CLanes

// Curves are computed in C, as many at once as registers hold, with a variant for each kind of processor. Every variant
// does the same operations in the same order: the result of a lane depends neither on the others nor on the machine.

extension Lanes {
  /// The number of lanes that this machine computes at once: 2, 4 or 8.
  package static var countAtOnce: Int { Int(lanes_at_once()) }
}

extension WidmarkKinetics {
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, toleranceFactor: Double
  ) {
    regimen.follow(values, at: times, count, WIDMARK_WIDTH, into: samples, 1, follow_widmark)
  }

  /// Times in closed form, for curves above the threshold after the last change of the input; NaN for others, and for all
  /// with intravenous doses, whose time on the delayed clock depends on the lag.
  static func timesToThreshold(
    of regimen: Regimen, lanes values: UnsafePointer<Lanes>, _ threshold: GramsPerKilogram
  ) -> Lanes {
    var times = Lanes(repeating: .nan)
    let changes = regimen.changes
    guard !changes.isEmpty, !regimen.hasIntravenous, threshold >= 0 else { return times }
    func row(_ parameter: FitParameter) -> UnsafePointer<Double> {
      (values + parameter.slot).numbers
    }
    changes.withCompiled { changes, count in
      withUnsafeMutablePointer(to: &times) { times in
        var task = fall_task(
          changes: changes, change_count: count, level: threshold.value, ka: row(.ka), r: row(.r),
          lag: row(.lag), beta: row(.beta), times: times.numbers)
        fall_widmark(&task)
      }
    }
    return times
  }
}

extension FirstOrderKinetics {
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, toleranceFactor: Double
  ) {
    regimen.follow(
      values, at: times, count, FIRST_ORDER_WIDTH, into: samples, 1, follow_first_order)
  }
}

extension MichaelisMentenKinetics {
  /// Each lane has its own steps and error control.
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, toleranceFactor: Double
  ) {
    regimen.follow(
      values, at: times, count, SATURABLE_WIDTH, into: samples, toleranceFactor, follow_saturable)
  }
}

extension Regimen {
  fileprivate func follow(
    _ values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>, _ count: Int, _ width: Int32,
    into samples: UnsafeMutablePointer<Lanes>, _ toleranceFactor: Double,
    _ walk: (UnsafePointer<curve_task>) -> Void
  ) {
    // With doses into the blood all lanes have the same lag.
    let changes = changes(lag: values[FitParameter.lag.slot][0])
    guard !changes.isEmpty else {
      samples.initialize(repeating: .zero, count: count * Int(width))
      return
    }
    func row(_ parameter: FitParameter) -> UnsafePointer<Double> {
      (values + parameter.slot).numbers
    }
    changes.withCompiled { changes, changeCount in
      var task = curve_task(
        changes: changes, change_count: changeCount, reading_count: Int32(count), times: times,
        ka: row(.ka), r: row(.r), lag: row(.lag), beta: row(.beta), ke: row(.ke), vmax: row(.vmax),
        km: row(.km), tolerance_factor: toleranceFactor, samples: samples.numbers)
      walk(&task)
    }
  }
}

extension [InputChange] {
  /// Calls `body` with the changes as C has them.
  fileprivate func withCompiled(_ body: (UnsafePointer<input_change>?, Int32) -> Void) {
    withUnsafeTemporaryAllocation(of: input_change.self, capacity: count) { memory in
      for (index, change) in enumerated() {
        memory.initializeElement(
          at: index,
          to: input_change(
            time: change.time, bolus: change.bolus, rate: change.rate,
            blood_bolus: change.bloodBolus, blood_rate: change.bloodRate))
      }
      body(memory.baseAddress.map { UnsafePointer($0) }, Int32(count))
    }
  }
}

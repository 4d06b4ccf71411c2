private import CKinetics

// Curves are followed as many at once as registers hold, in C, of which one program has a variant for each kind of
// processor. A lane has steps, decisions and errors of its own, and every variant does the same operations in the same
// order: what a lane computes depends neither on the others nor on the machine.

extension MichaelisMentenKinetics {
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, looseness: Double
  ) {
    follow(
      regimen, lanes: values, at: times, count: count, into: samples, looseness: looseness,
      widest: Lanes.scalarCount)
  }

  /// The same with so many numbers at once at most.
  static func follow(
    _ regimen: Regimen, lanes values: UnsafePointer<Lanes>, at times: UnsafePointer<Double>,
    count: Int, into samples: UnsafeMutablePointer<Lanes>, looseness: Double, widest: Int
  ) {
    // With doses into the blood all lanes have the same lag.
    let changes = regimen.changes(lag: values[FitParameter.lag.slot][0])
    guard !changes.isEmpty else {
      samples.initialize(repeating: .zero, count: count * Int(CURVE_WIDTH))
      return
    }
    func eight(_ parameter: FitParameter) -> UnsafePointer<Double> {
      UnsafeRawPointer(values + parameter.slot).assumingMemoryBound(to: Double.self)
    }
    withUnsafeTemporaryAllocation(of: input_change.self, capacity: changes.count) { memory in
      for (index, change) in changes.enumerated() {
        memory.initializeElement(
          at: index,
          to: input_change(
            time: change.time, bolus: change.bolus, rate: change.rate,
            blood_bolus: change.bloodBolus, blood_rate: change.bloodRate))
      }
      var task = curve_task(
        changes: memory.baseAddress, change_count: Int32(changes.count),
        reading_count: Int32(count), times: times, ka: eight(.ka), vmax: eight(.vmax),
        km: eight(.km), r: eight(.r), lag: eight(.lag), looseness: looseness,
        samples: UnsafeMutableRawPointer(samples).assumingMemoryBound(to: Double.self))
      follow_saturable(&task, Int32(widest))
    }
  }
}

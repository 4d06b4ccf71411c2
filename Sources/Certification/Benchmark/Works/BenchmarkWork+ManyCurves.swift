import AlcoholKinetics

extension BenchmarkWork {
  /// A day's curves of a cohort by all methods into one buffer, against clearing it by memset and
  /// against storing one number everywhere.
  ///
  /// memset may use instructions that no program can compute with; what stores alone cost is the
  /// second reference.
  static func manyCurves(_ name: String, subjects: Int) throws(KineticsError) -> [Self] {
    let grid = try TimeGrid(count: 1440)
    let cohort = try BenchmarkCohort(subjects: subjects)
    let curves = Memory(try CurveBuffer(grid: grid, curveCount: cohort.curveCount))
    let plain = Memory([Double](repeating: 0, count: grid.count * cohort.curveCount))
    let count = plain.content.count
    let fill = { (name: String) in
      Task(name: name, count: count) {
        curves.content.fill(cohort.input)
        return curves.content.values.last ?? 0
      }
    }
    let clear = Task(name: "memset", count: count) {
      plain.content.withUnsafeMutableBytes { bytes in
        _ = bytes.initializeMemory(as: UInt8.self, repeating: 0)
      }
      return plain.content.last ?? 0
    }
    let store = Task(name: "store_constant", count: count) {
      plain.content.withUnsafeMutableBufferPointer { $0.update(repeating: 0.1) }
      return plain.content.last ?? 0
    }
    return [
      Self(fill(name), unit: "minutes", reference: clear, target: .ratio(0.8)),
      Self(fill(name), unit: "minutes", reference: store),
    ]
  }

  /// Memory that stays the same from run to run.
  private final class Memory<Content> {
    var content: Content

    init(_ content: Content) {
      self.content = content
    }
  }
}

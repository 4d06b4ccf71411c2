/// The ranks of some numbers from 1 up; equal numbers share the mean of their ranks.
///
/// Ranks are kept doubled, which makes them whole: sums of ranks are exact.
struct MidRanks {
  /// Twice the rank of each number, in the order of the numbers.
  let doubled: [Int]

  /// The sum of t³ - t over the groups of t equal numbers; 0 if all differ.
  let tieTerm: Double

  /// Ranks numbers, of which none may be NaN. Numbers are equal only if they are so to the last bit.
  init(_ values: [Double]) {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var doubled = [Int](repeating: 0, count: values.count)
    var tieTerm = 0.0
    var start = 0
    while start < order.count {
      let end = order[start...].firstIndex { values[$0] != values[order[start]] } ?? order.count
      for index in order[start..<end] {
        doubled[index] = start + 1 + end
      }
      let size = Double(end - start)
      tieTerm += size * (size * size - 1)
      start = end
    }
    self.doubled = doubled
    self.tieTerm = tieTerm
  }
}

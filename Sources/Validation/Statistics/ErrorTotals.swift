/// Sums over one subject's errors, from which the statistics of any set of subjects follow.
///
/// A bootstrap adds them up thousands of times, which must not cost a pass over all readings each.
struct ErrorTotals {
  private(set) var count = 0.0
  private(set) var sum = 0.0
  private(set) var absolute = 0.0
  private(set) var squares = 0.0

  init() {}

  init(of errors: [Double]) {
    count = Double(errors.count)
    for error in errors {
      sum += error
      absolute += abs(error)
      squares += error * error
    }
  }

  static func += (left: inout Self, right: Self) {
    left.count += right.count
    left.sum += right.sum
    left.absolute += right.absolute
    left.squares += right.squares
  }

  var bias: Double { sum / count }
  var mae: Double { absolute / count }
  var rmse: Double { (squares / count).squareRoot() }

  /// Bias, mean absolute error and root mean squared error over subjects, for a bootstrap.
  static func statistics(of subjects: [ErrorTotals]) -> Bootstrap.OfSums {
    Bootstrap.OfSums(
      columns: [
        subjects.map(\.count), subjects.map(\.sum), subjects.map(\.absolute),
        subjects.map(\.squares),
      ], width: 3
    ) { sums in
      let total = ErrorTotals(count: sums[0], sum: sums[1], absolute: sums[2], squares: sums[3])
      return [total.bias, total.mae, total.rmse]
    }
  }

  private init(count: Double, sum: Double, absolute: Double, squares: Double) {
    self.count = count
    self.sum = sum
    self.absolute = absolute
    self.squares = squares
  }
}

extension Sequence {
  /// The elements with equal keys, in the order in which each key comes first.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, values: [Element])] {
    var groups: [(key: Key, values: [Element])] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let place = places[key] {
        groups[place].values.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}

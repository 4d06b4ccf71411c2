import Estimation

extension SeriesFailure {
  /// Code and description, as the `reason` column and the notes carry them.
  var reason: String { "\(code): \(description)" }
}

extension Result where Failure == SeriesFailure {
  var value: Success? { try? get() }

  var reason: String? {
    guard case .failure(let failure) = self else { return nil }
    return failure.reason
  }
}

/// The place of a series in the database.
struct SeriesPlace: Hashable {
  var id: Int64
  /// Whether this import made it: then there is nothing to compare with.
  var isNew: Bool
  /// Whether the study has it a second time: then it is compared with what it brought itself.
  var isRepeated = false

  /// Whether a table may have rows of the series.
  func mayHaveRows(inTableThatWasEmpty wasEmpty: Bool) -> Bool {
    isRepeated || !(isNew || wasEmpty)
  }
}

/// The place of a series in the database.
struct SeriesPlace: Hashable {
  var id: Int64
  /// Whether this import made it: then there is nothing to compare with.
  var isNew: Bool
}

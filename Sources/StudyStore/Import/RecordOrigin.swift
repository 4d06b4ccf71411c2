/// What the records of a series have in common.
struct RecordOrigin {
  var place: SeriesPlace
  var identity: SeriesIdentity
  /// What its readings were taken with.
  var instrument: Int64
}

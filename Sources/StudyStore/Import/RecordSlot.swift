import AlcoholKinetics

/// Where a record stands in its series, which is what it is the same by unless it has a UUID.
struct RecordSlot: Hashable {
  var time: Hours
  /// The unit of a reading; nil for a drink.
  var unit: ConcentrationUnit?
}

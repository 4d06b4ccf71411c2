/// Which vital signs are looked at.
public struct VitalFilter: Hashable, Sendable {
  /// The subjects by name; nil for all.
  public var subjects: Set<String>?
  /// The range of days, as `2024-05-01`; nil for all.
  public var days: ClosedRange<String>?
  /// The kinds; nil for all.
  public var kinds: Set<VitalKind>?
  /// The least importance.
  public var importance: Int

  /// Looks at everything, unless something is said.
  public init(
    subjects: Set<String>? = nil,
    days: ClosedRange<String>? = nil,
    kinds: Set<VitalKind>? = nil,
    importance: Int = 1
  ) {
    self.subjects = subjects
    self.days = days
    self.kinds = kinds
    self.importance = importance
  }

  func takes(_ day: VitalDay) -> Bool {
    subjects?.contains(day.subject) ?? true && days?.contains(day.day) ?? true
      && kinds?.contains(day.kind) ?? true && day.importance >= importance
  }
}

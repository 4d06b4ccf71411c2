/// Biological sex, as the r-factor formulas use it.
public enum Sex: String, CaseIterable, Hashable, Sendable {
  case male
  case female
}

import ArgumentParser

/// What is done about readings below the limit of detection.
enum Censoring: String, CaseIterable, ExpressibleByArgument {
  /// Nothing: every reading is taken at face value.
  case none
}

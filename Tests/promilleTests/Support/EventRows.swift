/// Tables of events about people whom the model can follow.
enum EventRows {
  static let header = "ID,TIME,AMT,DV,SEX,AGE,HT,WT\n"

  /// A drink and six readings of each of them.
  static func rows(of subjects: String...) -> String {
    subjects.map { rows(of: $0) }.joined()
  }

  private static func rows(of subject: String) -> String {
    let readings = [(0.25, 0.494), (0.5, 0.652), (1, 0.675), (2, 0.54), (3, 0.39), (4, 0.24)]
    return "\(subject),0,40,.,m,40,175,70\n"
      + readings.map { "\(subject),\($0.0),.,\($0.1),m,40,175,70\n" }.joined()
  }

  /// The whole table.
  static func table(of subjects: String...) -> String {
    header + subjects.map { rows(of: $0) }.joined()
  }
}

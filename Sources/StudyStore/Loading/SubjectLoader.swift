import AlcoholKinetics
import GRDB

/// Reads the subjects.
struct SubjectLoader {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// The subjects and their numbers, in order.
  func subjects() throws -> [(id: Int64, subject: Subject)] {
    let covariates = try covariates()
    var subjects: [(id: Int64, subject: Subject)] = []
    let all = try RawStatement(
      "SELECT id, name, sex, age_y, height_m, weight_kg FROM subjects ORDER BY id", on: db)
    try all.forEach { row in
      let id = row.integer(0)
      let subject = Subject(
        id: row.text(1) ?? "",
        sex: row.text(2).flatMap(Sex.init),
        age: row.optionalDouble(3).map { Years($0) },
        height: row.optionalDouble(4).map { Metres($0) },
        weight: row.optionalDouble(5).map { Kilograms($0) },
        covariates: covariates[id] ?? [:])
      subjects.append((id, subject))
    }
    return subjects
  }

  private func covariates() throws -> [Int64: [String: String]] {
    var covariates: [Int64: [String: String]] = [:]
    let all = try RawStatement("SELECT subject_id, name, value FROM covariates", on: db)
    try all.forEach { row in
      covariates[row.integer(0), default: [:]][row.text(1) ?? ""] = row.text(2) ?? ""
    }
    return covariates
  }
}

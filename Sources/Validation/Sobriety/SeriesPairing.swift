import AlcoholKinetics
import StudyData

/// Finds the series of one stream that belong to those of another, in which subjects come in the same
/// order.
///
/// In memory are those of one subject, and those of subjects that had to be passed over because the
/// order is not the same after all.
struct SeriesPairing {
  private var stream: StudyStream
  /// What has been read beyond the subject.
  private var ahead: Series?
  private var subject: String?
  /// What the subject has that has not been asked for.
  private var series: [Series] = []
  private var passedOver: [String: [Series]] = [:]
  private var findings: [Diagnostic] = []

  /// Prepares to look in a stream.
  init(in stream: StudyStream) {
    self.stream = stream
  }

  /// The series of the same subject and occasion; nil if there is none.
  ///
  /// - Parameter one: A series; all of a subject are asked for together.
  mutating func partner(of one: Series) throws -> Series? {
    if subject != one.subject.id { try goOn(to: one.subject.id) }
    let index = series.firstIndex { $0.occasion == one.occasion }
    return index.map { series.remove(at: $0) }
  }

  /// What was found in series that nobody asked for.
  mutating func rest() throws -> [Diagnostic] {
    let others = passedOver.sorted { $0.key < $1.key }.flatMap(\.value)
    findings += (series + others).flatMap(\.diagnostics)
    while let series = try next() { findings += series.diagnostics }
    return findings
  }

  private mutating func goOn(to id: String) throws {
    findings += series.flatMap(\.diagnostics)
    subject = id
    series = passedOver.removeValue(forKey: id) ?? []
    guard series.isEmpty else { return }
    while let next = try next() {
      if next.subject.id == id {
        series.append(next)
      } else if series.isEmpty {
        passedOver[next.subject.id, default: []].append(next)
      } else {
        ahead = next
        return
      }
    }
  }

  private mutating func next() throws -> Series? {
    defer { ahead = nil }
    if let ahead { return ahead }
    return try stream.next()
  }
}

import Foundation
import TestSupport
import Testing

/// Texts as they were when somebody last looked at them.
///
/// To accept new ones, run the tests with PROMILLE_UPDATE_SNAPSHOTS=1, and look at what changed.
enum Snapshot {
  private static let folder = PackageFolder.root.appending(path: "Tests/promilleTests/Snapshots")

  private static let isUpdating =
    ProcessInfo.processInfo.environment["PROMILLE_UPDATE_SNAPSHOTS"] == "1"

  /// Expects a text to be the same as the snapshot; with a tolerance, numbers may differ by that
  /// fraction.
  static func expect(
    _ text: String, named name: String, tolerance: Double = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect(
      text, in: folder.appending(path: name), tolerance: tolerance, sourceLocation: sourceLocation)
  }

  /// Expects a text to be the same as what a file holds.
  static func expect(
    _ text: String, in file: URL, tolerance: Double = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let recorded = try? String(contentsOf: file, encoding: .utf8)
    let difference = difference(recorded ?? "", text, tolerance)
    guard recorded == nil || difference != nil else { return }
    if isUpdating {
      // Numbers within the tolerance are left as they are, so that no update is noise.
      try Data(text.utf8).write(to: file)
    } else {
      Issue.record(
        """
        \(recorded == nil ? "there is no" : "not the same as the") snapshot \(file.lastPathComponent); \
        PROMILLE_UPDATE_SNAPSHOTS=1 takes the new text
        \(difference ?? "")
        """, sourceLocation: sourceLocation)
    }
  }

  /// The first line that differs, in both.
  private static func difference(_ old: String, _ new: String, _ tolerance: Double) -> String? {
    let pairs = (lines(old), lines(new))
    for index in 0..<max(pairs.0.count, pairs.1.count) {
      let was = index < pairs.0.count ? pairs.0[index] : "(end)"
      let found = index < pairs.1.count ? pairs.1[index] : "(end)"
      let isSame =
        tolerance == 0
        ? was == found : NumericText(was).isClose(to: NumericText(found), tolerance)
      if !isSame { return "line \(index + 1)\n- \(was)\n+ \(found)" }
    }
    return nil
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }
}

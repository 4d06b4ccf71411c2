import Foundation

/// Names for what is written beside the place that it will take.
enum DraftName {
  /// Makes something under a name that nothing has: what an earlier run that was killed left behind
  /// stands in nobody's way. ``Drafts`` knows it from then on.
  ///
  /// - Parameters:
  ///   - path: The place that it will take.
  ///   - make: Makes it under a path, and says whether it could; it must not replace anything.
  /// - Returns: The path.
  /// - Throws: ``OutputFailure`` if it cannot be made.
  static func make(beside path: String, _ make: (String) -> Bool) throws -> String {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    for _ in 0..<100 {
      let mark = String(UInt32.random(in: 0...(.max)), radix: 36)
      let draft = "\(path.dropLast(name.count)).\(name).\(mark).part"
      // It is known before it is there, so that no signal comes between.
      Drafts.watch(draft)
      if make(draft) { return draft }
      let reason = errno
      Drafts.forget(draft)
      guard reason == EEXIST else { throw OutputFailure(code: reason) }
    }
    throw OutputFailure(code: EEXIST)
  }
}

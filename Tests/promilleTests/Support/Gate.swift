import Foundation

/// Lets only so many in at once; the others wait in the order in which they came.
actor Gate {
  /// For commands: more at once would only take each other's processor and memory, until some seem
  /// to hang.
  static let ofCommands = Gate(places: 2 * ProcessInfo.processInfo.activeProcessorCount)

  private var places: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) {
    self.places = places
  }

  /// Takes a place, once there is one.
  func enter() async {
    if places > 0 {
      places -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  /// Leaves a place to whoever has waited longest.
  func leave() {
    if waiting.isEmpty {
      places += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}

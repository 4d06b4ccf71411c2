/// A piece of work whose speed is measured, and what it is compared with.
///
/// A work is a file in `Works` and a line in ``BenchmarkWork/all(_:)``.
public struct BenchmarkWork {
  /// Something to do again and again.
  public struct Task {
    /// Its name, lower case with underscores.
    public let name: String
    /// How many units one run does.
    public let count: Int
    /// Does it once. What it returns depends on all that was computed, so that nothing of it can be
    /// left out.
    public let run: () -> Double

    /// Names a task.
    public init(name: String, count: Int, run: @escaping () -> Double) {
      self.name = name
      self.count = count
      self.run = run
    }
  }

  /// What is measured.
  public let task: Task
  /// What is counted, in the plural.
  public let unit: String
  /// What the speed is divided by, measured in the same run; nil if the speed speaks for itself.
  public let reference: Task?
  /// What is to be reached, if anything was promised.
  public let target: BenchmarkTarget?

  /// Describes a work.
  public init(
    _ task: Task, unit: String, reference: Task? = nil, target: BenchmarkTarget? = nil
  ) {
    self.task = task
    self.unit = unit
    self.reference = reference
    self.target = target
  }
}

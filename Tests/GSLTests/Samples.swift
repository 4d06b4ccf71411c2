/// Points (x, y) as the test models find them behind their context pointer: n, all x, all y.
struct Samples {
  private let count: Int
  private let x: UnsafePointer<Double>
  private let y: UnsafePointer<Double>

  init(_ context: UnsafeRawPointer) {
    let memory = context.assumingMemoryBound(to: Double.self)
    count = Int(memory[0])
    x = memory + 1
    y = memory + 1 + count
  }

  /// Writes curve minus y for each point; the answer of a problem's residual function.
  func writeResiduals(
    _ residuals: UnsafeMutablePointer<Double>, curve: (Double) -> Double
  ) -> Bool {
    for i in 0..<count {
      residuals[i] = curve(x[i]) - y[i]
    }
    return true
  }

  /// Lets `gradient` write each row; the answer of a problem's Jacobian function.
  func writeJacobian(
    _ jacobian: UnsafeMutablePointer<Double>,
    columns: Int,
    gradient: (Double, UnsafeMutablePointer<Double>) -> Void
  ) -> Bool {
    for i in 0..<count {
      gradient(x[i], jacobian + i * columns)
    }
    return true
  }
}

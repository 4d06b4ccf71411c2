/// What is released.
enum Release {
  static let version = "0.1.0"
}

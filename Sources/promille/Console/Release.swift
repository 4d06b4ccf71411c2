/// The version of the program.
enum Release {
  static let version = "0.1.0"
}

@main
struct Promille {
  static func main() {}
}

import ArgumentParser
import StudyServer

@main
struct PromilleServe: AsyncParsableCommand {
  func run() async throws {}
}

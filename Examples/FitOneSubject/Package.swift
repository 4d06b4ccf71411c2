// swift-tools-version: 6.2

import PackageDescription

// A program of its own that uses the library. Yours names the repository instead of a path:
// .package(url: "https://...", from: "...", traits: []).
let package = Package(
  name: "FitOneSubject",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Without its traits it needs no web server.
    .package(name: "promille", path: "../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "FitOneSubject",
      dependencies: [
        .product(name: "Promille", package: "promille")
      ])
  ]
)

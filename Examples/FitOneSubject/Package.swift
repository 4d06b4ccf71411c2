// swift-tools-version: 6.2

import PackageDescription

// A program of its own that uses the library. Yours names the repository instead of a path:
// .package(url: "https://...", from: "...").
let package = Package(
  name: "FitOneSubject",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "promille", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "FitOneSubject",
      dependencies: [
        .product(name: "Promille", package: "promille")
      ])
  ]
)

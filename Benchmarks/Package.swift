// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses the library resolves a benchmark harness.
let package = Package(
  name: "promille-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "promille", path: ".."),
    // Without its traits it needs no jemalloc.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    // What C reaches with the same work, for ratios.
    .target(name: "CReference"),
    .executableTarget(
      name: "EngineBenchmarks",
      dependencies: [
        "CReference",
        .product(name: "Promille", package: "promille"),
        .product(name: "Certification", package: "promille"),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/EngineBenchmarks",
      swiftSettings: [.swiftLanguageMode(.v6)],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    ),
  ]
)

// swift-tools-version: 6.2

import PackageDescription

/// Every module is held to the rules of the toolkit: Swift 6 mode, explicit imports, no warnings.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error, .when(configuration: .debug)),
]

/// The toolkit, and what it gives to the study day alone.
let toolkit: Target.Dependency = .product(name: "StudyDaySupport", package: "promille")
let testSupport: Target.Dependency = .product(name: "StudyDayTestSupport", package: "promille")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let embedTexts: Target.PluginUsage = .plugin(name: "EmbedTexts", package: "promille")

let package = Package(
  name: "promille-study-day",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "promille-serve", targets: ["promille-serve"])],
  dependencies: [
    .package(name: "promille", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
  ],
  targets: [
    // What the database of a study day has beside the study: the log of events, vital signs, and the steps of its schema.
    .target(
      name: "DayDatabase", dependencies: [toolkit, grdb],
      exclude: ["Migrations"], swiftSettings: settings, plugins: [embedTexts]),
    // Apple Health and vital signs.
    .target(
      name: "HealthData",
      dependencies: ["DayDatabase", toolkit, .product(name: "CSheets", package: "promille"), grdb],
      swiftSettings: settings),
    .target(
      name: "StudyServer",
      dependencies: [
        "DayDatabase", "HealthData", toolkit, grdb,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      exclude: ["Pages"],
      swiftSettings: settings,
      plugins: [embedTexts]
    ),
    .executableTarget(
      name: "promille-serve",
      dependencies: [
        "DayDatabase", "HealthData", "StudyServer", toolkit,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "DayDatabaseTests", dependencies: ["DayDatabase", toolkit, testSupport, grdb],
      swiftSettings: settings),
    .testTarget(
      name: "HealthDataTests",
      dependencies: ["DayDatabase", "HealthData", toolkit, testSupport, grdb],
      swiftSettings: settings),
    .testTarget(
      name: "StudyServerTests",
      dependencies: [
        "DayDatabase", "HealthData", "StudyServer", toolkit, testSupport, grdb,
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings
    ),
    // The commands of promille-serve, started as people start them.
    .testTarget(
      name: "promille-serveTests",
      dependencies: ["promille-serve", "DayDatabase", "HealthData", toolkit, testSupport, grdb],
      swiftSettings: settings),
  ]
)

// The programs that libFuzzer runs, as in the toolkit.
if Context.environment["PROMILLE_FUZZ"] != nil {
  let fuzzers: [String: [Target.Dependency]] = [
    "HealthDataFuzz": ["DayDatabase", "HealthData", toolkit, grdb],
    "StudyServerFuzz": [
      "DayDatabase", "HealthData", "StudyServer", toolkit, grdb,
      .product(name: "Hummingbird", package: "hummingbird"),
      .product(name: "Logging", package: "swift-log"),
      .product(name: "NIOCore", package: "swift-nio"),
      .product(name: "NIOEmbedded", package: "swift-nio"),
    ],
  ]
  package.targets += fuzzers.map { name, modules in
    .executableTarget(
      name: name,
      dependencies: modules + [.product(name: "FuzzSupport", package: "promille")],
      path: "Fuzz/\(name)", swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
  }
}

// Sanitizers look at some of the tests, and do not have to build the others.
if let names = Context.environment["PROMILLE_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

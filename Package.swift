// swift-tools-version: 6.2

import PackageDescription

/// Every module is held to the same rules: Swift 6 mode, explicit imports, no warnings.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error, .when(configuration: .debug)),
]

/// For the modules that calculate. `make test` sets the variable: its build is a debug build but for these modules,
/// which are optimised, because tests mostly wait for fits. Off by default, as SwiftPM
/// refuses such flags in packages that others depend on.
let calculating: [SwiftSetting] =
  settings
  + (Context.environment["PROMILLE_OPTIMIZED_TESTS"] == nil
    ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

/// The same for the models of kinetics: only a compiler that sees the whole module specialises the walk along a curve
/// for each of them, as it does in every release build.
let specialised: [SwiftSetting] =
  calculating
  + (Context.environment["PROMILLE_OPTIMIZED_TESTS"] == nil
    ? []
    : [
      .unsafeFlags(
        ["-disable-batch-mode", "-wmo", "-num-threads", "2"], .when(configuration: .debug))
    ])

/// The same for C.
let compiled: [CSetting] =
  Context.environment["PROMILLE_OPTIMIZED_TESTS"] == nil
  ? [] : [.unsafeFlags(["-O2"], .when(configuration: .debug))]

// The rooms of the house, bottom up. A module may import only what its target lists, so the
// direction of every dependency is checked by the compiler.
let package = Package(
  name: "promille",
  platforms: [.macOS(.v15)],
  // `Promille` is the toolkit: every module that reads, fits, compares and reports, each imported by its own name. One
  // product of many modules, because they are versioned and tested as one, and SwiftPM builds of a module what it stands
  // on anyway. `Certification` is for the package in `Benchmarks`, the others for that in `StudyDay`, which also uses
  // what is marked `@_spi(StudyDay)`.
  products: [
    .library(
      name: "Promille",
      targets: [
        "GSL", "Statistics", "AlcoholKinetics", "StudyData", "StudyFiles", "Spreadsheets",
        "StudyStore", "Estimation", "Population", "Casework", "Validation", "Reporting",
      ]),
    .library(name: "Certification", targets: ["Certification"]),
    .executable(name: "promille", targets: ["promille"]),
    .library(name: "StudyDaySupport", targets: ["StrictOptions", "StudyStore", "Population"]),
    .library(name: "CSheets", targets: ["CSheets"]),
    .library(name: "StudyDayTestSupport", targets: ["TestSupport", "StoreSupport"]),
    .plugin(name: "EmbedTexts", targets: ["EmbedTexts"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-numerics", from: "1.1.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CGSL",
      pkgConfig: "gsl",
      providers: [.apt(["libgsl-dev"]), .brew(["gsl"])]
    ),
    // Texts that are part of a module: vocabulary, templates, priors, pages.
    .plugin(name: "EmbedTexts", capability: .buildTool()),
    .target(name: "GSL", dependencies: ["CGSL"], swiftSettings: calculating),
    .target(
      name: "Statistics",
      dependencies: ["CLanes", "GSL", .product(name: "RealModule", package: "swift-numerics")],
      swiftSettings: calculating
    ),
    // What is computed eight times at once: only C can be compiled for several processors in one program.
    .target(name: "CLanes", cSettings: compiled),
    .target(
      name: "AlcoholKinetics",
      dependencies: ["CLanes", .product(name: "RealModule", package: "swift-numerics")],
      // A link to datasets/priors: the priors that ship are part of the program.
      exclude: ["Units/units.tsv", "Shipped"],
      swiftSettings: specialised,
      plugins: ["EmbedTexts"]
    ),
    // The values of a study, the rules they keep, and findings. No files.
    .target(
      name: "StudyData", dependencies: ["AlcoholKinetics"],
      exclude: ["Vocabulary"], swiftSettings: settings, plugins: ["EmbedTexts"]),
    // The strict forms that a study is read from and written to, and the one way into a study.
    .target(
      name: "StudyFiles", dependencies: ["Statistics", "AlcoholKinetics", "StudyData"],
      exclude: ["Catalogue", "Template", "Vocabulary"], swiftSettings: settings,
      plugins: ["EmbedTexts"]),
    // zlib and expat, for workbooks: what Swift itself needs on Linux, and part of macOS.
    .systemLibrary(
      name: "CSheets",
      providers: [.apt(["zlib1g-dev", "libexpat1-dev"])]
    ),
    // What somebody's sheet means. A leaf: only the command opens sheets.
    .target(
      name: "Spreadsheets",
      dependencies: ["AlcoholKinetics", "StudyData", "StudyFiles", "CSheets"],
      swiftSettings: settings),
    // Links what GRDB links.
    .target(name: "CSQLite"),
    // Apart from StudyData, so that who only reads folders does not build SQLite's wrapper.
    .target(
      name: "StudyStore",
      dependencies: [
        "Statistics", "AlcoholKinetics", "StudyData", "StudyFiles", "CSQLite",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      exclude: ["Migrations"], swiftSettings: settings, plugins: ["EmbedTexts"]
    ),
    .target(
      name: "Estimation",
      dependencies: [
        "CLanes", "GSL", "Statistics", "AlcoholKinetics", "StudyData",
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      swiftSettings: calculating
    ),
    // Uses the curves and problems of Estimation, and never GSL.
    .target(
      name: "Population",
      dependencies: [
        "Statistics", "AlcoholKinetics", "StudyData", "StudyFiles", "Estimation",
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      swiftSettings: calculating
    ),
    // One person, one question. Never uses GSL.
    .target(
      name: "Casework",
      dependencies: [
        "Statistics", "AlcoholKinetics", "StudyData", "StudyFiles", "Estimation", "Population",
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      swiftSettings: calculating
    ),
    .target(
      name: "Validation",
      dependencies: [
        "GSL", "Statistics", "AlcoholKinetics", "StudyData", "Estimation", "Population",
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      swiftSettings: calculating
    ),
    .target(
      name: "Reporting",
      dependencies: [
        "Statistics", "AlcoholKinetics", "StudyData", "StudyFiles", "Estimation", "Population",
        "Casework",
        "Validation",
      ],
      // Columns holds a link to the list of all columns, for promille explain.
      exclude: ["Columns", "Template"],
      swiftSettings: settings,
      plugins: ["EmbedTexts"]
    ),
    // What keeps the toolkit honest; library users do not build it.
    .target(
      name: "Certification",
      dependencies: [
        "GSL", "Statistics", "AlcoholKinetics", "StudyData", "StudyFiles", "Estimation",
        "Validation", "Reporting",
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      // A link to datasets/nist-strd: the certified problems are part of the program.
      exclude: ["NIST"],
      swiftSettings: settings,
      plugins: ["EmbedTexts"]
    ),
    // What both programs refuse on their command lines.
    .target(
      name: "StrictOptions",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "promille",
      dependencies: [
        "AlcoholKinetics", "StudyData", "StudyFiles", "Spreadsheets", "StudyStore",
        "Estimation", "Population", "Casework", "Validation", "Certification", "Reporting",
        "StrictOptions",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // Example is a link to datasets/made-up-24: the study to try commands on is part of the program.
      exclude: ["Example", "Help"],
      swiftSettings: settings,
      plugins: ["EmbedTexts"]
    ),

    // What tests share.
    .target(
      name: "TestSupport", dependencies: ["CSheets"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(name: "CGSLTests", dependencies: ["CGSL"], swiftSettings: settings),
    .testTarget(
      name: "GSLTests", dependencies: ["GSL", "Statistics", "Certification"],
      swiftSettings: settings),
    .testTarget(
      name: "StatisticsTests", dependencies: ["CLanes", "GSL", "Statistics", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AlcoholKineticsTests",
      dependencies: [
        "AlcoholKinetics", "GSL", "CGSL", "CLanes", "TestSupport",
        .product(name: "RealModule", package: "swift-numerics"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StudyDataTests", dependencies: ["StudyData", "AlcoholKinetics", "TestSupport"],
      swiftSettings: settings
    ),
    // Small studies in memory, for tests of files and of sheets.
    .target(
      name: "StudySupport",
      dependencies: ["StudyFiles", "StudyData", "AlcoholKinetics", "TestSupport"],
      path: "Tests/StudySupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "StudyFilesTests",
      dependencies: ["StudyFiles", "StudyData", "AlcoholKinetics", "TestSupport", "StudySupport"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SpreadsheetsTests",
      dependencies: [
        "Spreadsheets", "StudyFiles", "StudyData", "AlcoholKinetics", "CSheets", "TestSupport",
        "StudySupport",
      ],
      swiftSettings: settings
    ),
    // What tests of databases share.
    .target(
      name: "StoreSupport",
      dependencies: [
        "StudyStore", "StudyData", "AlcoholKinetics",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/StoreSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "StudyStoreTests",
      dependencies: [
        "StudyStore", "StudyData", "StudyFiles", "AlcoholKinetics", "TestSupport", "StoreSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings
    ),
    // Series that several test targets fit.
    .target(
      name: "FittingSupport",
      dependencies: [
        "AlcoholKinetics", "StudyData", "GSL", "Estimation", "Certification", "TestSupport",
      ],
      path: "Tests/FittingSupport",
      swiftSettings: settings
    ),
    .testTarget(
      name: "EstimationTests",
      dependencies: [
        "Statistics",
        "CLanes", "Estimation", "Certification", "StudyData", "StudyFiles", "AlcoholKinetics",
        "GSL", "TestSupport",
        "FittingSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PopulationTests",
      dependencies: [
        "Statistics", "Population", "Estimation", "StudyData", "StudyFiles", "AlcoholKinetics",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CaseworkTests",
      dependencies: [
        "Statistics", "Casework", "Estimation", "StudyData", "StudyFiles", "AlcoholKinetics",
        "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ValidationTests",
      dependencies: [
        "Statistics",
        "Population", "Validation", "Estimation", "Certification", "StudyData", "StudyFiles",
        "Spreadsheets", "AlcoholKinetics", "GSL",
        "TestSupport", "FittingSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CertificationTests",
      dependencies: [
        "Statistics",
        "Certification", "Estimation", "StudyData", "StudyFiles", "AlcoholKinetics",
        "GSL", "TestSupport",
        "FittingSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ReportingTests",
      dependencies: [
        "Statistics",
        "Reporting", "Population", "Validation", "Estimation", "Certification", "StudyData",
        "StudyFiles", "AlcoholKinetics", "GSL", "TestSupport",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "promilleTests",
      dependencies: [
        "AlcoholKinetics", "Certification", "Estimation", "promille", "Reporting",
        "StrictOptions", "StudyData", "StudyFiles", "StudyStore", "Validation", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      exclude: ["Snapshots"],
      swiftSettings: settings
    ),
  ]
)

if Context.environment["PROMILLE_OPTIMIZED_TESTS"] != nil {
  // The example is a package of its own; `make test` builds it with everything else and compares what it prints.
  package.targets.append(
    .executableTarget(
      name: "FitOneSubject",
      dependencies: ["AlcoholKinetics", "Estimation", "StudyFiles", "StudyData"],
      path: "Examples/FitOneSubject/Sources/FitOneSubject", swiftSettings: settings))

  // In debug builds the parser checks all declarations of options at each parse, and nested groups again at each level:
  // that was four fifths of the time of commands in tests, which parse thousands of lines. `DeclarationTests` make
  // these checks once for each command; here the linker puts a function that does nothing in their place.
  let check = "$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ"
  package.targets.append(.target(name: "UncheckedOptions", path: "Tests/UncheckedOptions"))
  if let command = package.targets.first(where: { $0.name == "promille" }) {
    command.dependencies.append("UncheckedOptions")
    command.linkerSettings = [
      .unsafeFlags(["-Xlinker", "--wrap=\(check)"], .when(platforms: [.linux]))
    ]
  }
}

// The programs that libFuzzer runs, one for each module that reads bytes of strangers. `Tests/Tools/check.py fuzz`
// sets the variable: they have no main of their own and cannot be linked without libFuzzer.
if Context.environment["PROMILLE_FUZZ"] != nil {
  let fuzzers: [String: [Target.Dependency]] = [
    "StudyDataFuzz": ["Spreadsheets", "StudyFiles", "StudyData", "AlcoholKinetics", "TestSupport"],
    "CaseworkFuzz": ["Casework", "Population", "Estimation", "AlcoholKinetics"],
  ]
  let options: [SwiftSetting] = settings + [.unsafeFlags(["-parse-as-library"])]
  package.targets.append(
    .target(name: "FuzzSupport", path: "Fuzz/Support", swiftSettings: settings))
  package.products.append(.library(name: "FuzzSupport", targets: ["FuzzSupport"]))
  package.targets += fuzzers.map { name, modules in
    .executableTarget(
      name: name, dependencies: modules + ["FuzzSupport"], path: "Fuzz/\(name)",
      swiftSettings: options)
  }
}

// Sanitizers look at some of the tests, and do not have to build the others. `Tests/Tools/check.py` sets the variable.
if let names = Context.environment["PROMILLE_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

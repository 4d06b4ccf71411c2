import DayDatabase

/// QR code (ISO/IEC 18004) of a short text, such as a link, with error correction M.
struct QRCode {
  /// The modules, row by row; true is dark.
  private(set) var rows: [[Bool]]
  /// The modules that hold no data.
  private var isFixed: [[Bool]]

  /// Versions: data codewords of each block, correction codewords of a block, and rows and columns of alignment
  /// patterns.
  private static let versions: [(blocks: [Int], correction: Int, alignment: [Int])] = [
    ([16], 10, []), ([28], 16, [6, 18]), ([44], 26, [6, 22]), ([32, 32], 18, [6, 26]),
    ([43, 43], 24, [6, 30]), ([27, 27, 27, 27], 16, [6, 34]), ([31, 31, 31, 31], 18, [6, 22, 38]),
    ([38, 38, 39, 39], 22, [6, 24, 42]), ([36, 36, 36, 37, 37], 22, [6, 26, 46]),
    ([43, 43, 43, 43, 44], 26, [6, 28, 50]),
  ]

  /// Encodes a text; nil if it has more than 213 bytes.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    let sizes = Self.versions.map { $0.blocks.reduce(0, +) }
    // Mode and length take 12 bits, and 20 from version 10 on.
    guard let index = sizes.indices.first(where: { bytes.count + ($0 < 9 ? 2 : 3) <= sizes[$0] })
    else { return nil }
    let size = 21 + 4 * index
    rows = Array(repeating: Array(repeating: false, count: size), count: size)
    isFixed = rows
    drawPatterns(Self.versions[index].alignment, version: index + 1)
    drawData(Self.codewords(bytes, index))
  }

  // MARK: Data

  private static func codewords(_ bytes: [UInt8], _ index: Int) -> [UInt8] {
    let (blocks, correction, _) = versions[index]
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for place in (0..<count).reversed() { bits.append(value >> place & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, index < 9 ? 8 : 16)
    for byte in bytes { append(Int(byte), 8) }
    append(0, 4)
    let count = blocks.reduce(0, +)
    var data = stride(from: 0, to: bits.count - 7, by: 8).map { start in
      bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    for place in 0..<(count - data.count) { data.append(place % 2 == 0 ? 0xEC : 0x11) }
    var parts: [ArraySlice<UInt8>] = []
    for length in blocks {
      parts.append(data.prefix(length))
      data.removeFirst(length)
    }
    let checks = parts.map { remainder(of: $0, correction) }
    // Blocks are interleaved, so that a stain damages a little of each.
    return (0..<(blocks.max() ?? 0)).flatMap { place in
      parts.compactMap { $0.dropFirst(place).first }
    } + (0..<correction).flatMap { place in checks.map { $0[place] } }
  }

  /// Reed-Solomon correction of a block: the remainder by the polynomial with the first powers of 2 as roots.
  private static func remainder(of block: ArraySlice<UInt8>, _ count: Int) -> [UInt8] {
    var divisor = [UInt8](repeating: 0, count: count - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      for place in 0..<count {
        divisor[place] =
          product(divisor[place], root) ^ (place + 1 < count ? divisor[place + 1] : 0)
      }
      root = product(root, 2)
    }
    return block.reduce(into: [UInt8](repeating: 0, count: count)) { rest, byte in
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for place in 0..<count { rest[place] ^= product(divisor[place], factor) }
    }
  }

  /// The product in the field of 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    (0..<8).reversed().reduce(UInt8(0)) { sum, place in
      sum << 1 ^ (sum >> 7) &* 0x1D ^ (other >> place & 1) &* one
    }
  }

  // MARK: Drawing

  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard rows.indices.contains(row), rows.indices.contains(column) else { return }
    rows[row][column] = isDark
    isFixed[row][column] = true
  }

  /// Draws finder, timing and alignment patterns.
  private mutating func drawPatterns(_ alignment: [Int], version: Int) {
    let size = rows.count
    for place in 0..<size {
      set(6, place, place % 2 == 0)
      set(place, 6, place % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
      for (down, right) in Self.square(4) {
        let ring = max(abs(down), abs(right))
        set(row + down, column + right, ring != 2 && ring != 4)
      }
    }
    let corners = [[6, 6], [6, size - 7], [size - 7, 6]]
    for row in alignment {
      for column in alignment where !corners.contains([row, column]) {
        for (down, right) in Self.square(2) {
          set(row + down, column + right, max(abs(down), abs(right)) != 1)
        }
      }
    }
    // Correction M and mask 0 are format 0 with check bits 0, so that only the common XOR mask is left.
    for place in 0..<15 {
      let isDark = 0x5412 >> place & 1 == 1
      set(place < 6 ? place : place < 8 ? place + 1 : size - 15 + place, 8, isDark)
      set(8, place < 8 ? size - 1 - place : place == 8 ? 7 : 14 - place, isDark)
    }
    set(size - 8, 8, true)
    guard version >= 7 else { return }
    let check = (0..<12).reduce(version) { rest, _ in rest << 1 ^ (rest >> 11) * 0x1F25 }
    for place in 0..<18 {
      let isDark = (version << 12 | check) >> place & 1 == 1
      set(size - 11 + place % 3, place / 3, isDark)
      set(place / 3, size - 11 + place % 3, isDark)
    }
  }

  private static func square(_ reach: Int) -> [(Int, Int)] {
    (-reach...reach).flatMap { down in (-reach...reach).map { (down, $0) } }
  }

  /// Fills columns in pairs from the right, up and down, under mask 0; readers accept any mask.
  private mutating func drawData(_ codewords: [UInt8]) {
    let size = rows.count
    var bit = 0
    // Column 6 holds only the timing pattern.
    let pairs = stride(from: size - 1, to: 0, by: -2).map { $0 > 6 ? $0 : $0 - 1 }
    for (pair, right) in pairs.enumerated() where right > 0 {
      for step in 0..<size {
        let row = pair % 2 == 0 ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row][column] {
          let isDark = bit < 8 * codewords.count && codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
          rows[row][column] = isDark != ((row + column) % 2 == 0)
          bit += 1
        }
      }
    }
  }

  /// The code for pages: size with its quiet zone, and dark modules as an SVG path.
  var json: EventValue {
    let quiet = 4
    let path = rows.enumerated().flatMap { row, modules in
      modules.indices.filter { modules[$0] }.map { "M\($0 + quiet) \(row + quiet)h1v1h-1z" }
    }
    return .object([
      "size": .integer(Int64(rows.count + 2 * quiet)), "path": .text(path.joined()),
    ])
  }
}

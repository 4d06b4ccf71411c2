/// What people read: a title and blocks, before it is known in which format.
struct Page: Sendable {
  /// The title.
  var title: String
  /// The blocks, in order.
  var blocks: [Block]

  /// The figures on the page.
  var figures: [Figure] {
    blocks.compactMap { if case .figure(let figure) = $0 { figure } else { nil } }
  }
}

// Samples and intervals are part of every result of this module, so that they come with it.
@_exported public import Statistics

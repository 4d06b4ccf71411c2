public import ArgumentParser
public import Validation

// Names that the command shares with the library.

extension EliminationModel: ExpressibleByArgument {}
extension Censoring: ExpressibleByArgument {}
extension Loss: ExpressibleByArgument {}
extension StartDesign.Sequence: ExpressibleByArgument {}

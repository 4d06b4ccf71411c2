public import AlcoholKinetics
public import ArgumentParser
public import Estimation

// Names that the command shares with the library.

extension ConcentrationUnit: ExpressibleByArgument {}
extension Sex: ExpressibleByArgument {}
extension EliminationModel: ExpressibleByArgument {}
extension Censoring: ExpressibleByArgument {}
extension Loss: ExpressibleByArgument {}
extension StandardErrors: ExpressibleByArgument {}
extension StartDesign.Sequence: ExpressibleByArgument {}

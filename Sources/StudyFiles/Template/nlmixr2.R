# {{mark}}. {{model}}, first-order absorption; time in h, AMT in g,
# DV in {{unit}}.
{{names of script}}library(nlmixr2)

events <- read.csv("{{table}}", na.strings = ".")
names(events)[names(events) == "{{unit}}"] <- "DV"
events$DUR <- NULL # RATE says it

population <- function() {
  ini({
{{initials}}
  })
  model({
{{individual}}
    v <- r * WT
    conc <- body / v
    d/dt(gut) <- -ka * gut
    d/dt(body) <- ka * gut - {{elimination in r}}
    ipred <- body / v / {{factor}}
    ipred ~ {{error in r}}
  })
}

fit <- nlmixr2(population, events, est = "focei")
print(fit)

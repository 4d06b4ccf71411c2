# {{mark}}. Widmark's model, first-order absorption; time in h, AMT in g,
# DV in {{unit}}.
{{names of script}}library(nlmixr2)

events <- read.csv("{{table}}", na.strings = ".")
names(events)[names(events) == "{{unit}}"] <- "DV"
events$DUR <- NULL # RATE says it

widmark <- function() {
  ini({
    lka <- log(6)
    lbeta <- log(0.15)
    lr <- log(0.7)
    eta.ka ~ 0.1
    eta.beta ~ 0.1
    eta.r ~ 0.01
    sd <- {{sd}}
  })
  model({
    ka <- exp(lka + eta.ka)
    beta <- exp(lbeta + eta.beta)
    r <- exp(lr + eta.r)
    v <- r * WT
    conc <- body / v
    d/dt(gut) <- -ka * gut
    d/dt(body) <- ka * gut - beta * v * conc / (conc + 0.001)
    ipred <- body / v / {{factor}}
    ipred ~ add(sd)
  })
}

fit <- nlmixr2(widmark, events, est = "focei")
print(fit)

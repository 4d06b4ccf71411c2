# Fits theophylline with nlme (Pinheiro & Bates 2000) and tells its residuals about people's own curves, which are
# IWRES, and people's random effects, as moments and sums of them times cosines: rows of people may not be
# committed.
#
#   Rscript Tests/Tools/population_nlme.R [--check] [DATA]

library(nlme)

arguments <- commandArgs(trailingOnly = TRUE)
is_check <- "--check" %in% arguments
data <- setdiff(arguments, "--check")
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
root <- file.path(dirname(script), "..", "..")
if (length(data) == 0) data <- file.path(root, "..", "shared", "data")
output <- file.path(root, "Tests", "Expectations", "population-nlme.csv")

rows <- read.csv(file.path(data, "population", "theophylline.csv"), na.strings = c(".", "NA"))
doses <- rows[rows$EVID != 0, ]
readings <- rows[rows$EVID == 0, ]
readings$Dose <- doses$AMT[match(readings$ID, doses$ID)] / readings$WT
readings$ID <- factor(readings$ID, levels = unique(readings$ID))
readings <- groupedData(DV ~ TIME | ID, readings, order.groups = FALSE)

# First loosely, as nlme's steps fail from afar; then tolerances tighten as far as its steps still end.
fit <- nlme(
  DV ~ SSfol(Dose, TIME, lKe, lKa, lCl), readings,
  fixed = lKe + lKa + lCl ~ 1, random = pdDiag(lKe + lKa + lCl ~ 1),
  start = c(lKe = -2.4, lKa = 0.45, lCl = -3.2))
for (tolerance in 10^-(6:10)) {
  tighter <- try(update(
    fit, start = list(fixed = fixef(fit), random = as.matrix(ranef(fit))),
    control = nlmeControl(
      maxIter = 500, pnlsMaxIter = 100, msMaxIter = 500, tolerance = 100 * tolerance,
      pnlsTol = tolerance, msTol = 1e-10)), silent = TRUE)
  if (inherits(tighter, "try-error")) break
  fit <- tighter
}

described <- function(quantity, values) {
  sums <- sapply(1:5, function(k) sum(values * cos(k * seq_along(values))))
  data.frame(
    quantity = quantity,
    statistic = c("count", "mean", "variance", paste0("cosine_", 1:5)),
    value = c(length(values), mean(values), var(values), sums))
}
value <- function(name, number) {
  data.frame(quantity = "value", statistic = name, value = number)
}
effects <- ranef(fit)
spread <- as.numeric(VarCorr(fit)[, "Variance"])
table <- rbind(
  value("lKe", fixef(fit)[["lKe"]]), value("lKa", fixef(fit)[["lKa"]]),
  value("lCl", fixef(fit)[["lCl"]]), value("var_lKe", spread[1]), value("var_lKa", spread[2]),
  value("var_lCl", spread[3]), value("sigma", fit$sigma),
  described("iwres", as.numeric(residuals(fit, level = 1)) / fit$sigma),
  described("population", as.numeric(fitted(fit, level = 0))),
  described("individual", as.numeric(fitted(fit, level = 1))),
  described("eta_ka", effects[["lKa"]]), described("eta_cl", effects[["lCl"]]))

if (is_check) {
  kept <- read.csv(output)
  stopifnot(identical(kept$quantity, table$quantity), identical(kept$statistic, table$statistic))
  off <- abs(kept$value - table$value) > 1e-4 * pmax(1, abs(kept$value))
  if (any(off)) {
    print(cbind(kept, computed = table$value)[off, ])
    quit(status = 1)
  }
  cat("population-nlme.csv checked\n")
} else {
  table$value <- sprintf("%.15g", table$value)
  write.csv(table, output, row.names = FALSE, quote = FALSE)
}

# Fits k_a, beta and r of everybody in a folder by nls of R, from CSV to CSV, as peer.py does by packages of Python.
#
#   Rscript nls.R FOLDER FITS.csv [precisely]
#
# It stops where the offset is 1e-5, as usual; precisely, at 1e-8 by central differences. Where nls gives up, the row has
# no estimates: 4 and 11 of 100 simulated people.

arguments <- commandArgs(TRUE)
folder <- arguments[1]
control <- if (length(arguments) > 2) nls.control(200, 1e-8, nDcentral = TRUE) else nls.control()

# Widmark's model: what was absorbed less beta t, reflected at zero.
curve <- function(lka, lbeta, lr, since, doses, times, shown) {
  absorbed <- as.vector(-expm1(-exp(lka) * since) %*% doses) / exp(lr)
  free <- absorbed - exp(lbeta) * times
  (free - pmin(0, cummin(free)))[shown]
}

began <- proc.time()
subjects <- read.csv(file.path(folder, "subjects.csv"))
read_groups <- function(name) {
  table <- read.csv(file.path(folder, name))
  split(table, factor(table$subject, subjects$subject))
}
drinks <- read_groups("drinks.csv")
readings <- read_groups("readings.csv")
fits <- matrix(NA_real_, nrow(subjects), 4)
for (i in seq_len(nrow(subjects))) {
  drink <- drinks[[i]]
  reading <- readings[[i]]
  zero <- reading$bac_g_per_kg == 0
  reading <- reading[!(zero & c(FALSE, head(zero, -1))), ]
  times <- sort(unique(c(drink$time_min, reading$time_min)))
  data <- list(
    y = reading$bac_g_per_kg, since = pmax(outer(times, drink$time_min, "-"), 0) / 60,
    doses = drink$ethanol_g / subjects$weight_kg[i], times = (times - times[1]) / 60,
    shown = match(reading$time_min, times))
  fit <- try(
    nls(
      y ~ curve(lka, lbeta, lr, since, doses, times, shown), data,
      start = list(lka = log(6), lbeta = log(0.15), lr = log(0.65)), control = control),
    silent = TRUE)
  if (!inherits(fit, "try-error")) fits[i, ] <- c(exp(coef(fit)), deviance(fit))
}
result <- data.frame(subjects$subject, fits)
names(result) <- c("subject", "ka_per_h", "beta_g_per_kg_h", "r", "rss")
for (name in names(result)[-1]) result[[name]] <- sprintf("%.17g", result[[name]])
write.csv(result, arguments[2], row.names = FALSE, quote = FALSE)
spent <- proc.time() - began
cat(sprintf(
  '{"seconds": %.3f, "evaluations": null, "versions": {"R": "%s"}}\n', spent[["user.self"]] + spent[["sys.self"]],
  getRversion()))

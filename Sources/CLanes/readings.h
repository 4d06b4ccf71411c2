// Values at coordinates, and sums over readings: see `CurveObjective`.

void OF_WIDTH(place_values)(
    const free_parameters *parameters, const double *coordinates, double *values, double *factors) {
  for (int place = 0; place < EIGHT; place += LANES) {
    for (int index = 0; index < parameters->count; index++) {
      number x = at(coordinates + index * EIGHT + place), value = x;
      if (parameters->are_logarithmic[index]) {
        number small, power = reduced(larger(least_exponent, x), &small);
        number between = x >= parameters->highest[index] ? parameters->upper[index] : power * small + power;
        value = x <= parameters->lowest[index] ? parameters->lower[index] : between;
      }
      put(values + parameters->slots[index] * EIGHT + place, value);
    }
    number gain = at(values + parameters->gain * EIGHT + place), first = at(coordinates + place);
    double *ka = values + parameters->ka * EIGHT + place;
    put(ka, first == first ? at(ka) : NAN);
    for (int index = 0; index < parameters->count; index++) {
      long slot = parameters->slots[index];
      number value = at(values + slot * EIGHT + place), factor = gain;
      if (parameters->are_logarithmic[index]) factor = gain * value;
      // Every dose is divided by r.
      if (slot == parameters->r) factor = -gain;
      if (slot == parameters->gain) factor = 1;
      put(factors + index * EIGHT + place, factor);
    }
  }
}

/// The residual of a reading, and its slope by the prediction.
INLINE number residual(const reading_task *task, int reading, int place, number prediction, number *slope) {
  if (task->terms) {
    const double *terms = task->terms + (2 * reading) * EIGHT + place;
    *slope = at(terms + EIGHT);
    return at(terms);
  }
  *slope = task->precisions[reading];
  if (!task->lane_levels) return (prediction - task->levels[reading]) * *slope;
  // On one side alone, a reading below its limit says nothing of a prediction that is, too.
  number plain = (prediction - at(task->lane_levels + reading * EIGHT + place)) * *slope;
  mask counts = (plain > 0) | is_yes(task->are_quantified + reading * EIGHT + place);
  *slope = counts ? *slope : 0;
  return counts ? plain : 0;
}

/// As many free parameters as a model can have.
#define MOST 8
/// Does something for a number of parameters that the compiler knows, so that sums stay in registers.
#define BY_COUNT(action, count) \
  switch (count) { ONE(1, action) ONE(2, action) ONE(3, action) ONE(4, action) ONE(5, action) ONE(6, action) \
    ONE(7, action) ONE(8, action) }
#define ONE(number, action) case number: { enum { COUNT = number }; action; break; }

INLINE void add(const reading_task *task, double *sums, int place, const int count) {
  // First r^T r, then J^T r, then J^T J by rows.
  number total[1 + MOST + MOST * (MOST + 1) / 2] = {0}, factors[MOST], gain = at(task->gain + place);
  UNROLLED for (int index = 0; index < count; index++) factors[index] = at(task->factors + index * EIGHT + place);
  double *sample = task->samples + place;
  for (int reading = 0; reading < task->reading_count; reading++, sample += task->width * EIGHT) {
    number prediction = gain * at(sample), slope, r = residual(task, reading, place, prediction, &slope), row[MOST];
    put(sample + GAIN_COLUMN * EIGHT, prediction);
    total[0] += r * r;
    UNROLLED for (int i = 0, sum = 1 + count; i < count; i++) {
      row[i] = slope * (factors[i] * at(sample + task->columns[i] * EIGHT));
      total[1 + i] += row[i] * r;
      UNROLLED for (int j = 0; j <= i; j++) total[sum++] += row[i] * row[j];
    }
  }
  UNROLLED for (int index = 0; index < 1 + count + count * (count + 1) / 2; index++)
    put(sums + index * EIGHT + place, total[index]);
}

void OF_WIDTH(add_readings)(const reading_task *task, double *sums) {
  for (int place = 0; place < EIGHT; place += LANES) {
    number waits = at(task->waits + place);
    if (!is_any(waits == waits)) continue;
    BY_COUNT(add(task, sums, place, COUNT), task->count)
  }
}

/// Adds a multiple of one reading's samples to another multiple of those of a second.
INLINE void mix(
    const whitening_task *task, int place, int reading, double own, long other, double share) {
  double *row = task->samples + (long)reading * task->width * EIGHT + place;
  const double *second = task->samples + other * task->width * EIGHT + place;
  for (int index = 0; index < task->column_count; index++) {
    long column = task->columns[index] * EIGHT;
    put(row + column, own * at(row + column) + share * at(second + column));
  }
}

void OF_WIDTH(whiten_samples)(const whitening_task *task) {
  for (int place = 0; place < EIGHT; place += LANES) {
    number waits = at(task->waits + place);
    if (!is_any(waits == waits)) continue;
    // From the last reading, so that those before are not whitened yet.
    for (int reading = task->reading_count - 1; reading >= 0; reading--) {
      long other = task->predecessors[reading];
      if (other >= 0) mix(task, place, reading, task->own[reading], other, task->before[reading]);
      else mix(task, place, reading, task->own[reading], reading, 0);
    }
    for (int reading = 0; task->carries && reading < task->reading_count; reading++)
      if (task->predecessors[reading] >= 0)
        mix(task, place, reading, 1, task->predecessors[reading], task->carried[reading]);
  }
}

// The changes of the input that are ahead of LANES curves, each with a lag of its own.

typedef struct {
  const input_change *changes;
  int count, next[LANES];
  /// Whether all lanes have one lag, so that a change is due in all of them: most fits estimate none.
  bool are_together;
  /// When the next change of each lane is, on the clock of the regimen.
  number time;
} changes_ahead;

/// From a change on; 0 in lanes where nothing changes.
typedef struct {
  number bolus, blood_bolus, rate, blood_rate;
  /// To the next change, in h.
  number duration;
} changed_input;

INLINE changes_ahead changes_of(const curve_task *task) {
  return (changes_ahead){.changes = task->changes, .count = task->change_count, .time = task->changes[0].time};
}

/// A change in all lanes, as if it were the last.
INLINE changed_input all_lanes(const input_change *change) {
  return (changed_input){change->bolus, change->blood_bolus, change->rate, change->blood_rate, INFINITY};
}

/// Passes the next change of the lanes in which it is due.
INLINE changed_input pass_change(changes_ahead *ahead, mask due) {
  if (ahead->are_together) {
    const input_change *change = ahead->changes + ahead->next[0]++;
    ahead->time = (number){0} + (ahead->next[0] < ahead->count ? change[1].time : INFINITY);
    return all_lanes(change);
  }
  changed_input input = {0};
  for (int lane = 0; lane < LANES; lane++) {
    if (!due[lane]) continue;
    const input_change *change = ahead->changes + ahead->next[lane]++;
    ahead->time[lane] = ahead->next[lane] < ahead->count ? change[1].time : INFINITY;
    input.bolus[lane] = change->bolus;
    input.blood_bolus[lane] = change->blood_bolus;
    input.rate[lane] = change->rate;
    input.blood_rate[lane] = change->blood_rate;
    input.duration[lane] = ahead->time[lane] - change->time;
  }
  return input;
}

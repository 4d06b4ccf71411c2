#define LANES 2
#include "lanes.h"

#include <stdatomic.h>

static _Atomic int most = EIGHT;

void use_at_most(int widest) { most = widest; }

#if defined(__x86_64__)
int lanes_at_once(void) {
  int widest = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 8
               : __builtin_cpu_supports("avx2")                                         ? 4
                                                                                        : 2;
  return widest < most ? widest : most;
}

#define BY_WIDTH(name, width) ((width) == 8 ? name##_eight : (width) == 4 ? name##_four : name##_two)
#else
int lanes_at_once(void) { return 2; }

#define BY_WIDTH(name, width) ((void)(width), name##_two)
#endif

void follow_widmark(const curve_task *task) { BY_WIDTH(follow_widmark, lanes_at_once())(task); }

void follow_first_order(const curve_task *task) { BY_WIDTH(follow_first_order, lanes_at_once())(task); }

void fall_widmark(const fall_task *task) { BY_WIDTH(fall_widmark, lanes_at_once())(task); }

void place_values(const free_parameters *parameters, const double *coordinates, double *values, double *factors) {
  BY_WIDTH(place_values, lanes_at_once())(parameters, coordinates, values, factors);
}

void add_readings(const reading_task *task, double *sums) { BY_WIDTH(add_readings, lanes_at_once())(task, sums); }

void whiten_samples(const whitening_task *task) { BY_WIDTH(whiten_samples, lanes_at_once())(task); }

void measure_intervals(const interval_task *task) { BY_WIDTH(measure_intervals, lanes_at_once())(task); }

unsigned take_steps(lane_descents *descents) { return BY_WIDTH(take_steps, lanes_at_once())(descents); }

void follow_saturable(const curve_task *task) {
  int places[EIGHT], count = 0, widest = lanes_at_once();
  for (int lane = 0; lane < EIGHT; lane++)
    if (task->ka[lane] == task->ka[lane]) places[count++] = lane;
  for (int done = 0, next; done < count; done += next) {
    int left = count - done;
    // Narrow walks are quicker, and take as many steps as the slowest of few.
    next = widest == 8 && left > 4 ? 8 : widest >= 4 && left > 2 ? 4 : 2;
    BY_WIDTH(follow_saturable, next)(task, places + done, left < next ? left : next);
  }
}

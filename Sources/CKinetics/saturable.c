#define LANES 2
#include "constants.h"

#define FOLLOW follow_two
#include "saturable_walk.h"

#if defined(__x86_64__)
/// How many numbers the machine computes with at once.
static int width(void) {
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return 8;
  return __builtin_cpu_supports("avx2") ? 4 : 2;
}

static walk_of_some *walk_by(int lanes) { return lanes == 8 ? follow_eight : lanes == 4 ? follow_four : follow_two; }
#else
static int width(void) { return 2; }

static walk_of_some *walk_by(int lanes) { return follow_two; }
#endif

void follow_saturable(const curve_task *task, int widest) {
  int places[EIGHT], count = 0;
  for (int lane = 0; lane < EIGHT; lane++)
    if (task->ka[lane] == task->ka[lane]) places[count++] = lane;
  if (width() < widest) widest = width();
  for (int done = 0, next; done < count; done += next) {
    int left = count - done;
    // Narrow walks are quicker, and take as many steps as the slowest of few.
    next = widest == 8 && left > 4 ? 8 : widest >= 4 && left > 2 ? 4 : 2;
    walk_by(next)(task, places + done, left < next ? left : next);
  }
}

#define LANES 2
#include "constants.h"

#define FOLLOW follow_two
#include "saturable_walk.h"

/// How many numbers the machine computes with at once.
static int width(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return 8;
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 2;
}

void follow_saturable(const curve_task *task, int widest) {
  int places[EIGHT], count = 0, done = 0;
  for (int lane = 0; lane < EIGHT; lane++)
    if (task->ka[lane] == task->ka[lane]) places[count++] = lane;
  if (width() < widest) widest = width();
  while (done < count) {
    int left = count - done, next = 2;
#if defined(__x86_64__)
    // Narrow walks are quicker, and take as many steps as the slower of few.
    if (left > 4 && widest == 8) next = 8;
    else if (left > 2 && widest >= 4) next = 4;
    if (next == 8) follow_eight(task, places + done, left);
    if (next == 4) follow_four(task, places + done, left < 4 ? left : 4);
#endif
    if (next == 2) follow_two(task, places + done, left < 2 ? left : 2);
    done += next;
  }
}

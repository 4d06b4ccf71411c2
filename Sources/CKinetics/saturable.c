#include "constants.h"

#define FOLLOW follow_by_two
#include "saturable_walk.h"

saturable_walk *saturable_walk_by(int width) {
  switch (width) {
#if defined(__x86_64__)
  case 8: return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? follow_by_eight : NULL;
  case 4: return __builtin_cpu_supports("avx2") ? follow_by_four : NULL;
#endif
  case 2: return follow_by_two;
  default: return NULL;
  }
}

void follow_saturable(
    const curve_task *task, const double *ka, const double *vmax, const double *km, const double *r, const double *lag) {
  saturable_walk *widest = saturable_walk_by(8) ?: saturable_walk_by(4) ?: saturable_walk_by(2);
  widest(task, ka, vmax, km, r, lag);
}

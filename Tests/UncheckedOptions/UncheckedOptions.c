// What the linker puts in the place of the parser's check of declarations: see Package.swift.
void uncheckedOptions(void) __asm__(
    "__wrap_$s14ArgumentParser17ParsableArgumentsPAAE9_validate6parentyAA8InputKeyVSg_tKFZ");

void uncheckedOptions(void) {}

// What a terminal is told around a live status.

/** Alternate screen, so that the scroll-back stays as it was; no cursor while it is on. */
export const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l';
export const LEAVE_SCREEN = '\u001b[?25h\u001b[?1049l';

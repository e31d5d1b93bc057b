// The live status on a terminal: redrawn in place, twice a second, and gone when it ends.

import { redacted } from '../domain/redact.ts';
import type { Timers } from '../domain/time.ts';
import type { LastEvents } from './last-events.ts';
import { type Paint, PLAIN } from './paint.ts';
import { riskLines } from './risk-lines.ts';
import type { ScreenTitle } from './screen-title.ts';
import type { ShownState } from './state-schema.ts';

import { feedLines, headLines, marketLines, reasonLines } from './status-lines.ts';
import { ENTER_SCREEN, LEAVE_SCREEN } from './terminal-codes.ts';

import { clip, paintedOnly } from './text.ts';

/** The part of a terminal that the screen uses; `process.stdout` is one. */
export type Terminal = {
  write(text: string): boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly writableNeedDrain?: boolean;
};

export type ScreenOptions = {
  readonly terminal: Terminal;
  readonly timers: Timers;
  readonly paint?: Paint;
  /** One line on top. */
  readonly title: ScreenTitle;
  readonly state: () => ShownState;
  readonly events: LastEvents;
};

export type Screen = {
  /** Restores the terminal; a second call does nothing. */
  close(): void;
};

const REDRAW_MS = 500;
const WIDTH_DEFAULT = 80;
const HEIGHT_DEFAULT = 24;

/** Terminals that know it show a frame at once; the others ignore it. */
const FRAME_BEGIN = '\u001b[?2026h\u001b[H';
const FRAME_END = '\u001b[J\u001b[?2026l';
const LINE_END = '\u001b[K';

export function openScreen(options: ScreenOptions): Screen {
  let isOpen = true;
  let callOff = () => {};
  options.terminal.write(ENTER_SCREEN);
  const redraw = () => {
    if (!isOpen) return;
    draw(options);
    callOff = options.timers.after(REDRAW_MS, redraw);
  };
  redraw();
  return {
    close() {
      if (!isOpen) return;
      isOpen = false;
      callOff();
      options.terminal.write(LEAVE_SCREEN);
    },
  };
}

/** A terminal that does not keep up skips frames; nothing queues for it. */
function draw(options: ScreenOptions): void {
  if (options.terminal.writableNeedDrain) return;
  const width = options.terminal.columns ?? WIDTH_DEFAULT;
  const height = options.terminal.rows ?? HEIGHT_DEFAULT;
  const lines = screenLines(options, { width, height });
  options.terminal.write(
    FRAME_BEGIN +
      lines.map((line) => paintedOnly(redacted(line)) + LINE_END).join('\r\n') +
      FRAME_END,
  );
}

/** The lines of one frame: never more than `height`, none wider than `width`. */
export function screenLines(
  of: Pick<ScreenOptions, 'title' | 'state' | 'events' | 'paint'>,
  size: { readonly width: number; readonly height: number },
): readonly string[] {
  const state = of.state();
  const paint = of.paint ?? PLAIN;
  const shown = { width: size.width, paint };
  const head = [
    paint.strong(clip(of.title(state.phase), size.width)),
    ...headLines(state, shown),
    '',
  ];
  const markets = shortened(marketLines(state.markets, shown), {
    room: marketRoom(size.height),
    what: 'markets',
    width: size.width,
  });
  const told = [
    ...riskLines(state, shown),
    ...feedLines(state, shown),
    ...reasonLines(state, shown),
  ];
  const reasons = shortened(told, {
    room: reasonRoom(size.height),
    what: 'reasons',
    width: size.width,
  });
  const body = [...head, ...markets, ...(reasons.length > 0 ? ['', ...reasons] : [])];
  const room = size.height - body.length - 2;
  const events = of.events.last(room).map((line) => paint.dim(clip(line, size.width)));
  return [...body, '', ...events].slice(0, size.height);
}

/** Markets take at most half of the screen, reasons a quarter; events get the rest. */
function marketRoom(height: number): number {
  return Math.max(3, Math.floor(height / 2));
}

function reasonRoom(height: number): number {
  return Math.max(1, Math.floor(height / 4) - 1);
}

function shortened(
  lines: readonly string[],
  { room, what, width }: { readonly room: number; readonly what: string; readonly width: number },
): readonly string[] {
  if (lines.length <= room) return lines;
  const more = `… and ${lines.length - room + 1} more ${what}`;
  return [...lines.slice(0, room - 1), clip(more, width)];
}

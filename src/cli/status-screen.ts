// The live status on a terminal: redrawn in place, twice a second, and gone when it ends.

import { redacted } from '../domain/redact.ts';
import type { Timers } from '../domain/time.ts';
import { feedLines } from './feed-lines.ts';
import type { LastEvents } from './last-events.ts';
import { type Paint, PLAIN } from './paint.ts';
import { riskLines } from './risk-lines.ts';
import { KEY_HELP, type ScreenKeys } from './screen-keys.ts';
import type { ScreenTitle } from './screen-title.ts';
import type { ShownState } from './state-schema.ts';
import {
  headLines,
  marketLines,
  oneMarketLines,
  reasonLines,
  type Shown,
  selectedLines,
} from './status-lines.ts';
import { ENTER_SCREEN, LEAVE_SCREEN } from './terminal-codes.ts';
import { clip, harmless, paintedOnly, plainText } from './text.ts';

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
  /** The command that lifts a stop, as it is to be typed. */
  readonly resume?: string;
  /** Absent where nobody reads keys. */
  readonly keys?: Pick<ScreenKeys, 'chosen' | 'isHelp' | 'line'> | undefined;
};

export type Screen = {
  /** Draws anew at once, as after a key. */
  redraw(): void;
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
    redraw() {
      callOff();
      redraw();
    },
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
  of: Pick<ScreenOptions, 'title' | 'state' | 'events' | 'paint' | 'keys' | 'resume'>,
  size: { readonly width: number; readonly height: number },
): readonly string[] {
  const state = of.state();
  const paint = of.paint ?? PLAIN;
  const resume = of.resume === undefined ? {} : { resume: of.resume };
  const shown = { width: size.width, paint, ...resume };
  const head = [
    paint.strong(clip(of.title(state.phase), size.width)),
    ...headLines(state, shown),
    '',
  ];
  const keyLines = of.keys === undefined ? [] : [keyLine(of.keys, shown)];
  const rows = of.keys?.isHelp === true ? KEY_HELP.map((line) => clip(line, size.width)) : [];
  const markets = of.keys
    ? chosenTable(state, of.keys.chosen, { ...shown, height: size.height })
    : shortened(marketLines(state.markets, shown), {
        room: marketRoom(size.height),
        what: 'markets',
        width: size.width,
      });
  const told = toldLines(state, of.keys?.chosen, shown);
  const reasons = shortened(told, {
    room: reasonRoom(size.height),
    what: 'reasons',
    width: size.width,
  });
  const body = [...head, ...(rows.length > 0 ? rows : markets), ...parted(reasons)];
  const room = size.height - body.length - 2 - keyLines.length;
  const events = of.events.last(room).map((line) => paint.dim(clip(line, size.width)));
  const lines = [...body, '', ...events].slice(0, size.height - keyLines.length);
  return [...lines, ...keyLines].slice(-size.height);
}

function parted(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? ['', ...lines] : [];
}

/** What stands in the way of quotes; of one market alone where it is chosen. */
function toldLines(state: ShownState, chosen: string | undefined, shown: Shown): readonly string[] {
  const market = state.markets.find(({ marketId }) => marketId === chosen);
  if (market !== undefined) {
    const only = { atMs: state.atMs, markets: [market] };
    return [...oneMarketLines(market, shown), ...reasonLines(only, shown)];
  }
  return [
    ...riskLines(state, shown),
    ...selectedLines(state, shown),
    ...feedLines(state, shown),
    ...reasonLines(state, shown),
  ];
}

type TableShown = Shown & { readonly height: number };

/** The table, cut to its room around the market that is chosen. */
function chosenTable(
  { markets }: ShownState,
  chosen: string | undefined,
  { height, ...shown }: TableShown,
): readonly string[] {
  const lines = marketLines(markets, { ...shown, width: Math.max(0, shown.width - MARK.length) });
  const room = marketRoom(height);
  const at = markets.findIndex(({ marketId }) => marketId === chosen);
  const marked = lines.map((line, row) =>
    row === at + 1 && at >= 0 ? mark(line, shown) : `${UNMARKED.slice(0, shown.width)}${line}`,
  );
  const width = shown.width;
  if (at < 0 || lines.length <= room) return shortened(marked, { room, what: 'markets', width });
  // One line is the titles, one says where we are.
  const count = Math.max(1, room - 2);
  const from = Math.max(0, Math.min(at - Math.floor(count / 2), markets.length - count));
  const where = `… markets ${from + 1} to ${from + count} of ${markets.length}`;
  return [...marked.slice(0, 1), ...marked.slice(from + 1, from + 1 + count), clip(where, width)];
}

const MARK = '▸ ';
const UNMARKED = ' '.repeat(MARK.length);

/** The row that is chosen: seen without colours, too. */
function mark(line: string, { width, paint = PLAIN }: Shown): string {
  return paint.strong(clip(`${MARK}${plainText(line)}`, width));
}

function keyLine({ line }: Pick<ScreenKeys, 'line'>, { width, paint = PLAIN }: Shown): string {
  const text = clip(harmless(line.text), width);
  return line.isQuestion ? paint.bad(text) : paint.dim(text);
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

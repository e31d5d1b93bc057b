// Trading in this process: the whole daemon, with a guard above it or alone.

import type { DaemonOptions } from '../app/compose.ts';
import { onDryJournal } from '../app/dry-journal.ts';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { type Begun, type Guarded, type GuardLink, openGuardLink } from '../app/guard-link.ts';
import { beginNext } from '../app/next-run.ts';
import {
  embeddedCredentials,
  type PaperFacts,
  paperAdjustment,
  readPaperFacts,
} from '../app/paper.ts';
import { openMarks } from '../app/strategy-marks.ts';
import { systemClock } from '../clock/system.ts';
import type { HttpPlace } from '../guard/protocol.ts';
import { holding, readHeld } from '../settings/held.ts';
import { SettingsError } from '../settings/problems.ts';
import { Session } from './daemon-session.ts';
import { takeEarlyWords } from './early-words.ts';
import type { CliIo } from './io.ts';
import { type Keys, openKeys } from './keys.ts';
import { type Configured, configured, credentialsOf } from './options.ts';
import type { ServedAlone } from './serve-alone.ts';
import { isScreenWanted, type SessionOptions } from './session-options.ts';

type OnKey = (press: (key: string) => void) => void;
type Above = { readonly link: GuardLink; readonly begun: Begun };

/** Trades alone: nobody cancels when this process dies. */
export async function tradeAlone(
  io: CliIo,
  options: SessionOptions,
  server: ServedAlone,
): Promise<ExitCode> {
  return await trade(io, options, server);
}

/** Trades below a guard, which has started this process. */
export async function tradeGuarded(
  io: CliIo,
  options: SessionOptions,
): Promise<ExitCode | undefined> {
  const link = openGuardLink(takeEarlyWords());
  if (link === undefined) return undefined;
  // A guard that ends before it has said anything, as by an early Ctrl-C, has told people so itself.
  const begun = await link.begun.catch(() => undefined);
  return begun === undefined ? EXIT.done : await trade(io, options, undefined, { link, begun });
}

async function trade(
  io: CliIo,
  options: SessionOptions,
  server: ServedAlone | undefined,
  above?: Above,
): Promise<ExitCode> {
  const given = { ...(await givenTo(io, options, above)), marks: above && openMarks(io.env) };
  const { guard } = given.settings;
  above?.link.beat(guard.heartbeatMs);
  const guarded = above?.link.guarded(above.begun, guard.handoverQuietMs);
  guarded?.config(given.text);
  const session = new Session(io, given.settings, { ...options, clock: systemClock() });
  above?.link.onLine((line) => session.write(line));
  const paper = readPaperFacts(above?.begun.extra);
  const { hasTraded = false, run = 1 } = above?.begun.facts ?? {};
  // An operator has looked at what was damaged before the first run, and at nothing since.
  const acceptsLoss = options.acceptLoss === true && run === 1;
  server?.sayTo(session.log);
  const http = above?.begun.http ?? { path: server?.path ?? '', isPortFree: false };
  const { keys, onKey } = keysOf(io, options, above, session);
  const trading = { session, given, guarded, above, http, acceptsLoss, onKey };
  try {
    return paper
      ? await tradeOnPaper(trading, { paper, isVenueNew: !hasTraded })
      : await tradeForReal(io, trading);
  } finally {
    keys?.close();
    server?.close();
    await session.close();
  }
}

/** A guard reads the keys and passes them on; without one it is done here. */
function keysOf(
  io: CliIo,
  options: SessionOptions,
  above: Above | undefined,
  { clock }: Session,
): { readonly keys: Keys | undefined; readonly onKey: OnKey | undefined } {
  if (above !== undefined) {
    const onKey = options.keys === true ? above.link.onKey.bind(above.link) : undefined;
    return { keys: undefined, onKey };
  }
  let press = (_key: string): void => undefined;
  const keys = isScreenWanted(io, options)
    ? openKeys({ timers: clock.background, press: (key) => press(key) })
    : undefined;
  const onKey: OnKey = (to) => {
    press = to;
  };
  return { keys, onKey: keys === undefined ? undefined : onKey };
}

/**
 * What takes effect at a start is as the guard above has it. The first run has the rest from the file, and
 * each later one from the run before it.
 */
async function givenTo(
  io: CliIo,
  { config }: SessionOptions,
  above: Above | undefined,
): Promise<Given> {
  if (above === undefined) return quotable(await configured(io, config), config);
  const held = readHeld(above.begun.settings);
  const { config: before } = above.begun.facts;
  if (before !== undefined) return await beginNext({ file: config, env: io.env }, before, held);
  const read = quotable(await configured(io, config), config);
  return { ...read, ...holding(read.settings, held) };
}

/** @throws {SettingsError} When there is nothing to quote: a start that waits for nothing would be a mistake. */
function quotable(read: Configured, file: string): Configured {
  if (read.settings.markets.length > 0) return read;
  const message = 'names at least one market to quote; it is empty (see `bookend markets`)';
  throw new SettingsError({ file, problems: [{ path: 'markets', line: undefined, message }] });
}

type Given = Configured & Pick<DaemonOptions, 'applied' | 'marks' | 'waits'>;

type Trading = {
  readonly session: Session;
  readonly given: Given;
  readonly guarded: Guarded | undefined;
  readonly above: Above | undefined;
  /** Where the process that serves HTTP listens for its trader. */
  readonly http: HttpPlace;
  readonly acceptsLoss: boolean;
  readonly onKey: OnKey | undefined;
};

async function tradeForReal(
  io: CliIo,
  { session, given, guarded, above, http, acceptsLoss, onKey }: Trading,
): Promise<ExitCode> {
  return await session.run(`bookend run · ${given.settings.venue.baseUrl}`, {
    ...given,
    credentials: credentialsOf(io),
    guarded,
    http,
    acceptsLoss,
    onKey,
    onGuardGone: above?.link.onGone.bind(above.link),
  });
}

async function tradeOnPaper(
  { session, given, guarded, above, http, acceptsLoss, onKey }: Trading,
  { paper, isVenueNew }: { readonly paper: PaperFacts; readonly isVenueNew: boolean },
): Promise<ExitCode> {
  const onVenue = paperAdjustment(paper);
  // The guard has told its journal; that of the file is the live one.
  const isDry = paper.dryRunOf !== undefined;
  const adjust: typeof onVenue = isDry ? (read) => onDryJournal(onVenue(read)) : onVenue;
  const { crowd } = given.settings.paper;
  const others = paper.isRecorded ? 'a recorded book' : `a synthetic crowd (${crowd})`;
  const title =
    paper.dryRunOf === undefined
      ? `bookend paper · play money against ${others} · ${paper.baseUrl}`
      : `bookend dry run · orders are simulated, books are real · ${paper.dryRunOf}`;
  return await session.run(title, {
    ...given,
    settings: onVenue(given.settings),
    credentials: embeddedCredentials(paper),
    adjust,
    isVenueNew,
    takesPlay: true,
    dryRunOf: paper.dryRunOf,
    endsWithGuard: true,
    guarded,
    http,
    acceptsLoss,
    onKey,
    onGuardGone: above?.link.onGone.bind(above.link),
  });
}

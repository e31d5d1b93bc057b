// Opens the ledger of the journal and says what a previous run left there.

import { dirname } from 'node:path';
import { BotError } from '../domain/errors.ts';
import type { LedgerRecord, PersistedState } from '../domain/record.ts';
import { isLatchOfCut } from '../domain/risk.ts';
import type { Clock, UnixMs } from '../domain/time.ts';
import { isOpenToOthers } from '../journal/files.ts';
import {
  inLostLedger,
  type Stops,
  stopRecords,
  stricterStops,
} from '../journal/ledger/kept-stops.ts';
import { type Ledger, openLedger } from '../journal/ledger/ledger.ts';
import type { Log } from '../telemetry/logs.ts';
import type { Closing } from './closing.ts';
import { recordErrands } from './errands.ts';
import { BEHIND_MS_MAX } from './journal-writer.ts';
import { forgetAccount } from './paper-account.ts';
import { latchAfterCut } from './power-cut.ts';

export type Recovered = { readonly ledger: Ledger; readonly persisted: PersistedState };

export type TakeUpOptions = {
  readonly settings: {
    readonly journal: {
      readonly path: string;
      readonly keepDays: number;
      readonly ledgerMbMax: number;
    };
    readonly venue: { readonly baseUrl: string };
    readonly timing: { readonly positionLagMs: number };
    readonly orders: { readonly scope: 'account' | 'own' };
  };
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** The venue began with this run: what is kept of it is of one that is gone. */
  readonly isVenueNew?: boolean | undefined;
  /** Orders of this run are simulated; each trader after the first goes on with its ledger. */
  readonly takesPlay?: boolean | undefined;
  /** An operator has asked to go on with a journal that is damaged. */
  readonly acceptsLoss?: boolean | undefined;
};

/** The fact that tells which venue the records are about. */
export const VENUE_FACT = 'venue_base_url';
/** Whether that venue began with a run on paper. Its address does not say so: a real one may be behind a proxy here. */
const KIND_FACT = 'venue_kind';

/**
 * Takes up where a previous run ended. A ledger that speaks of another venue would be trusted about
 * orders and money that are not there, so it is refused rather than mixed or thrown away. A run on paper
 * begins its own anew, and would forget that of a real venue, whose configuration it was given.
 *
 * @throws {BotError} `journal.write` when it cannot be used, `journal.venue` when it is another's,
 *   `journal.damaged` when it is not as it was left and nobody has accepted that.
 */
export async function takeUpLedger(
  {
    settings,
    clock,
    log,
    isVenueNew = false,
    takesPlay = isVenueNew,
    acceptsLoss = false,
  }: TakeUpOptions,
  closing: Closing,
): Promise<Recovered> {
  const { path, keepDays, ledgerMbMax } = settings.journal;
  const books = { days: keepDays, bytes: ledgerMbMax * 1_000_000 };
  const ledger = await openLedger({ path, clock, acceptsLoss, isVenueNew, books });
  closing.add('ledger', () => ledger.close());
  if (await isOpenToOthers(path)) {
    log.warn('journal.folder_open', {
      folder: dirname(path),
      closes: `chmod 700 ${dirname(path)}`,
    });
  }
  if (isVenueNew) forgetPlay(ledger, path, settings.venue.baseUrl);
  checkVenue(ledger, settings.venue.baseUrl, { path, takesPlay });
  if (!takesPlay) await forgetAccount(settings);
  if (ledger.fact(KIND_FACT) === undefined) {
    ledger.setFact(KIND_FACT, isVenueNew ? 'paper' : 'real');
  }
  holdBack(ledger, { log, acceptsLoss, nowMs: clock.nowMs() });
  if (!isVenueNew) holdAfterCut(ledger, { log, clock, settings });
  await recordErrands(ledger, path, log);
  const persisted = ledger.load();
  const { orders, flows, halt } = persisted;
  log.info('ledger.opened', {
    path,
    ordersNotEnded: orders.length,
    markets: flows.length,
    halted: halt?.limit,
  });
  return { ledger, persisted };
}

type HoldBack = Pick<TakeUpOptions, 'log'> & {
  readonly acceptsLoss: boolean;
  readonly nowMs: UnixMs;
};

/** Ledger and the file beside it together: the stricter of both holds, and who has lost something is halted. */
function holdBack(ledger: Ledger, { log, acceptsLoss, nowMs }: HoldBack): void {
  const { hasFlows, ...inLedger } = ledger.loadStops();
  const kept = keptStopsOf(ledger, acceptsLoss);
  const loss = typeof kept === 'string' ? kept : ledger.loss;
  const isGone = loss !== undefined && !hasFlows;
  const known = typeof kept === 'string' ? undefined : kept;
  const beside = known !== undefined && isGone ? inLostLedger(known) : known;
  const both = beside === undefined ? inLedger : stricterStops(inLedger, beside);
  const stops = loss === undefined ? both : { ...both, halt: lossHalt(loss, both, nowMs) };
  if (loss !== undefined) log.error('journal.loss_accepted', { detail: loss, clears: RESUME });
  const isSame = JSON.stringify(stops) === JSON.stringify(known ?? NO_STOPS);
  const isKnown = JSON.stringify(stops) === JSON.stringify(inLedger);
  if (isSame && isKnown) return;
  if (JSON.stringify(both) !== JSON.stringify(inLedger)) {
    log.warn('stops.kept_beside', { ...both, clears: RESUME });
  }
  ledger.commit(stopRecords(stops));
}

/**
 * A power cut may have taken the last words of the run before: placements, and what they traded. Nothing adds to a
 * position until balances must show all of that. The word is on the disk before this run says anything of its own.
 */
function holdAfterCut(
  ledger: Ledger,
  { log, clock, settings }: Pick<TakeUpOptions, 'log' | 'clock' | 'settings'>,
): void {
  const { cutBeforeMs } = ledger;
  if (cutBeforeMs === undefined) return;
  const latch = latchAfterCut(clock.nowMs(), settings.timing.positionLagMs);
  const { latches } = ledger.loadStops();
  const others = latches.filter((each) => !isLatchOfCut(each));
  ledger.commit([{ kind: 'latches', latches: [...others, latch] }]);
  const means = `up to ${BEHIND_MS_MAX} ms of orders and fills are not in the ledger; nothing adds for now`;
  // Only the scope of the account writes ahead of the disk: this start is in another one, and cancels no lost order.
  const left = settings.orders.scope === 'own' ? { left: LOST_ARE_OTHERS } : {};
  const bootedAt = new Date(cutBeforeMs).toISOString();
  log.warn('ledger.power_cut', { bootedAt, means, ...left });
}

const LOST_ARE_OTHERS =
  'with orders.scope own these orders pass for those of others and rest: `bookend kill --account` ends them';
const RESUME = 'bookend resume';
const NO_STOPS: Stops = {
  halt: undefined,
  pause: undefined,
  latches: [],
  marketStops: [],
  baselines: undefined,
};

/** Or why they cannot be read, where that is accepted. */
function keptStopsOf(ledger: Ledger, acceptsLoss: boolean): Stops | string | undefined {
  try {
    return ledger.keptStops();
  } catch (error) {
    if (acceptsLoss && error instanceof BotError) return error.message;
    throw error;
  }
}

/** One halt is kept at a time: it says what else has halted. */
function lossHalt(loss: string, { halt }: Stops, sinceMs: UnixMs): Stops['halt'] {
  const before = halt === undefined ? '' : `; before that ${halt.limit}: ${halt.detail}`;
  return { limit: 'journal_loss', detail: `${loss}${before}`, sinceMs };
}

/**
 * Where an embedded venue listens, whose port may be another each time; or where it does now. It is all that an
 * earlier version told.
 */
const PLAY_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]'];

function forgetPlay(ledger: Ledger, path: string, baseUrl: string): void {
  const known = ledger.fact(VENUE_FACT);
  const isPlay = (host: string | undefined) =>
    host !== undefined && [...PLAY_HOSTS, hostOf(baseUrl)].includes(host);
  const isReal = ledger.fact(KIND_FACT) === 'real';
  if (known !== undefined && (isReal || !isPlay(hostOf(known)))) {
    const instead = 'a run on paper would forget it; give that one a journal.path of its own';
    throw new BotError('journal.venue', `${path} is about ${known}, and ${instead}`);
  }
  const { pause, marketStops } = ledger.loadStops();
  ledger.forget();
  // An operator's stop outlasts the venue, as a kill does: it is about what the next start does.
  const stops: LedgerRecord[] = [];
  if (pause !== undefined) stops.push({ kind: 'pause', pause });
  if (marketStops.length > 0) stops.push({ kind: 'marketStops', stops: marketStops });
  if (stops.length > 0) ledger.commit(stops);
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function checkVenue(
  ledger: Ledger,
  baseUrl: string,
  { path, takesPlay }: { readonly path: string; readonly takesPlay: boolean },
): void {
  const known = ledger.fact(VENUE_FACT);
  if (known === undefined) {
    ledger.setFact(VENUE_FACT, baseUrl);
    return;
  }
  // Simulated orders are no real ones, whatever the address: a proxy of a real venue may listen where play did.
  const isPlay = ledger.fact(KIND_FACT) === 'paper' && !takesPlay;
  if (known === baseUrl && !isPlay) return;
  const whose = isPlay ? 'simulated orders, of a dry run or a run on paper at ' : '';
  throw new BotError('journal.venue', `${path} is about ${whose}${known}, not ${baseUrl}`);
}

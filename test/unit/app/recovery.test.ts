import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Closing } from '../../../src/app/closing.ts';
import { takeUpLedger, VENUE_FACT } from '../../../src/app/recovery.ts';
import { marketId, tokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord } from '../../../src/domain/record.ts';
import { NO_SHARES } from '../../../src/domain/shares.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';

const EMBEDDED = 'http://127.0.0.1:8787/api';
const NOW = unixMs(1_800_000_000_000);
const clock = { nowMs: () => NOW, after: () => () => {} };

let folder = '';
let path = '';
let warned: string[] = [];
/** With what each was told. */
let told: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-take-up-'));
  path = join(folder, 'bookend.db');
  warned = [];
  told = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What an earlier run has left: a venue, a halt, a market that an operator stopped, and a pause. */
async function leave(venue: string | undefined): Promise<void> {
  const ledger = await openLedger({ path, clock });
  if (venue !== undefined) ledger.setFact(VENUE_FACT, venue);
  const stopped = {
    marketId: marketId('rain'),
    stop: 'pause',
    by: 'somebody',
    sinceMs: NOW,
  } as const;
  ledger.commit([
    { kind: 'halt', halt: { limit: 'drawdown', detail: 'of before', sinceMs: NOW } },
    { kind: 'pause', pause: { by: 'somebody', sinceMs: NOW } },
    { kind: 'marketStops', stops: [stopped] },
  ]);
  ledger.close();
}

async function left() {
  const ledger = await openLedger({ path, clock });
  const { halt, pause, marketStops = [] } = ledger.load();
  ledger.close();
  return {
    halt: halt?.detail,
    pause: pause?.by,
    markets: marketStops.map((each) => each.marketId),
  };
}

/** A halt is about losses of a venue that is gone: it says whether the ledger began anew. */
async function haltLeft(): Promise<string | undefined> {
  return (await left()).halt;
}

/** Takes the ledger up as a run on paper does, whose venue has just begun. */
async function onPaper(baseUrl = EMBEDDED): Promise<void> {
  await takeUp(baseUrl, true);
}

async function takeUp(
  baseUrl: string,
  isVenueNew: boolean,
  takesPlay = isVenueNew,
  scope: 'account' | 'own' = 'account',
) {
  const closing = new Closing(clock, () => {});
  const warn = (event: string, fields?: object) => {
    warned.push(event);
    told.push(JSON.stringify(fields));
  };
  const log = { info: () => {}, warn, error: () => {} };
  const settings = {
    journal: { path, keepDays: 400, ledgerMbMax: 1_000 },
    venue: { baseUrl },
    timing: { positionLagMs: 150_000 },
    orders: { scope },
  };
  try {
    await takeUpLedger({ settings, clock, log, isVenueNew, takesPlay }, closing);
  } finally {
    await closing.closeAll();
  }
}

describe('the ledger of a run on paper', () => {
  it('begins anew with its venue, wherever that listened before', async () => {
    await leave('http://127.0.0.1:8799/api');
    await onPaper();
    expect(await haltLeft()).toBeUndefined();
  });

  it('begins anew too where the venue listens on an address of a network', async () => {
    await leave('http://10.0.0.5:8799/api');
    await onPaper('http://10.0.0.5:8787/api');
    expect(await haltLeft()).toBeUndefined();
  });

  it('keeps what an operator has stopped, as it keeps a kill', async () => {
    await leave('http://127.0.0.1:8799/api');
    await onPaper();
    await onPaper();
    expect(await left()).toMatchObject({ pause: 'somebody', markets: ['rain'] });
  });

  it('is none that speaks of a real venue: that one is refused and stays as it is', async () => {
    await leave('https://venue.test/api');
    await expect(onPaper()).rejects.toThrow('journal.path');
    expect(await haltLeft()).toBe('of before');
  });

  it('is none of a real venue behind a proxy on this machine', async () => {
    const proxied = 'http://127.0.0.1:9000/api';
    await takeUp(proxied, false);
    await leave(undefined);
    await expect(onPaper()).rejects.toThrow('journal.path');
    expect(await haltLeft()).toBe('of before');
    await takeUp(proxied, false);
  });

  it('begins anew after a run on paper of several runs', async () => {
    await onPaper();
    await takeUp(EMBEDDED, false, true);
    await leave(undefined);
    await onPaper('http://127.0.0.1:8799/api');
    expect(await haltLeft()).toBeUndefined();
  });
});

describe('the ledger of simulated orders', () => {
  it('is refused by a live run, in words, wherever its venue is', async () => {
    await onPaper();
    const words = 'is about simulated orders, of a dry run or a run on paper';
    await expect(takeUp('https://venue.test/api', false)).rejects.toThrow(words);
    await expect(takeUp(EMBEDDED, false)).rejects.toThrow(words);
  });
});

describe('the folder of a ledger', () => {
  it('is reported where other users may look into it, and stays as it is', async () => {
    await takeUp(EMBEDDED, false);
    expect(warned).toEqual([]);
    await chmod(folder, 0o755);
    await takeUp(EMBEDDED, false);
    expect(warned).toEqual(['journal.folder_open']);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });
});

describe('the ledger of another boot of the machine', () => {
  const latches = async () => {
    const ledger = await openLedger({ path, clock });
    const { latches: all = [] } = ledger.load();
    ledger.close();
    return all;
  };

  /** As a run leaves it that has written ahead of its disk when the power went. */
  async function leaveCutOff(boot: string): Promise<void> {
    const ledger = await openLedger({ path, clock });
    ledger.setFact('written_unsynced', boot);
    ledger.close();
  }

  it('adds to no position until balances show what a power cut may have taken, found twice or once', async () => {
    await leaveCutOff('another boot');
    await takeUp(EMBEDDED, false);
    await takeUp(EMBEDDED, false);
    expect(warned).toEqual(['ledger.power_cut', 'ledger.power_cut']);
    const resumes = { kind: 'time', atMs: NOW + 180_000 };
    expect(await latches()).toMatchObject([{ level: 'stop-adding', marketId: undefined, resumes }]);
  });

  it('says which orders are left where only own ones are cancelled from here on', async () => {
    await leaveCutOff('another boot');
    await takeUp(EMBEDDED, false);
    await takeUp(EMBEDDED, false, false, 'own');
    expect(told.map((text) => text.includes('bookend kill --account'))).toEqual([false, true]);
  });

  it('is none where the run has said nothing ahead of its disk', async () => {
    await leave(undefined);
    await takeUp(EMBEDDED, false);
    expect([warned, await latches()]).toEqual([[], []]);
  });
});

describe('a ledger of years', () => {
  it('is read once, and of the tokens that hold nothing no list', async () => {
    const lists = { pending: [], uncertain: [], unreported: [], shown: [], past: [] };
    const tokens = Array.from({ length: 500 }, (_, index): LedgerRecord => {
      const held = { confirmed: NO_SHARES, changedAtMs: undefined, ...lists };
      return { kind: 'token', token: { tokenId: tokenId(`0x${index + 1}`), ...held } };
    });
    const ledger = await openLedger({ path, clock });
    ledger.commit(tokens);
    ledger.close();
    const parsed = vi.spyOn(JSON, 'parse');
    await takeUp(EMBEDDED, false);
    expect(parsed.mock.calls.length).toBeLessThan(tokens.length);
    parsed.mockRestore();
  });
});

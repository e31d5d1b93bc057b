// What `bookend kill` may call confirmed when its own lists are empty: with a horizon that a test can wait out.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ErrandLatch } from '../../../src/cli/errand-latch.ts';
import {
  type Errand,
  killBlind,
  killOwn,
  killWith,
  stopDaemon,
} from '../../../src/cli/kill-errand.ts';
import { KillRecord } from '../../../src/cli/kill-record.ts';
import { KillTime } from '../../../src/cli/kill-time.ts';
import { venueAccess } from '../../../src/cli/options.ts';
import { Unlisted } from '../../../src/cli/unlisted.ts';
import { systemClock } from '../../../src/clock/system.ts';
import type { CancelScope } from '../../../src/domain/message.ts';
import { type Clock, type Timers, unixMs } from '../../../src/domain/time.ts';
import { readErrands } from '../../../src/journal/errands.ts';
import { confirmLatch, readLatch } from '../../../src/journal/latch.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { type Lock, lockJournal } from '../../../src/journal/lock.ts';
import { loadKillSettings } from '../../../src/settings/load.ts';
import { KillDesk, TOKEN } from './kill-desk.ts';

const HORIZON_MS = 400;
const ACCOUNT = { kind: 'account' } as const;
const clock = systemClock();
let desk: KillDesk;
const locks: Lock[] = [];

beforeEach(async () => {
  desk = await KillDesk.open();
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release();
  await desk.close();
});

/** Another process, which is this one, holds the journal. */
async function heldJournal(): Promise<void> {
  locks.push(await lockJournal({ journal: desk.journal, clock, onLost: () => {} }));
}

/** Its deadlines as they were asked for. */
class AskedTime extends KillTime {
  readonly askedMs: (number | undefined)[] = [];

  override leftMs(atMostMs?: number): number {
    this.askedMs.push(atMostMs);
    return super.leftMs(atMostMs);
  }
}

type Given = {
  readonly scope?: CancelScope;
  readonly port?: number;
  readonly horizonMs?: number;
  readonly proofDeadlineMs?: number;
  /** Time in which a process that cannot be seen shows a sign passes in moments. */
  readonly isQuick?: boolean;
  readonly ofOrders?: 'account' | 'own';
  readonly durationMs?: number;
};

async function errandOf(given: Given = {}) {
  const { scope = ACCOUNT, port = 1, horizonMs = HORIZON_MS, ofOrders = 'account' } = given;
  const { proofDeadlineMs = 2_000 } = given;
  const file = join(desk.folder, 'config.yaml');
  const { baseUrl, wsUrl } = desk.venue;
  const content = {
    ...{ venue: { baseUrl, wsUrl }, http: { port }, orders: { scope: ofOrders } },
    timing: { proofQuietMs: 200, proofDeadlineMs },
    journal: { path: desk.journal },
  };
  await writeFile(file, JSON.stringify(content));
  const env = { BOOKEND_CONTROL_TOKEN: TOKEN, ...desk.credentials };
  const read = loadKillSettings({ file, env });
  const settings = { ...read, timing: { ...read.timing, unknownHorizonMs: horizonMs } };
  const stderr = new PassThrough();
  const io = { stdout: new PassThrough(), stderr, env };
  const at = new Date(clock.nowMs()).toISOString();
  const time = new AskedTime(clock, given.durationMs ?? 20_000);
  const { journal } = desk;
  const access = venueAccess(io, settings);
  const record = new KillRecord({ io, journal, clock, time, scope });
  const errand: Errand = {
    ...{ io, settings, access, scope, at, time, record },
    clock: given.isQuick ? quick() : clock.steady(),
    latch: new ErrandLatch({ io, journal, at, timers: clock, resume: 'bookend resume' }),
    unlisted: new Unlisted(access, scope, clock.background),
  };
  return { errand, time, at, said: () => String(stderr.read() ?? '') };
}

/** Fifty times as fast as it should be. */
function quick(): Clock {
  const startedAtMs = clock.nowMs();
  return { nowMs: () => unixMs(startedAtMs + 50 * (clock.nowMs() - startedAtMs)) };
}

const stamp = () => new Date(clock.nowMs()).toISOString();
const marketOf = (index: number) =>
  ({ kind: 'market', marketId: desk.marketAt(index).market.id }) as const;
const confirmed = () => ({ kind: 'confirmed', account: desk.accountMark });

describe('a kill of the account whose own lists are empty', () => {
  it('is confirmed when nothing that was sent before can arrive any more', async () => {
    desk.restInBoth();
    const { errand } = await errandOf();
    const beganAtMs = performance.now();
    const result = await killWith(errand, undefined);
    expect(result).toMatchObject({ kind: 'confirmed', scope: 'account', cancelled: 2 });
    expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(HORIZON_MS - 5);
    expect(desk.openTokens()).toEqual([]);
  });

  it('is not confirmed while a living process of the journal has not said that it stopped', async () => {
    await heldJournal();
    const { errand } = await errandOf({ durationMs: 3_000 });
    expect(await killWith(errand, undefined)).toMatchObject({
      ...{ kind: 'unconfirmed', left: [] },
      detail: `process ${process.pid} holds the journal and has not confirmed the kill; end it`,
    });
  });

  it('waits for the word of a daemon that needs longer than its own lists', async () => {
    await heldJournal();
    const { port } = await desk.daemonThat((response) => {
      setTimeout(() => response.end(JSON.stringify(confirmed())), 4 * HORIZON_MS);
    });
    const { errand } = await errandOf({ port });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed' });
  });

  it('waits, as long as it has time, for the proof of a process that answers nobody', async () => {
    await heldJournal();
    const { errand, said } = await errandOf({ durationMs: 60_000 });
    const killed = killWith(errand, undefined);
    setTimeout(() => void confirmLatch(desk.journal, stamp()), 5 * HORIZON_MS);
    expect(await killed).toMatchObject({ kind: 'confirmed' });
    expect(said()).toMatch(/process \d+ holds the journal and .* · ends within \d+ s/);
  });

  it('begins again where that process has ended without a proof, and takes what it has left', async () => {
    await heldJournal();
    desk.rest(0);
    const { errand } = await errandOf({ durationMs: Number.POSITIVE_INFINITY });
    const killed = killWith(errand, undefined);
    setTimeout(() => {
      desk.rest(1);
      for (const lock of locks.splice(0)) void lock.release();
    }, 5 * HORIZON_MS);
    expect(await killed).toMatchObject({ kind: 'confirmed', cancelled: 2 });
    expect(desk.openTokens()).toEqual([]);
  });

  it('goes on beyond the deadline of a proof while orders are listed, as long as it has time', async () => {
    const resting = setInterval(() => desk.rest(0), 50);
    setTimeout(() => clearInterval(resting), 2_000);
    const endless = { proofDeadlineMs: 1_000, durationMs: Number.POSITIVE_INFINITY };
    const { errand } = await errandOf(endless);
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed' });
    expect(desk.openTokens()).toEqual([]);
  });

  it('is held up by no daemon that hangs once that has noted its proof on the latch', async () => {
    await heldJournal();
    const { port } = await desk.daemonThat(() => {});
    const { errand, at } = await errandOf({ port, horizonMs: 5_000, proofDeadlineMs: 10_000 });
    const beganAtMs = performance.now();
    const killed = killWith(errand, undefined);
    await expect.poll(async () => await readLatch(desk.journal)).toBeDefined();
    await confirmLatch(desk.journal, at);
    expect(await killed).toMatchObject({ kind: 'confirmed' });
    expect(performance.now() - beganAtMs).toBeLessThan(10_000);
  });

  it('gives a daemon its own deadline and five seconds more, and then goes on without it', async () => {
    const { errand, time, said } = await errandOf({ durationMs: 300 });
    expect(await stopDaemon(errand)).toBe(false);
    expect(time.askedMs).toEqual([7_000]);
    expect(said()).toContain('no daemon was told over HTTP');
  });

  it('says which process it could not see, and that it showed no sign of activity', async () => {
    const claim = `${desk.journal}.lock.1-abc`;
    await writeFile(claim, '{"pid": 12');
    const { errand, said } = await errandOf({
      isQuick: true,
      proofDeadlineMs: 60_000,
      durationMs: 3_600_000,
    });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed' });
    expect(said()).toContain(`${claim} is of a process that cannot be seen`);
  });

  it('is over by its deadline, though more may arrive', async () => {
    desk.restInBoth();
    const { errand } = await errandOf({ horizonMs: 60_000, durationMs: 1_000 });
    const beganAtMs = performance.now();
    expect(await killWith(errand, undefined)).toMatchObject({
      ...{ kind: 'unconfirmed', cancelled: 2, left: [] },
    });
    expect(performance.now() - beganAtMs).toBeLessThan(10_000);
  });

  it('looks at the latch of its journal no more when it is over', async () => {
    await heldJournal();
    const { errand } = await errandOf({ durationMs: 2_000 });
    const waiting = new Set<object>();
    const background: Timers = {
      after: (durationMs, task) => {
        const one = {};
        waiting.add(one);
        const callOff = clock.background.after(durationMs, () => {
          waiting.delete(one);
          task();
        });
        return () => {
          waiting.delete(one);
          callOff();
        };
      },
    };
    const access = { ...errand.access, clock: { ...clock, background } };
    await killWith({ ...errand, access }, undefined);
    expect([...waiting]).toEqual([]);
  });

  it('waits for what its ledger has learnt of late acceptances, and says so where that cannot be read', async () => {
    const ledger = await openLedger({ path: desk.journal, clock });
    const slowest = { tookMs: 50_000, atMs: clock.nowMs() };
    ledger.commit([{ kind: 'slowest', slowest }]);
    ledger.close();
    const known = await errandOf({ durationMs: 1_500 });
    expect(await killWith(known.errand, undefined)).toMatchObject({
      ...{ kind: 'unconfirmed', left: [] },
      detail: expect.stringMatching(/may still arrive for 5\d s more/),
    });
    await writeFile(desk.journal, 'no ledger');
    const unread = await errandOf({ durationMs: 1_500 });
    expect(await killWith(unread.errand, undefined)).toMatchObject({ kind: 'unconfirmed' });
    expect(unread.said()).toContain('the ledger cannot be read');
  });
});

describe('a daemon that is asked to kill', () => {
  it('confirms nothing where it has only taken it up, and has it on its own record', async () => {
    const { port } = await desk.daemonThatSays(202, confirmed());
    const { errand } = await errandOf({ port });
    expect(await stopDaemon(errand)).toBe(false);
    await errand.record.note({ kind: 'confirmed', cancelled: 0, tookMs: 0 });
    expect(await readErrands(desk.journal)).toEqual([]);
  });

  it('that refuses it leaves the record to whoever has asked', async () => {
    const { port } = await desk.daemonThatSays(500, confirmed());
    const { errand } = await errandOf({ port });
    expect(await stopDaemon(errand)).toBe(false);
    await errand.record.note({ kind: 'confirmed', cancelled: 0, tookMs: 0 });
    expect(await readErrands(desk.journal)).toHaveLength(1);
  });

  it('confirms it, and has it on its own record', async () => {
    const { port } = await desk.daemonThatSays(200, confirmed());
    const { errand, said } = await errandOf({ port });
    expect(await stopDaemon(errand)).toBe(true);
    await errand.record.note({ kind: 'confirmed', cancelled: 0, tookMs: 0 });
    expect(await readErrands(desk.journal)).toEqual([]);
    expect(said()).toContain('the daemon answered the kill with 200');
  });

  it.each([[null], ['confirmed'], [7], [{ kind: 'confirmed' }]])(
    'confirms nothing with an answer that names no account: %j',
    async (body) => {
      const { port } = await desk.daemonThatSays(200, body);
      const { errand, said } = await errandOf({ port });
      expect(await stopDaemon(errand)).toBe(false);
      expect(said()).toContain('it is not known to be of this account');
    },
  );

  it('is not asked where nobody has a token for it, and confirms nothing', async () => {
    const { port, asked } = await desk.daemonThatSays(200, confirmed());
    const { errand } = await errandOf({ port });
    const settings = { ...errand.settings, controlToken: undefined };
    expect(await stopDaemon({ ...errand, settings })).toBe(false);
    expect(asked).toEqual([]);
    expect(await readLatch(desk.journal)).toMatchObject({ reason: 'kill' });
  });

  it('confirms nothing to whoever cannot say of which account he is', async () => {
    const { port } = await desk.daemonThatSays(200, { kind: 'confirmed' });
    const { errand, said } = await errandOf({ port });
    const { access: _, ...rest } = errand;
    expect(await stopDaemon(rest)).toBe(false);
    expect(said()).toContain('it is not known to be of this account');
  });

  it('is of the account of a paper run where that is meant, whatever the configuration names', async () => {
    const { port } = await desk.daemonThatSays(200, confirmed());
    const { errand } = await errandOf({ port });
    const venue = { ...errand.settings.venue, baseUrl: 'http://127.0.0.1:1' };
    expect(await stopDaemon({ ...errand, settings: { ...errand.settings, venue } })).toBe(true);
  });
});

describe('a kill of a part', () => {
  it('waits for what its journal has sent, where no process of it runs', async () => {
    desk.restInBoth();
    await writeFile(desk.journal, '');
    const { errand } = await errandOf({ scope: marketOf(0) });
    const beganAtMs = performance.now();
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(HORIZON_MS - 5);
  });

  it('waits for nothing of others where its journal has sent nothing', async () => {
    desk.restInBoth();
    const { errand } = await errandOf({ scope: marketOf(0), horizonMs: 60_000 });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed', cancelled: 1 });
  });

  it('is confirmed beside no process that may place in the market again, and waits for nothing', async () => {
    await heldJournal();
    desk.restInBoth();
    const { errand, said } = await errandOf({ scope: marketOf(0), horizonMs: 60_000 });
    const goesOn = `process ${process.pid} holds the journal and goes on: it may place here again`;
    expect(await killWith(errand, undefined)).toMatchObject({
      ...{ kind: 'unconfirmed', cancelled: 1, left: [], detail: goesOn },
    });
    expect(said()).toContain(goesOn);
  });

  it.each([401, 409, 503])('is not confirmed beside a daemon that answers %i', async (status) => {
    await heldJournal();
    const { port } = await desk.daemonThatSays(status, { error: 'nothing was done' });
    const { errand } = await errandOf({ scope: marketOf(0), port });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'unconfirmed' });
  });

  it.each([{ markets: ['mkt-1'] }, { error: 'none', kind: 'not_quoted' }])(
    'is confirmed by the daemon of its journal, and not by the one that has its port: %j',
    async (body) => {
      await heldJournal();
      desk.restInBoth();
      const scope = marketOf(0);
      const own = await desk.daemonOf(desk.journal, body);
      const { errand } = await errandOf({ scope, port: own.port });
      expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed', cancelled: 1 });
      const other = await desk.daemonOf(join(desk.folder, 'dry-run', 'kill.db'), body);
      const wrong = await errandOf({ scope, port: other.port });
      expect(await killWith(wrong.errand, undefined)).toMatchObject({ kind: 'unconfirmed' });
      expect(wrong.said()).not.toContain('does not quote');
    },
  );

  it('says that no disk has taken the stop of the market, which a new start would quote', async () => {
    await heldJournal();
    const said = async (onDisk: boolean): Promise<string> => {
      const { port } = await desk.daemonThatSays(200, { markets: ['mkt-1'], onDisk });
      const errand = await errandOf({ scope: marketOf(0), port });
      expect(await killWith(errand.errand, undefined)).toMatchObject({ kind: 'confirmed' });
      return errand.said();
    };
    expect(await said(false)).toContain('NOT ON DISK');
    expect(await said(true)).not.toContain('DISK');
  });

  it('is confirmed beside a daemon that does not quote that market', async () => {
    await heldJournal();
    desk.restInBoth();
    const { port } = await desk.daemonThatSays(409, { error: 'none', kind: 'not_quoted' });
    const { errand, said } = await errandOf({ scope: marketOf(0), port, horizonMs: 60_000 });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    const words = said();
    expect(words).not.toContain('it may place here again');
    expect(words).toContain('the daemon does not quote it now, and was not stopped there');
  });

  it('is confirmed beside the claim of a process that shows no sign of activity', async () => {
    await writeFile(`${desk.journal}.lock.1-abc`, '{"pid": 12');
    desk.restInBoth();
    const { errand, said } = await errandOf({
      ...{ scope: marketOf(0), isQuick: true, durationMs: 3_600_000 },
    });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(said()).toContain('a process whose claim cannot be read');
  });

  it('waits for what may still arrive where the daemon has not confirmed it', async () => {
    await heldJournal();
    desk.restInBoth();
    const { port } = await desk.daemonThatSays(202, { isConfirmed: false });
    const { errand } = await errandOf({ scope: marketOf(0), port });
    const beganAtMs = performance.now();
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed', cancelled: 1 });
    expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(HORIZON_MS - 5);
    const patient = await errandOf({
      ...{ scope: marketOf(0), port, horizonMs: 60_000, durationMs: 2_000 },
    });
    expect(await killWith(patient.errand, undefined)).toMatchObject({ kind: 'unconfirmed' });
  });

  it('waits for the answer of the daemon that is to quote the market no more', async () => {
    await heldJournal();
    const { port } = await desk.daemonThat((response) => {
      setTimeout(() => response.writeHead(200).end('{}'), 2_000);
    });
    const scope = marketOf(0);
    const { errand, said } = await errandOf({ scope, port });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed' });
    expect(said()).toContain(`until \`bookend resume --market ${scope.marketId}\``);
  });

  it('of a token is told to no daemon, which knows markets', async () => {
    await heldJournal();
    const { port, asked } = await desk.daemonThatSays(200, {});
    const { tokenId } = desk.marketAt(0).market.yes;
    const { errand, said } = await errandOf({ scope: { kind: 'token', tokenId }, port });
    expect(await killWith(errand, undefined)).toMatchObject({ kind: 'confirmed' });
    expect(said()).toContain('goes on: it may place here again');
    expect(asked).toEqual([]);
  });

  it('of a market is told to no daemon without a token for it', async () => {
    await heldJournal();
    const { port, asked } = await desk.daemonThatSays(200, {});
    const { errand, said } = await errandOf({ scope: marketOf(0), port });
    const settings = { ...errand.settings, controlToken: undefined };
    await killWith({ ...errand, settings }, undefined);
    expect(said()).toContain('goes on: it may place here again');
    expect(asked).toEqual([]);
  });
});

describe('a kill of own orders', () => {
  it('without a ledger is confirmed by the daemon of the account alone, and cancels nothing from here', async () => {
    desk.restInBoth();
    const { port } = await desk.daemonThatSays(200, confirmed());
    const { errand, said } = await errandOf({ port, ofOrders: 'own' });
    expect(await killOwn(errand)).toEqual({
      ...{ kind: 'confirmed', scope: 'own', cancelled: 0, tookMs: 0 },
    });
    expect(said()).toContain('to cancel everything all the same: bookend kill --account');
    expect(desk.openTokens()).toHaveLength(2);
  });

  it('without a ledger and without a daemon is not confirmed, and names no order as left', async () => {
    desk.restInBoth();
    const { errand } = await errandOf({ ofOrders: 'own' });
    expect(await killOwn(errand)).toMatchObject({
      ...{ kind: 'unconfirmed', scope: 'own', cancelled: 0, tookMs: 0, left: [] },
      detail: expect.stringContaining('nothing was cancelled from here'),
    });
  });

  it('with a ledger leaves the orders of others alone', async () => {
    desk.restInBoth();
    (await openLedger({ path: desk.journal, clock })).close();
    const { errand } = await errandOf({ ofOrders: 'own' });
    expect(await killOwn(errand)).toMatchObject({ scope: 'own', cancelled: 0, leftAlone: 2 });
    expect(desk.openTokens()).toHaveLength(2);
  });
});

describe('a kill of the account that nobody may sign', () => {
  it('has read no list', async () => {
    const { errand } = await errandOf();
    expect(await killBlind(errand, false, 'no credentials')).toMatchObject({
      ...{ kind: 'unconfirmed', scope: 'account', left: undefined },
      detail: 'no credentials; nothing was cancelled from here',
    });
  });

  it('is told to no daemon and latches nothing where only a part is meant', async () => {
    const { port, asked } = await desk.daemonThatSays(200, confirmed());
    const { errand } = await errandOf({ scope: marketOf(0), port });
    expect(await killBlind(errand, false, 'no credentials')).toMatchObject({ kind: 'unconfirmed' });
    expect([asked, await readLatch(desk.journal)]).toEqual([[], undefined]);
  });
});

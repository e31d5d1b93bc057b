// `bookend kill` by itself, against a real venue and a small daemon: whose orders it takes, and what it may call confirmed.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Closing } from '../../../src/app/closing.ts';
import { dryJournalPath } from '../../../src/app/dry-journal.ts';
import { leaveAccount } from '../../../src/app/paper-account.ts';
import { takeUpLedger } from '../../../src/app/recovery.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { readErrands } from '../../../src/journal/errands.ts';
import { latchFile, readLatch } from '../../../src/journal/latch.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { letGo } from '../../support/let-go.ts';
import { KillDesk, TOKEN } from './kill-desk.ts';

let desk: KillDesk;

beforeEach(async () => {
  desk = await KillDesk.open();
});
afterEach(async () => await desk.close());

/** Where an embedded venue listened that has ended. */
const GONE = {
  baseUrl: 'http://127.0.0.1:1/api',
  wsUrl: 'ws://127.0.0.1:1/ws',
  eventSlugs: [],
  isRecorded: true,
};

const liveSettings = () => ({
  venue: { baseUrl: desk.venue.baseUrl },
  journal: { path: desk.journal, keepDays: 30, ledgerMbMax: 10 },
  timing: { positionLagMs: 0 },
  orders: { scope: 'account' as const },
});

type Kill = {
  readonly args?: readonly string[];
  readonly config?: object;
  readonly isSigned?: boolean;
  readonly port?: number;
  readonly more?: Readonly<Record<string, string>>;
  /** Behind all that a kill needs. */
  readonly rest?: string;
};

async function kill(given: Kill = {}) {
  const { args = [], config = {}, isSigned = true, port = 1, more = {}, rest = '' } = given;
  const file = join(desk.folder, 'config.yaml');
  const content = {
    venue: { baseUrl: desk.venue.baseUrl, wsUrl: desk.venue.wsUrl },
    timing: { proofQuietMs: 200, proofDeadlineMs: 2_000 },
    journal: { path: desk.journal },
    http: { port },
    markets: [],
    ...config,
  };
  const sections = Object.entries(content).map(([name, of]) => `${name}: ${JSON.stringify(of)}\n`);
  await writeFile(file, `${sections.join('')}${rest}`);
  const env = { BOOKEND_CONTROL_TOKEN: TOKEN, ...(isSigned ? desk.credentials : {}), ...more };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCli(['kill', '--config', file, ...args], { stdout, stderr, env });
  const said = `${stdout.read() ?? ''}${stderr.read() ?? ''}`;
  return { code, said };
}

describe('`kill` of a part', () => {
  it('takes the orders of one token and leaves the others, and sets no latch', async () => {
    desk.restInBoth();
    const { tokenId } = desk.marketAt(0).market.yes;
    const { code, said } = await kill({ args: ['--token', tokenId] });
    expect(code).toBe(0);
    expect(said).toContain('1 cancelled');
    expect(desk.openTokens()).toEqual([desk.marketAt(1).market.yes.tokenId]);
    expect(await readLatch(desk.journal)).toBeUndefined();
  });

  it('takes the orders of one market and leaves the others', async () => {
    desk.restInBoth();
    const { code } = await kill({ args: ['--market', desk.marketAt(1).market.id] });
    expect(code).toBe(0);
    expect(desk.openTokens()).toEqual([desk.marketAt(0).market.yes.tokenId]);
  });

  it('without a daemon is noted for the record: who, which market, and with which result', async () => {
    desk.restInBoth();
    const { id } = desk.marketAt(1).market;
    await kill({ args: ['--market', id] });
    expect(await readErrands(desk.journal)).toMatchObject([
      {
        ...{ action: 'kill', target: id, result: 'confirmed' },
        by: expect.stringMatching(/^bookend kill \(.*process \d+\)$/),
        detail: 'no daemon took part; 1 cancelled',
      },
    ]);
  });

  it('without a folder for a journal is on no record, and makes none', async () => {
    desk.restInBoth();
    const path = join(desk.folder, 'none', 'kill.db');
    const { code } = await kill({
      args: ['--token', desk.marketAt(0).market.yes.tokenId],
      config: { journal: { path } },
    });
    expect(code).toBe(0);
    expect(existsSync(join(desk.folder, 'none'))).toBe(false);
  });

  it('beside a process that holds the journal says whether that quotes the market no more', async () => {
    desk.restInBoth();
    const clock = systemClock();
    const lock = await lockJournal({ journal: desk.journal, clock, onLost: () => {} });
    const { id } = desk.marketAt(0).market;
    const deaf = await kill({ args: ['--market', id] });
    expect(deaf.code).toBe(4);
    expect(deaf.said).toContain('goes on: it may place here again');
    const { asked, port } = await desk.daemonThatSays(202, {});
    const told = await kill({ args: ['--market', id], port });
    expect(told.said).toContain(`until \`bookend resume --market ${id}\``);
    expect(asked).toEqual([{ url: `/control/kill?market=${id}`, token: `Bearer ${TOKEN}` }]);
    const refused = await desk.daemonThatSays(409, {});
    const unmoved = await kill({ args: ['--market', id], port: refused.port });
    expect(unmoved.said).toContain('goes on: it may place here again');
    // The daemon that took it up has it on record itself.
    expect((await readErrands(desk.journal)).map(({ target }) => target)).toEqual([id, id]);
    await lock.release();
  });

  it('of the name of an event is what its daemon has done there, and not that nothing was cancelled', async () => {
    desk.restInBoth();
    const clock = systemClock();
    const lock = await lockJournal({ journal: desk.journal, clock, onLost: () => {} });
    const body = { accepted: 'kill', markets: ['mkt-1', 'mkt-2'], isConfirmed: true };
    const { port } = await desk.daemonThatSays(200, body);
    const { code, said } = await kill({ args: ['--market', 'e'], port });
    expect(said).toContain('the daemon does not quote mkt-1, mkt-2 until');
    expect(said).not.toContain('nothing was cancelled');
    expect(code).toBe(0);
    await lock.release();
  });
});

describe('`kill` of everything', () => {
  it('cancels at once and confirms nothing while what was sent may arrive, within its deadline', async () => {
    desk.restInBoth();
    const startedAt = performance.now();
    const { code, said } = await kill({ args: ['--deadline', '2'] });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(code).toBe(4);
    expect(said).toContain('may still arrive');
    expect(said).toContain('ends within');
    expect(desk.openTokens()).toEqual([]);
    expect(await readLatch(desk.journal)).toMatchObject({ reason: 'kill' });
  });

  it('is confirmed by a daemon of this account, and not by another one', async () => {
    desk.restInBoth();
    const other = await desk.daemonThatSays(200, { kind: 'confirmed', account: 'somebody else' });
    const unknown = await kill({ args: ['--deadline', '2'], port: other.port });
    expect(unknown.code).toBe(4);
    expect(unknown.said).toContain('is not known to be of this account');
    expect(desk.openTokens()).toEqual([]);
    desk.restInBoth();
    const account = desk.accountMark;
    const ours = await desk.daemonThatSays(200, { kind: 'confirmed', account });
    const known = await kill({ args: ['--deadline', '5'], port: ours.port });
    expect(known.said).toContain('the daemon answered the kill with 200');
    expect(known.said).not.toContain('is not known to be of this account');
    expect(known.code).toBe(0);
    expect(ours.asked).toEqual([{ url: '/control/kill?wait=proof', token: `Bearer ${TOKEN}` }]);
  });

  it('is not confirmed by a daemon of this account that could not confirm it', async () => {
    desk.restInBoth();
    const daemon = await desk.daemonThatSays(504, {
      kind: 'unconfirmed',
      account: desk.accountMark,
    });
    const { code, said } = await kill({ args: ['--deadline', '2'], port: daemon.port });
    expect(code).toBe(4);
    expect(said).toContain('the daemon answered the kill with 504');
  });

  it('is not confirmed beside a living process of this journal that has not confirmed it', async () => {
    const clock = systemClock();
    const lock = await lockJournal({ journal: desk.journal, clock, onLost: () => {} });
    const { code } = await kill({ args: ['--deadline', '2'] });
    expect(code).toBe(4);
    await lock.release();
  });

  it('is not confirmed while the venue cannot be reached, whoever listens there no more', async () => {
    await desk.venue.stop();
    const { code, said } = await kill({ args: ['--deadline', '1'] });
    expect(code).toBe(4);
    expect(said).toContain('no list of open orders could be read');
    expect(said).not.toContain('it has no orders');
  });

  it('reads around what is broken elsewhere in its configuration, and says which line that is', async () => {
    desk.restInBoth();
    const { said } = await kill({ args: ['--deadline', '1'], rest: 'strategies: [\n' });
    expect(said).toMatch(/config\.yaml: .+ \(line \d+\); read are the sections that a kill needs/);
    expect(said).not.toContain('is broken');
    expect(desk.openTokens()).toEqual([]);
  });

  it('is over by its deadline though a disk hangs, and says that it knows no more', async () => {
    const draft = `${latchFile(desk.journal)}.${process.pid}.draft`;
    // Whoever opens it for writing waits for somebody at the other end.
    execFileSync('mkfifo', [draft]);
    const startedAt = performance.now();
    const { code, said } = await kill({ args: ['--json', '--deadline', '1'] });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(code).toBe(4);
    const result = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
    expect(result).toEqual({
      ...{ kind: 'unconfirmed', cancelled: 0, tookMs: 0 },
      detail: 'the deadline came first: a disk or a daemon did not answer',
    });
    await letGo(draft);
  });

  it('of an account without orders and without a daemon is confirmed at once', async () => {
    const { code, said } = await kill();
    expect(code).toBe(0);
    expect(said).toContain('no daemon was told over HTTP');
  });
});

describe('`kill` where an embedded venue does not run any more', () => {
  async function leaveVenue(): Promise<void> {
    const { account, baseUrl, wsUrl } = desk.venue;
    const settings = { venue: { baseUrl }, journal: { path: desk.journal } };
    await leaveAccount({ account, baseUrl, wsUrl, isRecorded: false, eventSlugs: [] }, settings);
    await desk.venue.stop();
  }

  it('has nothing to cancel, says so, and latches all the same', async () => {
    await leaveVenue();
    const { code, said } = await kill({ args: ['--json'], isSigned: false });
    expect(code).toBe(0);
    expect(said).toContain('does not run: it has no orders');
    const result = JSON.parse(said.slice(0, said.lastIndexOf('}') + 1));
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 0, tookMs: 0 });
    expect(await readLatch(desk.journal)).toMatchObject({ reason: 'kill' });
  });

  it('is on record, and latches nothing where only a part was meant', async () => {
    await leaveVenue();
    const { code, said } = await kill({ args: ['--market', 'm'], isSigned: false });
    expect([code, await readLatch(desk.journal)]).toEqual([0, undefined]);
    expect(said).toContain('confirmed: no open order is left');
    expect(await readErrands(desk.journal)).toMatchObject([{ target: 'm', result: 'confirmed' }]);
  });

  it('is not confirmed while no disk takes its latch', async () => {
    await leaveVenue();
    // A daemon has run here, and a folder stands where the latch is drafted.
    await writeFile(desk.journal, '');
    await mkdir(`${latchFile(desk.journal)}.${process.pid}.draft/in-the-way`, { recursive: true });
    const { code, said } = await kill({ isSigned: false });
    expect(code).toBe(4);
    expect(said).toContain('NOT CONFIRMED');
  });
});

describe('`kill` that cannot tell whose orders are meant, or may not sign', () => {
  it('of own orders without a ledger cancels nothing, and says what would', async () => {
    desk.restInBoth();
    const { code, said } = await kill({ config: { orders: { scope: 'own' } } });
    expect(code).toBe(4);
    expect(said).toContain('bookend kill --account');
    expect(said).toContain('nothing was cancelled from here');
    expect(desk.openTokens()).toHaveLength(2);
    const asked = await kill({ args: ['--own'] });
    expect(asked.code).toBe(4);
    expect(desk.openTokens()).toHaveLength(2);
  });

  it('of the account cancels in the scope of own orders too, where it is told to', async () => {
    desk.restInBoth();
    await kill({ args: ['--account', '--deadline', '1'], config: { orders: { scope: 'own' } } });
    expect(desk.openTokens()).toEqual([]);
  });

  it('cancels nothing of the real account while a dry run alone is running, until one is named', async () => {
    desk.restInBoth();
    const path = dryJournalPath(desk.journal);
    const lock = await lockJournal({ journal: path, clock: systemClock(), onLost: () => {} });
    const { code, said } = await kill({ args: ['--deadline', '1'] });
    expect([code, desk.openTokens().length]).toEqual([2, 2]);
    expect(said).toContain('--dry-run for the simulated one, --live for the real one');
    await kill({ args: ['--live', '--deadline', '1'] });
    expect(desk.openTokens()).toEqual([]);
    await lock.release();
  });

  it('without credentials cancels nothing and is confirmed by nobody, and the latch is set', async () => {
    desk.restInBoth();
    const { code, said } = await kill({ isSigned: false });
    expect(code).toBe(4);
    expect(said).toContain('no credentials');
    expect(desk.openTokens()).toHaveLength(2);
    expect(await readLatch(desk.journal)).toMatchObject({ reason: 'kill' });
  });

  it('without credentials takes the account of a live run for none of an earlier run on paper', async () => {
    const { baseUrl } = desk.venue;
    const [settings, closing] = [liveSettings(), new Closing(systemClock(), () => {})];
    // As with `--replay` and the configuration of the live run, whose ledger then has to make room.
    await leaveAccount({ ...GONE, account: desk.venue.account }, settings);
    const live = { settings, clock: systemClock(), log: { info() {}, warn() {}, error() {} } };
    await takeUpLedger(live, closing);
    await closing.closeAll();
    desk.restInBoth();
    const { code, said } = await kill({ isSigned: false });
    expect(said).toContain('no credentials');
    expect([code, desk.openTokens().length, baseUrl]).toEqual([4, 2, settings.venue.baseUrl]);
  });

  it.each([
    [['--deadline', 'soon'], 'not a whole number of seconds'],
    [['--deadline', '1234567'], 'not a whole number of seconds'],
    [['--token', 'no token'], 'not a token id'],
    [['--own', '--account'], 'give --own or --account, not both'],
    [['--token', '0x01', '--market', 'm'], 'give --token or --market, not both'],
    [['--market', 'no-such-market'], 'error: the venue has no market no-such-market'],
  ])('with %j is wrong usage, and cancels nothing', async (args, text) => {
    desk.restInBoth();
    const { code, said } = await kill({ args });
    expect(code).toBe(2);
    expect(said).toContain(text);
    expect(desk.openTokens()).toHaveLength(2);
  });

  it('of a market that is not there is wrong usage in whichever status the venue says so', async () => {
    await desk.close();
    desk = await KillDesk.open({ codeStatus: 'other' });
    const { code, said } = await kill({ args: ['--market', 'no-such-market'] });
    expect(said).toContain('the venue has no market no-such-market');
    expect(code).toBe(2);
  });
});

describe('what `kill` says and notes', () => {
  it('names the market of a part, for programs', async () => {
    const { id } = desk.marketAt(1).market;
    const { said } = await kill({ args: ['--json', '--deadline', '1', '--market', id] });
    const result = JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
    expect(result).toMatchObject({ target: id, cancelled: 0 });
  });

  it('is that nothing was cancelled where nobody may sign', async () => {
    const { said } = await kill({ args: ['--json'], isSigned: false });
    const result = JSON.parse(said.slice(0, said.lastIndexOf('}') + 1));
    expect(result).toMatchObject({ kind: 'unconfirmed', cancelled: 0, tookMs: 0 });
  });

  it('is on the record of the daemon that has taken it up, and not on that of another one', async () => {
    const daemon = await desk.daemonThatSays(202, {});
    await kill({ args: ['--deadline', '1'], port: daemon.port });
    expect(await readErrands(desk.journal)).toEqual([]);
    const refusing = await desk.daemonThatSays(404, {});
    await kill({ args: ['--deadline', '1'], port: refusing.port });
    expect(await readErrands(desk.journal)).toHaveLength(1);
  });

  it('is which claim cannot be read, beside a process that may place in the market again', async () => {
    await writeFile(`${desk.journal}.lock.1-abc`, '{"pid": 12');
    const { said } = await kill({ args: ['--market', desk.marketAt(0).market.id] });
    expect(said).toContain('a process whose claim cannot be read');
  });

  it('is told to the daemon though credentials cannot be read, where all of the account is meant', async () => {
    const more = { VENUE_CREDENTIALS_FILE: join(desk.folder, 'none.json') };
    const { tokenId } = desk.marketAt(0).market.yes;
    const part = await kill({ isSigned: false, more, args: ['--token', tokenId] });
    expect(part.code).not.toBe(0);
    expect(await readLatch(desk.journal)).toBeUndefined();
    const { port } = await desk.daemonThatSays(200, { account: desk.accountMark });
    const all = await kill({ isSigned: false, more, port });
    expect(all.said).toContain('is not known to be of this account');
    expect(all.code).not.toBe(0);
    expect(await readLatch(desk.journal)).toMatchObject({ reason: 'kill' });
  });

  it('of own orders is that a daemon in the scope of the account cancels all the same', async () => {
    const ledger = await openLedger({ path: desk.journal, clock: systemClock() });
    ledger.close();
    const text = 'orders.scope is account: a running daemon of this journal cancels all the same';
    const args = ['--own', '--deadline', '1'];
    expect((await kill({ args })).said).toContain(text);
    const own = await kill({ args, config: { orders: { scope: 'own' } } });
    expect(own.said).not.toContain(text);
  });
});

// `bookend kill` by itself, against a real venue and a small daemon: whose orders it takes, and what it may call confirmed.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountMark } from '../../../src/app/account-mark.ts';
import { leaveAccount } from '../../../src/app/paper-account.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import { readErrands } from '../../../src/journal/errands.ts';
import { latchFile, readLatch } from '../../../src/journal/latch.ts';
import { openLedger } from '../../../src/journal/ledger/ledger.ts';
import { lockJournal } from '../../../src/journal/lock.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';

const TOKEN = 'a-token-of-thirty-two-characters';
let folder: string;
let venue: PaperVenue;
const servers: Server[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-kill-'));
  const markets = [
    { slug: 'one', title: 'One?' },
    { slug: 'two', title: 'Two?' },
  ];
  const event = { slug: 'e', title: 'E', category: 'c', tickSize: '0.01', markets } as const;
  venue = await startPaperVenue({ events: [event] });
});

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await venue.stop();
  await rm(folder, { recursive: true });
});

const journal = () => join(folder, 'kill.db');

function marketAt(index: number) {
  const [event] = venue.desk.events();
  const market = event?.markets[index];
  if (event === undefined || market === undefined) throw new Error('two markets are listed');
  return { event, market };
}

/** An order of the account rests in each of two markets. */
function restInBoth(): void {
  for (const index of [0, 1]) {
    const { event, market } = marketAt(index);
    const asked = { side: 'BUY', timeInForce: 'GTC', quantity: shares(10) } as const;
    const price = ticks(event.grid, 40);
    const { tokenId } = market.yes;
    const { kind } = venue.desk.place('maker', { ...asked, tokenId, price });
    expect(kind).toBe('accepted');
  }
}

function openTokens(): readonly string[] {
  const { exchange } = venue;
  const open = exchange.openOrders(exchange.accounts.named('maker'));
  return open.map(({ terms }) => terms.outcome.tokenId);
}

type Kill = {
  readonly args?: readonly string[];
  readonly config?: object;
  readonly isSigned?: boolean;
  readonly port?: number;
  readonly more?: Readonly<Record<string, string>>;
};

async function kill({ args = [], config = {}, isSigned = true, port = 1, more = {} }: Kill = {}) {
  const file = join(folder, 'config.yaml');
  const content = {
    venue: { baseUrl: venue.baseUrl, wsUrl: venue.wsUrl },
    timing: { proofQuietMs: 200, proofDeadlineMs: 2_000 },
    journal: { path: journal() },
    http: { port },
    markets: [],
    ...config,
  };
  await writeFile(file, JSON.stringify(content));
  const { apiKey, apiSecret, apiPassphrase } = venue.account;
  const credentials = {
    VENUE_API_KEY: apiKey,
    VENUE_API_SECRET: apiSecret,
    VENUE_API_PASSPHRASE: apiPassphrase,
  };
  const env = { BOOKEND_CONTROL_TOKEN: TOKEN, ...(isSigned ? credentials : {}), ...more };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCli(['kill', '--config', file, ...args], { stdout, stderr, env });
  const said = `${stdout.read() ?? ''}${stderr.read() ?? ''}`;
  return { code, said };
}

/** A daemon of which there is nothing but its control routes. */
async function daemonThatSays(status: number, body: object) {
  const asked: { url: string | undefined; token: string | undefined }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, token: request.headers.authorization });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { asked, port: (server.address() as AddressInfo).port };
}

function markOfAccount(): string | undefined {
  const { apiKey, apiSecret, apiPassphrase } = venue.account;
  const [key, secret, passphrase] = [apiKey, apiSecret, apiPassphrase].map(
    (text) => new Secret(text),
  );
  if (key === undefined || secret === undefined || passphrase === undefined) return undefined;
  const identity = { apiKey: key, apiSecret: secret, apiPassphrase: passphrase };
  return accountMark(venue.baseUrl, identity);
}

describe('`kill` of a part', () => {
  it('takes the orders of one token and leaves the others, and sets no latch', async () => {
    restInBoth();
    const { tokenId } = marketAt(0).market.yes;
    const { code, said } = await kill({ args: ['--token', tokenId] });
    expect(code).toBe(0);
    expect(said).toContain('1 cancelled');
    expect(openTokens()).toEqual([marketAt(1).market.yes.tokenId]);
    expect(await readLatch(journal())).toBeUndefined();
  });

  it('takes the orders of one market and leaves the others', async () => {
    restInBoth();
    const { code } = await kill({ args: ['--market', marketAt(1).market.id] });
    expect(code).toBe(0);
    expect(openTokens()).toEqual([marketAt(0).market.yes.tokenId]);
  });

  it('without a daemon is noted for the record: who, which market, and with which result', async () => {
    restInBoth();
    const { id } = marketAt(1).market;
    await kill({ args: ['--market', id] });
    expect(await readErrands(journal())).toMatchObject([
      {
        ...{ action: 'kill', target: id, result: 'confirmed' },
        by: expect.stringMatching(/^bookend kill \(.*process \d+\)$/),
        detail: 'no daemon took part; 1 cancelled',
      },
    ]);
  });

  it('without a folder for a journal is on no record, and makes none', async () => {
    restInBoth();
    const path = join(folder, 'none', 'kill.db');
    const { code } = await kill({
      args: ['--token', marketAt(0).market.yes.tokenId],
      config: { journal: { path } },
    });
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  it('beside a process that holds the journal says whether that quotes the market no more', async () => {
    restInBoth();
    const clock = systemClock();
    const lock = await lockJournal({ journal: journal(), clock, onLost: () => {} });
    const { id } = marketAt(0).market;
    const deaf = await kill({ args: ['--market', id] });
    expect(deaf.said).toContain('goes on: it may place here again');
    const { asked, port } = await daemonThatSays(202, {});
    const told = await kill({ args: ['--market', id], port });
    expect(told.said).toContain(`until \`bookend resume --market ${id}\``);
    expect(asked).toEqual([{ url: `/control/kill?market=${id}`, token: `Bearer ${TOKEN}` }]);
    const refused = await daemonThatSays(409, {});
    const unmoved = await kill({ args: ['--market', id], port: refused.port });
    expect(unmoved.said).toContain('goes on: it may place here again');
    // The daemon that took it up has it on record itself.
    expect((await readErrands(journal())).map(({ target }) => target)).toEqual([id, id]);
    await lock.release();
  });
});

describe('`kill` of everything', () => {
  it('cancels at once and confirms nothing while what was sent may arrive, within its deadline', async () => {
    restInBoth();
    const startedAt = performance.now();
    const { code, said } = await kill({ args: ['--deadline', '2'] });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(code).toBe(4);
    expect(said).toContain('may still arrive');
    expect(said).toContain('ends within');
    expect(openTokens()).toEqual([]);
    expect(await readLatch(journal())).toMatchObject({ reason: 'kill' });
  });

  it('is confirmed by a daemon of this account, and not by another one', async () => {
    restInBoth();
    const other = await daemonThatSays(200, { kind: 'confirmed', account: 'somebody else' });
    const unknown = await kill({ args: ['--deadline', '2'], port: other.port });
    expect(unknown.code).toBe(4);
    expect(unknown.said).toContain('is not known to be of this account');
    expect(openTokens()).toEqual([]);
    restInBoth();
    const account = markOfAccount();
    const ours = await daemonThatSays(200, { kind: 'confirmed', account });
    const known = await kill({ args: ['--deadline', '5'], port: ours.port });
    expect(known.said).toContain('the daemon answered the kill with 200');
    expect(known.said).not.toContain('is not known to be of this account');
    expect(known.code).toBe(0);
    expect(ours.asked).toEqual([{ url: '/control/kill?wait=proof', token: `Bearer ${TOKEN}` }]);
  });

  it('is not confirmed by a daemon of this account that could not confirm it', async () => {
    restInBoth();
    const daemon = await daemonThatSays(504, { kind: 'unconfirmed', account: markOfAccount() });
    const { code, said } = await kill({ args: ['--deadline', '2'], port: daemon.port });
    expect(code).toBe(4);
    expect(said).toContain('the daemon answered the kill with 504');
  });

  it('is not confirmed beside a living process of this journal that has not confirmed it', async () => {
    const clock = systemClock();
    const lock = await lockJournal({ journal: journal(), clock, onLost: () => {} });
    const { code } = await kill({ args: ['--deadline', '2'] });
    expect(code).toBe(4);
    await lock.release();
  });

  it('of an account without orders and without a daemon is confirmed at once', async () => {
    const { code, said } = await kill();
    expect(code).toBe(0);
    expect(said).toContain('no daemon was told over HTTP');
  });
});

describe('`kill` where an embedded venue does not run any more', () => {
  it('has nothing to cancel, says so, and latches all the same', async () => {
    const { baseUrl } = venue;
    const settings = { venue: { baseUrl }, journal: { path: journal() } };
    const facts = { account: venue.account, baseUrl, wsUrl: venue.wsUrl, isRecorded: false };
    await leaveAccount({ ...facts, eventSlugs: [] }, settings);
    await venue.stop();
    const { code, said } = await kill({ args: ['--json'], isSigned: false });
    expect(code).toBe(0);
    expect(said).toContain('does not run: it has no orders');
    const result = JSON.parse(said.slice(0, said.lastIndexOf('}') + 1));
    expect(result).toMatchObject({ kind: 'confirmed', cancelled: 0, tookMs: 0 });
    expect(await readLatch(journal())).toMatchObject({ reason: 'kill' });
  });

  it('is not confirmed while no disk takes its latch', async () => {
    const settings = { venue: { baseUrl: venue.baseUrl }, journal: { path: journal() } };
    const facts = { account: venue.account, baseUrl: venue.baseUrl, wsUrl: venue.wsUrl };
    await leaveAccount({ ...facts, isRecorded: false, eventSlugs: [] }, settings);
    await venue.stop();
    // A daemon has run here, and a folder stands where the latch is drafted.
    await writeFile(journal(), '');
    await mkdir(`${latchFile(journal())}.${process.pid}.draft/in-the-way`, { recursive: true });
    const { code, said } = await kill({ isSigned: false });
    expect(code).toBe(4);
    expect(said).toContain('NOT CONFIRMED');
  });
});

describe('`kill` that cannot tell whose orders are meant, or may not sign', () => {
  it('of own orders without a ledger cancels nothing, and says what would', async () => {
    restInBoth();
    const { code, said } = await kill({ config: { orders: { scope: 'own' } } });
    expect(code).toBe(4);
    expect(said).toContain('bookend kill --account');
    expect(said).toContain('nothing was cancelled from here');
    expect(openTokens()).toHaveLength(2);
    const asked = await kill({ args: ['--own'] });
    expect(asked.code).toBe(4);
    expect(openTokens()).toHaveLength(2);
  });

  it('of the account cancels in the scope of own orders too, where it is told to', async () => {
    restInBoth();
    await kill({ args: ['--account', '--deadline', '1'], config: { orders: { scope: 'own' } } });
    expect(openTokens()).toEqual([]);
  });

  it('without credentials cancels nothing and is confirmed by nobody, and the latch is set', async () => {
    restInBoth();
    const { code, said } = await kill({ isSigned: false });
    expect(code).toBe(4);
    expect(said).toContain('no credentials');
    expect(openTokens()).toHaveLength(2);
    expect(await readLatch(journal())).toMatchObject({ reason: 'kill' });
  });

  it.each([
    [['--deadline', 'soon'], 'not a whole number of seconds'],
    [['--deadline', '1234567'], 'not a whole number of seconds'],
    [['--token', 'no token'], 'not a token id'],
    [['--own', '--account'], 'not both'],
  ])('with %j is wrong usage, and cancels nothing', async (args, text) => {
    restInBoth();
    const { code, said } = await kill({ args });
    expect(code).toBe(2);
    expect(said).toContain(text);
    expect(openTokens()).toHaveLength(2);
  });
});

describe('what `kill` says and notes', () => {
  it('is that nothing was cancelled where nobody may sign', async () => {
    const { said } = await kill({ args: ['--json'], isSigned: false });
    const result = JSON.parse(said.slice(0, said.lastIndexOf('}') + 1));
    expect(result).toMatchObject({ kind: 'unconfirmed', cancelled: 0, tookMs: 0 });
  });

  it('is on the record of the daemon that has taken it up, and not on that of another one', async () => {
    const daemon = await daemonThatSays(202, {});
    await kill({ args: ['--deadline', '1'], port: daemon.port });
    expect(await readErrands(journal())).toEqual([]);
    const refusing = await daemonThatSays(404, {});
    await kill({ args: ['--deadline', '1'], port: refusing.port });
    expect(await readErrands(journal())).toHaveLength(1);
  });

  it('is which claim cannot be read, beside a process that may place in the market again', async () => {
    await writeFile(`${journal()}.lock.1-abc`, '{"pid": 12');
    const { said } = await kill({ args: ['--market', marketAt(0).market.id] });
    expect(said).toContain('a process whose claim cannot be read');
  });

  it('is told to the daemon though credentials cannot be read, where all of the account is meant', async () => {
    const more = { VENUE_CREDENTIALS_FILE: join(folder, 'none.json') };
    const { tokenId } = marketAt(0).market.yes;
    const part = await kill({ isSigned: false, more, args: ['--token', tokenId] });
    expect(part.code).not.toBe(0);
    expect(await readLatch(journal())).toBeUndefined();
    const all = await kill({ isSigned: false, more });
    expect(all.code).not.toBe(0);
    expect(await readLatch(journal())).toMatchObject({ reason: 'kill' });
  });

  it('of own orders is that a daemon in the scope of the account cancels all the same', async () => {
    const ledger = await openLedger({ path: journal(), clock: systemClock() });
    ledger.close();
    const text = 'orders.scope is account: a running daemon of this journal cancels all the same';
    const args = ['--own', '--deadline', '1'];
    expect((await kill({ args })).said).toContain(text);
    const own = await kill({ args, config: { orders: { scope: 'own' } } });
    expect(own.said).not.toContain(text);
  });
});

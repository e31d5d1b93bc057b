import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import type { PaperOptions } from '../../../src/paper/options.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { Lab, LabVenue, RACE, RAIN } from '../../conformance/bench/lab.ts';
import { ok, raw, reset, startHttpDouble } from '../../support/http-double.ts';

let folder: string;
let venue: PaperVenue;
const lab = new Lab();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-doctor-'));
});

afterEach(async () => {
  await lab.stop();
  await venue.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<PaperOptions> = {}): Promise<void> {
  venue = await startPaperVenue({ events: [RAIN, RACE], ...options });
}

type Change = {
  readonly env?: Readonly<Record<string, string>>;
  readonly markets?: readonly object[];
  readonly baseUrl?: string;
  readonly scope?: 'own';
};

type Examined = {
  readonly code: number;
  readonly findings: readonly { check: string; kind: string; detail: string; cure?: string }[];
};

async function doctor(change: Change = {}): Promise<Examined> {
  const { code, stdout } = await run(['--json'], change);
  return { code, findings: JSON.parse(stdout).findings };
}

async function run(args: readonly string[], change: Change) {
  const file = join(folder, 'config.yaml');
  const content = {
    venue: { baseUrl: change.baseUrl ?? venue.baseUrl, wsUrl: venue.wsUrl },
    markets: change.markets ?? [{ event: 'rain', strategy: 'ladder' }],
    risk: {
      maxPositionShares: 500,
      maxOrderNotionalUsdc: 100,
      maxOpenOrders: 200,
      maxLossUsdc: 250,
    },
    orders: { scope: change.scope ?? 'account' },
    journal: { path: join(folder, 'test.db') },
  };
  await writeFile(file, JSON.stringify(content));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { apiKey, apiSecret, apiPassphrase } = venue.account;
  const env = {
    ...{ VENUE_API_KEY: apiKey, VENUE_API_SECRET: apiSecret, VENUE_API_PASSPHRASE: apiPassphrase },
    ...change.env,
  };
  const code = await runCli(['doctor', '--config', file, ...args], { stdout, stderr, env });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const of = ({ findings }: Examined, check: string) =>
  findings.find((finding) => finding.check === check);

describe('`doctor`', () => {
  it('finds nothing wrong with a venue, an account and a configuration that fit', async () => {
    await start();
    new LabVenue(venue, (ending) => lab.atEnd(ending)).crowd('BUY', '0.40', 100);
    const examined = await doctor();
    const wrong = examined.findings.filter(({ kind }) => kind !== 'ok');
    expect(wrong).toEqual([]);
    expect(examined.code).toBe(0);
    expect(of(examined, 'market')?.detail).toContain('open, tick 0.01, YES 0.40/–, NO –/–');
    expect(of(examined, 'balances')?.detail).toContain('10000.00 of 10000.00 USDC available');
    expect(of(examined, 'book snapshots')?.detail).toBe('2 of 2 came');
    expect(of(examined, 'interface')?.detail).toBe('25 of 25 cards hold');
  });

  it('places nothing and cancels nothing', async () => {
    await start();
    const maker = new LabVenue(venue, (ending) => lab.atEnd(ending));
    const orderHash = await maker.rests();
    const examined = await doctor();
    expect(of(examined, 'open orders')).toMatchObject({
      ...{ kind: 'note', detail: '1 open' },
      cure: 'a start cancels every one of them before it quotes',
    });
    const own = await doctor({ scope: 'own' });
    expect(of(own, 'open orders')?.cure).toContain('those of them that were sent from here');
    expect(await maker.order(orderHash)).toBeDefined();
    expect(examined.code).toBe(0);
  });

  it.each([
    { part: 'VENUE_API_KEY', code: 'unknown_api_key' },
    { part: 'VENUE_API_SECRET', code: 'invalid_signature' },
    { part: 'VENUE_API_PASSPHRASE', code: 'invalid_passphrase' },
  ])('names $part as the wrong part of the credentials', async ({ part, code }) => {
    await start();
    const examined = await doctor({ env: { [part]: 'c-other' } });
    expect(of(examined, 'credentials')).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining(code),
      cure: expect.any(String),
    });
    expect(of(examined, 'socket session')?.kind).toBe('refused');
    expect(examined.code).toBe(3);
  });

  it('says how to give credentials where there are none', async () => {
    await start();
    const none = { VENUE_API_KEY: '', VENUE_API_SECRET: '', VENUE_API_PASSPHRASE: '' };
    const examined = await doctor({ env: none });
    expect(of(examined, 'credentials')?.cure).toContain('VENUE_CREDENTIALS_FILE');
    expect(of(examined, 'balances')?.kind).toBe('skipped');
    expect(examined.code).toBe(3);
  });

  it('measures the clock, and still signs with the venue’s time', async () => {
    await start();
    venue.faults.shiftClock(60_000);
    const examined = await doctor();
    expect(of(examined, 'clock')).toMatchObject({
      kind: 'refused',
      detail: expect.stringMatching(/^the venue is (59|60|61)\.\d s ahead, .*; more than 15 s: /),
      cure: expect.stringContaining('time service'),
    });
    expect(of(examined, 'credentials')?.kind).toBe('ok');
    expect(examined.code).toBe(3);
  });

  it('names events and markets that the venue does not have', async () => {
    await start();
    const examined = await doctor({
      markets: [
        { event: 'snow', strategy: 'ladder' },
        { event: 'race', market: 'nobody', strategy: 'ladder' },
      ],
    });
    const details = examined.findings.filter(({ check }) => check === 'market');
    expect(details).toMatchObject([
      { kind: 'refused', detail: 'the venue has no event snow' },
      { kind: 'refused', detail: 'race has no market nobody' },
    ]);
    expect(examined.code).toBe(3);
  });

  it('says that a venue cannot be reached, and asks nothing further', async () => {
    await start();
    const examined = await doctor({ baseUrl: 'http://127.0.0.1:9/api' });
    expect(examined.findings).toMatchObject([{ check: 'address', kind: 'failed' }]);
    expect(examined.code).toBe(1);
  });

  it.each([
    ['breaks off', reset, 'no answer to GET /portfolio/balances: '],
    ['sends without an end', raw(200, 'x'.repeat(5_000_000)), 'more than 4194304 bytes'],
  ])('says so where a venue %s, and goes on', async (_, answer, detail) => {
    await start();
    const double = await startHttpDouble();
    lab.atEnd(async () => await double.stop());
    double.on('GET', '/time', (request, response) =>
      ok({ serverTime: Math.floor(Date.now() / 1_000) })(request, response),
    );
    double.on('GET', '/portfolio/balances', answer);
    const examined = await doctor({ baseUrl: double.baseUrl });
    expect(of(examined, 'credentials')).toMatchObject({
      kind: 'failed',
      detail: expect.stringContaining(detail),
    });
    expect(of(examined, 'limits')?.kind).toBe('ok');
    expect(examined.code).not.toBe(0);
  });

  it('speaks to the older generation too', async () => {
    await start({ dialect: { eventsAs: 'array', statusCase: 'upper', numbersAs: 'number' } });
    const examined = await doctor();
    expect(of(examined, 'interface')?.detail).toBe('25 of 25 cards hold');
    expect(examined.code).toBe(0);
  });

  it('prints one line for each finding, and its cure below', async () => {
    await start();
    const { code, stdout } = await run([], { env: { VENUE_API_KEY: 'k-other' } });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ok +address/m);
    expect(stdout).toMatch(/^WRONG +credentials +the apiKey is wrong/m);
    expect(stdout).toMatch(/^ +→ copy the apiKey anew/m);
    expect(stdout).not.toContain(venue.account.apiSecret);
  });
});

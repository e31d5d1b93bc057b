// The image at work: it quotes without any right, and a stop leaves no order behind.

import assert from 'node:assert/strict';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { Secret } from '../../src/domain/secret.ts';
import type { UnixMs } from '../../src/domain/time.ts';
import { signedHeaders } from '../../src/venue/http/account.ts';
import { composed } from './compose.ts';
import { type Podman, until } from './podman.ts';

const QUOTES_WITHIN_MS = 45_000;
const CONFIG = '/etc/bookend/config.yaml';
const COMPOSE = composed();
const SETTINGS = 'ops/bookend.yaml';

/** As compose runs it: daemon and embedded venue in one container that reaches nothing. */
export async function checkPaper(podman: Podman, health: readonly string[]): Promise<void> {
  const mounts = ['--volume=paper:/data', `--volume=${process.cwd()}/${SETTINGS}:${CONFIG}:ro`];
  await podman.start('paper', ['--network=none', ...COMPOSE.flags, ...mounts], COMPOSE.command);
  await shown(podman, 'paper', async () => {
    const orders = await quoted(podman, 'paper', '/data/paper.db.token');
    console.log(`✔ paper: ${orders} quotes rest, on both sides of every market`);
    await podman.exec('paper', ...health);
    console.log('✔ paper: its own health check is content');
    await checkRights(podman, 'paper');
    await stop(podman, 'paper');
  });
}

/** As on a real venue, which here is the embedded one in a container of its own and outlives the daemon. */
export async function checkRun(podman: Podman, work: string): Promise<void> {
  const file = (name: string, text: string) => {
    writeFileSync(join(work, name), text);
    return join(work, name);
  };
  const venueFile = `--volume=${process.cwd()}/${SETTINGS}:${CONFIG}:ro`;
  const venueFlags = ['--network=none', ...COMPOSE.flags, venueFile];
  const serve = ['venue', '--config', CONFIG, '--port', '8787', '--json'];
  await podman.start('venue', venueFlags, serve);
  const venue = await until('address of the venue', 20_000, async () => {
    const text = await podman.logs('venue');
    return text.includes('}') ? (JSON.parse(text) as Venue) : undefined;
  });
  const secret = file('venue.json', JSON.stringify(venue.account));
  chmodSync(secret, 0o600);
  chownSync(secret, 1000, 1000);
  const { paper: _, ...settings } = parse(readFileSync(SETTINGS, 'utf8')) as Settings;
  const { baseUrl, wsUrl } = venue;
  const config = file('live.yaml', stringify({ ...settings, venue: { baseUrl, wsUrl } }));
  await podman.start(
    'live',
    [
      ...['--network=container:venue', ...COMPOSE.flags, '--volume=live:/data'],
      ...[`--volume=${config}:${CONFIG}:ro`, `--volume=${secret}:/run/secrets/venue:ro`],
      '--env=VENUE_CREDENTIALS_FILE=/run/secrets/venue',
    ],
    ['run', '--config', CONFIG],
  );
  await shown(podman, 'live', async () => {
    await quoted(podman, 'live', '/data/paper.db.token');
    const before = await openOrders(podman, venue);
    assert.ok(before > 0, 'the venue lists no order while the daemon quotes');
    await stop(podman, 'live');
    const after = await openOrders(podman, venue);
    assert.equal(after, 0, `the venue lists ${after} orders after the stop`);
    console.log(`✔ live: the venue listed ${before} orders before SIGTERM, and none after it`);
  });
}

type Settings = Readonly<Record<string, unknown>>;
type Venue = {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly account: Readonly<Record<'apiKey' | 'apiSecret' | 'apiPassphrase', string>>;
};

/** Where a check of a container fails, its last lines say why. */
async function shown(podman: Podman, name: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    console.error(`the last lines of ${name}:\n${(await podman.logs(name)).slice(-4_000)}`);
    throw error;
  }
}

/** Waits until both sides of every market are quoted. @returns How many quotes that are. */
async function quoted(podman: Podman, name: string, tokenFile: string): Promise<number> {
  return await until(`quotes of ${name}`, QUOTES_WITHIN_MS, async () => {
    const token = (await podman.exec(name, 'cat', tokenFile)).trim();
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await podman.fetch(name, 'http://127.0.0.1:9464/api/state', headers);
    const { markets } = JSON.parse(body) as State;
    const isQuoted = markets.every(({ ownBids, ownAsks }) => ownBids.length * ownAsks.length > 0);
    const orders = markets.flatMap(({ ownBids, ownAsks }) => [...ownBids, ...ownAsks]);
    return markets.length > 0 && isQuoted ? orders.length : undefined;
  });
}

type State = {
  readonly markets: readonly {
    readonly ownBids: readonly unknown[];
    readonly ownAsks: readonly unknown[];
  }[];
};

/** Small memory disks that crun makes in every container. */
const OF_THE_RUNTIME = ['/dev/shm', '/dev/mqueue', '/sys/fs/cgroup'];

/** Each process of it has an ordinary user and no right that it could get back; it writes where it should, nowhere else. */
async function checkRights(podman: Podman, name: string): Promise<void> {
  const wanted =
    'for each in /proc/[0-9]*; do grep -E "^(Uid|CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp):" $each/status | tr -d "\\t\\n"; echo; done';
  const lines = (await podman.exec(name, 'sh', '-c', wanted)).trim().split('\n');
  const none = '0'.repeat(16);
  const right = `Uid:${'1000'.repeat(4)}CapPrm:${none}CapEff:${none}CapBnd:${none}NoNewPrivs:1Seccomp:2`;
  // tini, watchdog, trader, HTTP and the shell that looks; one that ended meanwhile has an empty line.
  const seen = lines.filter((line) => line !== '');
  assert.ok(seen.length >= 5, `${seen.length} processes`);
  assert.deepEqual([...new Set(seen)], [right]);
  const find = 'find / -path /proc -prune -o -type d -writable -print 2>/dev/null; :';
  const places = (await podman.exec(name, 'sh', '-c', find)).trim().split('\n');
  const own = places.filter((path) => !OF_THE_RUNTIME.includes(path));
  const tops = new Set(own.map((path) => path.split('/').slice(0, 2).join('/')));
  assert.deepEqual([...tops].toSorted(), ['/data', '/tmp'], places.join(' '));
  console.log(
    `✔ ${name}: ${seen.length} processes, user 1000, no capability, seccomp; only /data and /tmp take files`,
  );
}

/** Sends the signal of the image, and waits as long as compose does. */
async function stop(podman: Podman, name: string): Promise<void> {
  const startedMs = performance.now();
  await podman.call('stop', '--time', String(COMPOSE.graceSec), name);
  const tookSec = (performance.now() - startedMs) / 1_000;
  const { State } = await podman.inspect(name);
  assert.equal(State.ExitCode, 0, `${name} ended with ${State.ExitCode}`);
  assert.ok(tookSec < COMPOSE.graceSec, `the stop took ${tookSec} s of ${COMPOSE.graceSec}`);
  assert.match(await podman.logs(name), /"event":"daemon.stopped","kind":"confirmed"/);
  console.log(
    `✔ ${name}: SIGTERM, every order confirmed cancelled, exit 0 after ${tookSec.toFixed(1)} s of ${COMPOSE.graceSec}`,
  );
}

async function openOrders(podman: Podman, { baseUrl, account }: Venue): Promise<number> {
  const request = { method: 'GET', path: '/orders', body: '' } as const;
  const credentials = {
    apiKey: new Secret(account.apiKey),
    apiSecret: new Secret(account.apiSecret),
    apiPassphrase: new Secret(account.apiPassphrase),
  };
  const headers = signedHeaders(request, credentials, Date.now() as UnixMs);
  const { status, body } = await podman.fetch('venue', `${baseUrl}/orders`, headers);
  assert.equal(status, 200, body);
  return (JSON.parse(body) as { readonly data: readonly unknown[] }).data.length;
}

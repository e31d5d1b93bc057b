import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../../../src/cli/cli.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { freePort } from '../../support/free-port.ts';
import { ROOT } from '../../support/processes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-cli-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function bookend(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await runCli(args, { stdout, stderr, env });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

async function config(content: object): Promise<string> {
  const file = join(folder, 'config.yaml');
  await writeFile(file, JSON.stringify({ markets: [], ...content }));
  return file;
}

/** Whatever steers a terminal or turns text around, the end of a line left out. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;

const COMMANDS = ['paper', 'run', 'venue', 'check', 'kill', 'markets', 'status'];

describe('the command line', () => {
  it('shows every command and the exit codes in its help', async () => {
    const { code, stdout } = await bookend(['--help']);
    expect(code).toBe(0);
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(stdout).toContain('4 a kill or shutdown could not be confirmed clean');
  });

  it.each(['--version', '-V'])('says its version with %s', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await bookend([flag])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each(COMMANDS)('explains `%s --help` on standard output', async (name) => {
    const { code, stdout, stderr } = await bookend([name, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('--config <file>');
  });

  it.each([
    [['dance'], 'unknown command'],
    [['run'], "required option '--config <file>'"],
    [['kill'], '(bookend kill --help has its options)'],
    [['kill', '--confg', 'x'], 'Did you mean --config'],
    [['statsu'], 'Did you mean status'],
    [['backtest', '--world', 'calmm'], 'there is no such world'],
    [['replay', 'none.ndjson'], 'cannot be read (ENOENT): there is no such file'],
    [
      ['check', '--config', 'none.yaml'],
      'there is no such file (ENOENT); `bookend init` writes one',
    ],
    [['check', '--config', 'a', '--colour'], 'unknown option'],
    [['kill', '--config', 'a', '--token', 'yes'], 'not a token id'],
    [['kill', '--config', 'a', '--token', '0x1', '--market', 'm'], 'not both'],
    [['venue', '--port', '99999'], 'not a port'],
    [['paper', '--speed', 'fast'], 'not a speed'],
    [['check', '--config', 'a', 'b'], 'too many arguments'],
  ])('refuses `%s` as wrong usage', async (args, complaint) => {
    const { code, stdout, stderr } = await bookend(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(complaint);
  });
});

describe('`check`', () => {
  it('prints the effective settings, defaults included', async () => {
    const file = await config({ risk: { maxLossUsdc: 77 } });
    const { code, stdout } = await bookend(['check', '--config', file]);
    expect(code).toBe(0);
    expect(stdout).toContain('maxLossUsdc: 77');
    expect(stdout).toContain('maxOpenOrders: 200');
  });

  it('prints the worst case against the limits, as comments of what stays YAML', async () => {
    const markets = [{ event: 'e', strategy: 'ladder', params: { size: 40, levels: 2 } }];
    const file = await config({ markets, risk: { maxLossUsdc: 77 } });
    const { stdout } = await bookend(['check', '--config', file]);
    expect(stdout).toContain(
      '#   one side of every ladder filled: 40 to 80 USDC of risk.maxLossUsdc 77; risk.maxLossUsdc ends it there',
    );
    expect(parse(stdout)).toMatchObject({ risk: { maxLossUsdc: 77 } });
    const json = await bookend(['check', '--config', file, '--json']);
    expect(JSON.parse(json.stdout).worstCase[0]).toMatchObject({
      least: 40,
      most: 80,
      limitIs: 77,
    });
  });

  it('never prints a secret', async () => {
    const file = await config({});
    const env = {
      VENUE_API_KEY: 'k-1234567',
      VENUE_API_SECRET: 's-1234567',
      VENUE_API_PASSPHRASE: 'p-1234567',
      BOOKEND_CONTROL_TOKEN: 't-1234567890123456',
    };
    for (const format of [[], ['--json']]) {
      const { stdout, stderr } = await bookend(['check', '--config', file, ...format], env);
      expect(stdout + stderr).not.toContain('1234567');
    }
  });

  it('tells every problem with its path', async () => {
    const file = await config({ risk: { maxLossUsdc: -1, maxLoss: 5 } });
    const plain = await bookend(['check', '--config', file]);
    expect(plain.code).toBe(2);
    expect(plain.stderr).toContain('risk.maxLossUsdc');
    expect(plain.stderr).toContain('risk.maxLoss:');
    const json = await bookend(['check', '--config', file, '--json']);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, problems: [{}, {}] });
  });

  it('refuses half a set of credentials', async () => {
    const file = await config({});
    const { code, stderr } = await bookend(['check', '--config', file], { VENUE_API_KEY: 'k' });
    expect(code).toBe(2);
    expect(stderr).toContain('VENUE_API_SECRET');
  });
});

describe('`markets`', () => {
  let venue: PaperVenue;
  beforeEach(async () => {
    const event = (slug: string, title: string) =>
      ({ slug, title, category: 'c', tickSize: '0.01', markets: [{ slug: 'm', title }] }) as const;
    venue = await startPaperVenue({
      events: [event('rain', 'Will it rain?'), event('snow', 'Will it snow?')],
    });
  });
  afterEach(async () => await venue.stop());

  const file = async () => await config({ venue: { baseUrl: venue.baseUrl, wsUrl: venue.wsUrl } });

  it('lists events with whole token ids', async () => {
    const { code, stdout } = await bookend(['markets', '--config', await file()]);
    expect(code).toBe(0);
    expect(stdout).toContain('Will it rain?');
    const token = venue.desk.events()[0]?.markets[0]?.yes.tokenId ?? 'none';
    expect(stdout).toContain(`YES ${token}`);
  });

  it('narrows by title and prints JSON', async () => {
    const args = ['markets', '--config', await file(), '--search', 'snow', '--json'];
    const { stdout } = await bookend(args);
    expect(JSON.parse(stdout)).toMatchObject([{ event: { slug: 'snow' }, tickSize: '0.01' }]);
  });

  it('shows a title that would steer the terminal as text, and as JSON unchanged', async () => {
    const hostile = 'Rain\u001b[2J\u009b31m\u202Etomorrow\u2028';
    const event = { slug: 'x', title: hostile, category: 'c', tickSize: '0.01' } as const;
    const other = await startPaperVenue({
      events: [{ ...event, markets: [{ slug: 'm', title: hostile }] }],
    });
    const at = await config({ venue: { baseUrl: other.baseUrl, wsUrl: other.wsUrl } });
    const plain = await bookend(['markets', '--config', at]);
    expect(plain.stdout).toContain('Rain [2J 31m tomorrow');
    expect(plain.stdout).not.toMatch(UNSEEN);
    const json = await bookend(['markets', '--config', at, '--json']);
    expect(json.stdout).not.toMatch(UNSEEN);
    expect(JSON.parse(json.stdout)).toMatchObject([{ event: { title: hostile } }]);
    await other.stop();
  });

  it('fails when the venue does not answer, and prints no result', async () => {
    const gone = await config({ venue: { baseUrl: 'http://127.0.0.1:9/api' } });
    const { code, stdout, stderr } = await bookend(['markets', '--config', gone]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('cannot be read');
  });
});

describe('`status`', () => {
  it('fails when no daemon answers', async () => {
    const { code, stderr } = await bookend([
      'status',
      '--config',
      await config({ http: { port: 9 } }),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('no daemon answers at http://127.0.0.1:9');
  });

  it('says how to start one, of the embedded venue or of a real one', async () => {
    const port = await freePort();
    const started = async (more: object) =>
      (await bookend(['status', '--config', await config({ http: { port }, ...more })])).stderr;
    const venue = { baseUrl: 'https://venue.example/api', wsUrl: 'wss://venue.example/ws' };
    expect(await started({})).toContain('start it with `bookend paper --config ');
    expect(await started({ venue })).toContain('start it with `bookend run --config ');
  });

  it('fails on a state of another version instead of showing nothing', async () => {
    const server = createServer((_, response) => response.end('{"phase":"quoting"}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stderr } = await bookend([
      'status',
      '--config',
      await config({ http: { port } }),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('of another version');
    server.close();
  });
});

describe('`kill`', () => {
  it('says what was cancelled, by itself, and sets the latch', async () => {
    const markets = [{ slug: 'm', title: 'M?' }];
    const event = { slug: 'e', title: 'E', category: 'c', tickSize: '0.01', markets } as const;
    const venue = await startPaperVenue({ events: [event] });
    const file = await config({
      venue: { baseUrl: venue.baseUrl, wsUrl: venue.wsUrl },
      timing: { proofQuietMs: 200, proofDeadlineMs: 2_000 },
      journal: { path: join(folder, 'kill.db') },
      // What no daemon would start with keeps nobody from cancelling.
      markets: [{ event: 'e', strategy: 'gone', params: { levels: -3 } }],
      rsk: {},
    });
    const { apiKey, apiSecret, apiPassphrase } = venue.account;
    const { code, stdout, stderr } = await bookend(['kill', '--config', file], {
      VENUE_API_KEY: apiKey,
      VENUE_API_SECRET: apiSecret,
      VENUE_API_PASSPHRASE: apiPassphrase,
      BOOKEND_CONTROL_TOKEN: 'short',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^confirmed: no open order is left; 0 cancelled/);
    expect(stderr).toContain('latched:');
    await venue.stop();
  });
});

it('takes a configuration without a market for wrong usage, at once', async () => {
  const file = await config({ guard: { enabled: false }, http: { port: 0 } });
  const { code, stderr } = await bookend(['run', '--config', file]);
  expect(code).toBe(2);
  expect(stderr).toContain('markets: names at least one market');
});

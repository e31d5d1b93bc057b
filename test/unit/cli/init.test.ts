// `init`: from nothing to a configuration that `check` takes, asked or by flags.

import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStrategies } from '../../../src/app/strategies.ts';
import { runCli } from '../../../src/cli/cli.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-init-'));
  file = join(folder, 'my.yaml');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const STRATEGIES = [...(await loadStrategies()).keys()];

class Terminal extends PassThrough {
  readonly isTTY = true;
}

async function bookend(args: readonly string[], typed?: string) {
  const stdout = new PassThrough();
  const stderr = typed === undefined ? new PassThrough() : new Terminal();
  const stdin = new Terminal();
  stdin.end(typed ?? '');
  const io = { stdout, stderr, env: {}, ...(typed === undefined ? {} : { stdin }) };
  const code = await runCli(args, io);
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

const init = async (args: readonly string[], typed?: string) =>
  await bookend(['init', '--config', file, ...args], typed);

async function written(): Promise<Record<string, Record<string, unknown>>> {
  return parse(await readFile(file, 'utf8'));
}

describe('`init` on a terminal', () => {
  it('asks five questions, and an empty answer takes what stands in brackets', async () => {
    const { code, stderr, stdout } = await init([], '\n\n\n\n\n');
    expect(code).toBe(0);
    const asked = [
      'Where to trade',
      'synthetic crowd',
      'Which events',
      'Which strategy',
      'lost at worst',
    ];
    for (const question of asked) expect(stderr).toContain(question);
    expect(stderr).toContain('[rain-tomorrow]');
    expect(stdout).toContain(`npx bookend paper --config ${file}`);
    expect(await written()).toMatchObject({
      markets: [{ event: 'rain-tomorrow', strategy: 'auto' }],
      paper: { crowd: 'honest' },
    });
  });

  it('names its file as a shell takes it', async () => {
    file = join(folder, "Ann's first.yaml");
    const { stdout } = await init(['--yes']);
    expect(stdout).toContain(`npx bookend check --config '${folder}/Ann'\\''s first.yaml'`);
  });

  it('says what would be right, and asks again', async () => {
    const typed = [
      'ftp://venue',
      'paper',
      'kind',
      'generous',
      'Rain!',
      'rain snow',
      'lader',
      'ladder',
      '3',
      '400',
    ];
    const { code, stderr } = await init([], `${typed.join('\n')}\n`);
    expect(code).toBe(0);
    expect(stderr).toContain('must be paper, or an http:// or https:// address that ends in /api');
    expect(stderr).toContain('must be one of honest, generous');
    expect(stderr).toContain('must be lower-case words joined by dashes');
    expect(stderr).toContain('did you mean ladder?');
    expect(stderr).toContain('must be a number from 40, 20 for each event');
    expect(await written()).toMatchObject({
      markets: [
        { event: 'rain', strategy: 'ladder', params: { levels: 3, size: 20 } },
        { event: 'snow', strategy: 'ladder', params: { levels: 3, size: 20 } },
      ],
      risk: { maxLossUsdc: 400, maxPositionShares: 200 },
    });
  });

  it('asks for the addresses of a real venue, and never for a secret', async () => {
    const { code, stderr, stdout } = await init([], 'https://venue.example/api\n\n\n\n\n');
    expect(code).toBe(0);
    expect(stderr).toContain('[wss://venue.example/ws]');
    expect(stderr).not.toMatch(/secret|passphrase|api ?key/i);
    expect(stdout).toContain('VENUE_CREDENTIALS_FILE');
    expect(stdout).toContain('bookend markets');
    expect(await written()).toMatchObject({
      markets: [],
      venue: { wsUrl: 'wss://venue.example/ws' },
    });
    expect(await written()).not.toHaveProperty('paper');
  });

  it('writes nothing where the answers end early', async () => {
    const { code, stderr } = await init([], 'paper\n');
    expect(code).toBe(2);
    expect(stderr).toContain('not all questions are answered; nothing is written');
    expect(await readdir(folder)).toEqual([]);
  });

  it('asks only what no flag answers', async () => {
    const flags = [
      '--venue',
      'paper',
      '--crowd',
      'honest',
      '--event',
      'rain',
      '--strategy',
      'auto',
    ];
    const { code, stderr } = await init(flags, '300\n');
    expect(code).toBe(0);
    expect(stderr).not.toContain('Where to trade');
    expect(await written()).toMatchObject({ risk: { maxLossUsdc: 300 } });
  });
});

describe('`init --yes`', () => {
  it.each(STRATEGIES)('writes with %s what `check` takes without a warning', async (strategy) => {
    expect((await init(['--yes', '--strategy', strategy, '--event', 'a', 'b'])).code).toBe(0);
    const { code, stderr } = await bookend(['check', '--config', file]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('explains every line in comments, and names the schema for editors', async () => {
    await init(['--yes', '--strategy', 'ladder']);
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\S+config\/schema\.json\n/);
    expect(text).toMatch(/# halfSpreadTicks: 2 +# Distance of the best bid/);
    expect(text).toMatch(/drawdownUsdc: 200 +# from the highest profit/);
  });

  it('refuses a flag that is wrong by its name, and writes nothing', async () => {
    const { code, stderr } = await init(['--yes', '--venue', 'https://key:hunter22@venue/api']);
    expect(code).toBe(2);
    expect(stderr).toContain('--venue: must be paper, or');
    expect(stderr).not.toContain('hunter22');
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps a name that YAML would read as something else a name', async () => {
    const venue = ['--venue', 'https://venue.example/api'];
    await init(['--yes', ...venue, '--event', 'true', '123', "it's#1"]);
    expect(await written()).toMatchObject({
      markets: [{ event: 'true' }, { event: '123' }, { event: "it's#1" }],
    });
  });

  it('makes no folder: one that is not there is a slip of the keyboard', async () => {
    const { code, stderr } = await bookend([
      'init',
      '--yes',
      '--config',
      join(folder, 'no/my.yaml'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('no/my.yaml: its folder is not there');
  });

  it('asks for --yes where nobody sits at a terminal', async () => {
    const { code, stderr } = await init([]);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
  });
});

describe('a file that is there', () => {
  it('is left alone', async () => {
    await writeFile(file, 'mine: true\n');
    const { code, stderr } = await init(['--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('is there already; --force');
    expect(await readFile(file, 'utf8')).toBe('mine: true\n');
  });

  it('is kept beside the new one with --force, and its mode stays', async () => {
    await writeFile(file, 'mine: true\n');
    await chmod(file, 0o640);
    const { code, stdout } = await init(['--yes', '--force']);
    expect(code).toBe(0);
    expect(stdout).toContain('my.yaml.bak');
    expect(await readFile(`${file}.bak`, 'utf8')).toBe('mine: true\n');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await readdir(folder)).sort()).toEqual(['my.yaml', 'my.yaml.bak']);
  });
});

describe('`schema`', () => {
  it('knows the modules that a configuration names, and says where there is none', async () => {
    const own = `export const strategy = { name: 'own', summary: 'Mine.', params: { pace: { doc: 'How fast.', unit: 'ticks', kind: 'whole', default: 1, min: 1, max: 5, format() {} } }, quote: () => ({ quotes: [], reasons: [] }) };`;
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'own.js'), own);
    await writeFile(file, 'markets: [{ event: a, strategy: ./own.js }]');
    const { code, stdout } = await bookend(['schema', '--config', file]);
    expect(code).toBe(0);
    const items = JSON.parse(stdout).properties.markets.items;
    const found = items.allOf.find((each: { if: object }) =>
      JSON.stringify(each.if).includes('own.js'),
    );
    expect(found.then.properties.params.properties.pace).toMatchObject({
      type: 'integer',
      maximum: 5,
    });
    const missing = await bookend(['schema', '--config', join(folder, 'none.yaml')]);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
  });
});

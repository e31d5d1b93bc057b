import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { SettingsChange } from '../../../src/settings/diff.ts';
import { loadSettings } from '../../../src/settings/load.ts';
import type { SettingsError } from '../../../src/settings/problems.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import {
  type SettingsWatch,
  type WatchOptions,
  watchSettings,
} from '../../../src/settings/watch.ts';
import { fileOf, folder, STRATEGIES } from './support.ts';

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 8_000, interval: 10 };

const text = (levels: number, more = ''): string =>
  `markets: [{ event: rain, strategy: steps, params: { levels: ${levels} } }]\n${more}`;

type Watched = {
  readonly watch: SettingsWatch;
  readonly changes: SettingsChange[];
  readonly refused: SettingsError[];
};

const open: SettingsWatch[] = [];

afterEach(() => {
  for (const watch of open.splice(0)) watch.close();
});

function watched(file: string, options: Partial<WatchOptions> = {}): Watched {
  const source = { file, env: {}, strategies: STRATEGIES };
  const changes: SettingsChange[] = [];
  const refused: SettingsError[] = [];
  const watch = watchSettings({
    ...source,
    initial: loadSettings(source),
    onChange: (_settings, change) => changes.push(change),
    onRefused: (error) => refused.push(error),
    settleMs: 15,
    pollMs: 25,
    ...options,
  });
  open.push(watch);
  return { watch, changes, refused };
}

const levels = (watch: SettingsWatch): unknown => watch.current().markets[0]?.params['levels'];

/** Long enough for a change to be noticed twice. */
const QUIET_MS = 150;

describe('a file that changes', () => {
  const ways: readonly { readonly name: string; readonly save: (file: string) => void }[] = [
    { name: 'saved in place', save: (file) => writeFileSync(file, text(4)) },
    {
      name: 'replaced by rename',
      save: (file) => {
        writeFileSync(`${file}.new`, text(4));
        renameSync(`${file}.new`, file);
      },
    },
    {
      name: 'removed and written again',
      save: (file) => {
        unlinkSync(file);
        writeFileSync(file, text(4));
      },
    },
  ];

  it.each(ways)('is applied when $name', async ({ save }) => {
    const file = fileOf(text(3));
    const { watch, changes } = watched(file);
    await sleep(QUIET_MS);
    save(file);
    await expect.poll(() => levels(watch), SOON).toBe(4);
    expect(changes).toEqual([
      { applied: [{ path: 'markets[0].params.levels', before: 3, after: 4 }], needsRestart: [] },
    ]);
  });

  it('is applied while something else in its folder is written all the time', async () => {
    const file = fileOf(text(3));
    const { watch } = watched(file, { settleMs: 100, pollMs: 2_000 });
    const other = setInterval(() => writeFileSync(`${file}.log`, 'a line\n', { flag: 'a' }), 20);
    try {
      await sleep(QUIET_MS);
      writeFileSync(file, text(4));
      await expect.poll(() => levels(watch), SOON).toBe(4);
    } finally {
      clearInterval(other);
    }
  });

  it.each(['stat', 'read'] as const)('holds up nobody while its %s hangs', async (name) => {
    const file = fileOf(text(3));
    let asked = 0;
    let answer = (): void => {};
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const late = async <Value>(look: () => Value): Promise<Value> => {
      asked += 1;
      return await hangs.then(look);
    };
    const looks = {
      stat: { stat: async (path: string) => await late(() => statSync(path)) },
      read: { read: async (path: string) => await late(() => readFileSync(path, 'utf8')) },
    };
    const { watch } = watched(file, looks[name]);
    writeFileSync(file, text(4));
    await expect.poll(() => asked, SOON).toBe(1);
    await sleep(QUIET_MS);
    // Each that hangs holds a thread.
    expect([asked, levels(watch)]).toEqual([1, 3]);
    answer();
    await expect.poll(() => levels(watch), SOON).toBe(4);
  });

  it('is read again where it changed while its disk was slow to answer', async () => {
    const file = fileOf(text(3));
    let answer = (_text: string): void => {};
    const slow = new Promise<string>((resolve) => {
      answer = resolve;
    });
    let asked = 0;
    const read = async (path: string): Promise<string> => {
      asked += 1;
      return asked === 3 ? await slow : readFileSync(path, 'utf8');
    };
    const { watch } = watched(file, { read });
    // Its first two looks agree.
    await expect.poll(() => asked, SOON).toBe(2);
    writeFileSync(file, text(3, '# of no effect\n'));
    await expect.poll(() => asked, SOON).toBe(3);
    const before = text(3);
    writeFileSync(file, text(4));
    await sleep(QUIET_MS);
    answer(before);
    await expect.poll(() => levels(watch), SOON).toBe(4);
  });

  it.each([
    'markets: [{ event: rain, strategy: steps, params: { levels: 4, "a.b": 1 } }]\n',
    'markets: [{ event: rain, strategy: steps, shadow: &s { levels: *s } }]\n',
  ])('is refused and ends nobody, whatever stands in it: %j', async (odd) => {
    const file = fileOf(text(3));
    const { watch, refused } = watched(file);
    await sleep(QUIET_MS);
    writeFileSync(file, odd);
    await expect.poll(() => refused.length, SOON).toBe(1);
    expect(levels(watch)).toBe(3);
  });

  it('is refused where a fault of ours ends its reading', async () => {
    const file = fileOf(text(3));
    const adjust = (): Settings => {
      throw new TypeError('nobody thought of this');
    };
    const { watch, refused } = watched(file, { adjust });
    expect(await watch.reloadNow()).toMatchObject({ kind: 'refused' });
    expect(refused[0]?.message).toContain('cannot be read: TypeError: nobody thought of this');
    expect(levels(watch)).toBe(3);
  });

  it('is applied without events of the system', async () => {
    const file = fileOf(text(3));
    const target = fileOf(text(3));
    rmSync(file);
    // Nothing happens in the folder of the link, and the watch on the target is not relied on.
    symlinkSync(target, file);
    const { watch } = watched(file);
    writeFileSync(target, text(4));
    await expect.poll(() => levels(watch), SOON).toBe(4);
  });

  it('is applied when a link is swapped, as a mounted config map does', async () => {
    const base = folder();
    for (const [name, count] of [
      ['v1', 3],
      ['v2', 4],
    ] as const) {
      mkdirSync(join(base, name));
      writeFileSync(join(base, name, 'bookend.yaml'), text(count));
    }
    symlinkSync('v1', join(base, '..data'));
    symlinkSync(join('..data', 'bookend.yaml'), join(base, 'bookend.yaml'));
    const { watch } = watched(join(base, 'bookend.yaml'));
    symlinkSync('v2', join(base, '..data_next'));
    renameSync(join(base, '..data_next'), join(base, '..data'));
    await expect.poll(() => levels(watch), SOON).toBe(4);
    writeFileSync(join(base, 'v2', 'bookend.yaml'), text(5));
    await expect.poll(() => levels(watch), SOON).toBe(5);
  });

  it('is applied when it changed before the watch began', async () => {
    const file = fileOf(text(3));
    const initial = loadSettings({ file, env: {}, strategies: STRATEGIES });
    writeFileSync(file, text(4));
    const { watch } = watched(file, { initial });
    await expect.poll(() => levels(watch), SOON).toBe(4);
  });

  it('is not reported when only its layout changed', async () => {
    const file = fileOf(text(3));
    const { changes, refused } = watched(file);
    writeFileSync(file, `# a comment\n${text(3)}\n`);
    await sleep(QUIET_MS);
    expect([changes, refused]).toEqual([[], []]);
  });

  it('is refused whole when one thing is wrong, once, and the old settings stay', async () => {
    const file = fileOf(text(3));
    const { watch, changes, refused } = watched(file);
    writeFileSync(file, text(4, 'risk: { maxLossUsdc: -1 }'));
    await expect.poll(() => refused.length, SOON).toBe(1);
    await sleep(QUIET_MS);
    expect(refused[0]?.problems.map((problem) => problem.path)).toEqual(['risk.maxLossUsdc']);
    expect(refused).toHaveLength(1);
    expect([levels(watch), changes]).toEqual([3, []]);
    writeFileSync(file, text(5));
    await expect.poll(() => levels(watch), SOON).toBe(5);
  });

  it('is refused when it is gone or empty: nothing is not a want to quote nothing', async () => {
    const file = fileOf(text(3));
    const { watch, refused } = watched(file);
    rmSync(file);
    await expect.poll(() => refused.length, SOON).toBe(1);
    writeFileSync(file, '');
    await expect.poll(() => refused.length, SOON).toBe(2);
    expect(refused.map((error) => error.problems[0]?.message)).toEqual([
      'there is no such file (ENOENT); `bookend init` writes one',
      'is empty',
    ]);
    expect(levels(watch)).toBe(3);
  });

  it('is not trusted while it is being written', async () => {
    const file = fileOf(text(3));
    const { watch, changes, refused } = watched(file, { settleMs: 300 });
    await sleep(QUIET_MS);
    for (let part = 4; part < 9; part += 1) {
      writeFileSync(file, text(part, 'risk: ['));
      await sleep(15);
    }
    writeFileSync(file, text(9));
    await expect.poll(() => levels(watch), SOON).toBe(9);
    expect(refused).toEqual([]);
    expect(changes).toHaveLength(1);
  });
});

describe('what changes', () => {
  it('takes effect at once or needs a restart, by its key', async () => {
    const file = fileOf(text(3));
    const { watch } = watched(file);
    const more =
      'http: { port: 1 }\nlogging: { level: debug, format: text }\nrisk: { maxOpenOrders: 9 }';
    writeFileSync(file, text(4, more));
    expect(await watch.reloadNow()).toMatchObject({
      kind: 'changed',
      applied: [
        { path: 'markets[0].params.levels', before: 3, after: 4 },
        { path: 'risk.maxOpenOrders', before: 200, after: 9 },
        { path: 'logging.level', before: 'info', after: 'debug' },
      ],
      needsRestart: [
        { path: 'http.port', before: 9_464, after: 1 },
        { path: 'logging.format', before: 'json', after: 'text' },
      ],
    });
    expect(watch.current().http.port).toBe(9_464);
    expect(watch.current().logging).toEqual({ level: 'debug', format: 'json' });
    expect(watch.current().risk.maxOpenOrders).toBe(9);
    expect(Object.isFrozen(watch.current())).toBe(true);
    // Who asks again, as by SIGHUP behind a save, is told again what waits: the file is not as what runs.
    const needsRestart = [{ path: 'http.port' }, { path: 'logging.format' }];
    expect(await watch.reloadNow()).toMatchObject({ kind: 'changed', applied: [], needsRestart });
  });

  it('of the depth of books waits for a restart: mirrors know as many levels as they were made for', async () => {
    const file = fileOf(text(3));
    const { watch } = watched(file);
    writeFileSync(file, text(3, 'book: { depth: 5 }'));
    expect(await watch.reloadNow()).toMatchObject({
      applied: [],
      needsRestart: [{ path: 'book.depth', before: 50, after: 5 }],
    });
    expect(watch.current().book.depth).toBe(50);
  });

  it('is named by the market it belongs to, not by its place', async () => {
    const file = fileOf(text(3));
    const { watch } = watched(file);
    writeFileSync(
      file,
      `markets:
  - { event: snow, strategy: still }
  - { event: rain, strategy: steps, params: { levels: 3, size: 7 } }
`,
    );
    expect(await watch.reloadNow()).toMatchObject({
      applied: [
        { path: 'markets[0]', before: undefined, after: { event: 'snow' } },
        { path: 'markets[1].params.size', before: 50, after: 7 },
      ],
    });
    writeFileSync(file, 'markets: [{ event: snow, strategy: still }]');
    expect(await watch.reloadNow()).toMatchObject({
      applied: [{ path: 'markets[1]', before: { event: 'rain' }, after: undefined }],
    });
  });

  it('is compared after what the command line changes', async () => {
    const file = fileOf(text(3));
    const adjust = (settings: Settings): Settings => ({
      ...settings,
      http: { ...settings.http, port: 5 },
    });
    const initial = adjust(loadSettings({ file, env: {}, strategies: STRATEGIES }));
    const { watch } = watched(file, { initial, adjust });
    expect(await watch.reloadNow()).toEqual({ kind: 'unchanged' });
    writeFileSync(file, text(4, 'http: { port: 6 }'));
    expect(await watch.reloadNow()).toMatchObject({ kind: 'changed', needsRestart: [] });
    expect(watch.current().http.port).toBe(5);
  });
});

describe('a reload on request', () => {
  it('answers and tells the handlers', async () => {
    const file = fileOf(text(3));
    const { watch, changes, refused } = watched(file);
    expect(await watch.reloadNow()).toEqual({ kind: 'unchanged' });
    writeFileSync(file, text(4));
    expect((await watch.reloadNow()).kind).toBe('changed');
    writeFileSync(file, 'markets: 4');
    expect((await watch.reloadNow()).kind).toBe('refused');
    expect([changes.length, refused.length]).toEqual([1, 1]);
    expect(levels(watch)).toBe(4);
  });

  it('holds up nobody while its disk hangs, and asks it for one text at a time', async () => {
    const file = fileOf(text(3));
    let asked = 0;
    let answer = (): void => {};
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const read = async (path: string): Promise<string> => {
      asked += 1;
      return await hangs.then(() => readFileSync(path, 'utf8'));
    };
    const { watch, changes } = watched(file, { read });
    writeFileSync(file, text(4));
    const reloads = [watch.reloadNow(), watch.reloadNow(), watch.reloadNow()];
    await sleep(QUIET_MS);
    expect([asked, levels(watch)]).toEqual([1, 3]);
    answer();
    await Promise.all(reloads);
    expect([changes.length, levels(watch)]).toEqual([1, 4]);
  });

  it('is not followed by a second one for the same text', async () => {
    const file = fileOf(text(3));
    const { watch, changes } = watched(file);
    writeFileSync(file, text(4));
    await watch.reloadNow();
    await sleep(QUIET_MS);
    expect(changes).toHaveLength(1);
  });
});

describe('a watch', async () => {
  it('tells nothing after it was closed', async () => {
    const file = fileOf(text(3));
    const { watch, changes } = watched(file);
    watch.close();
    writeFileSync(file, text(4));
    await sleep(QUIET_MS);
    expect(changes).toEqual([]);
  });
});

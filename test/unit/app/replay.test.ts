import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit.ts';
import { type ReplayOptions, type ReplayResult, replay } from '../../../src/app/replay.ts';
import { loadStrategies } from '../../../src/app/strategies.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { unixMs } from '../../../src/domain/time.ts';
import {
  openRecorder,
  type RecorderOptions,
  recordingFile,
} from '../../../src/journal/recorder.ts';
import { lastTimeOf, recordedRuns } from '../../../src/journal/recording.ts';
import { EngineDriver, level, settings, YES } from '../../support/engine-driver.ts';
import { journalIn, RUN_FACTS } from '../journal/support.ts';

const STRATEGIES = await loadStrategies();

/** When the scene begins; it takes twelve seconds. */
const BEGIN_MS = new EngineDriver().nowMs;

/** Quotes follow a book for some seconds, with fills, a look from outside, new settings and a pause. */
function play(driver: EngineDriver): void {
  driver.start();
  driver.healthyBook();
  driver.run(2_000, () => {
    driver.acceptPlacements();
    driver.answerCancels();
  });
  driver.engine.view();
  for (const price of [47, 49, 46]) {
    driver.book(YES, [level(price, 500)], [level(price + 5, 500)]);
    driver.run(1_500, () => {
      driver.acceptPlacements();
      driver.answerCancels();
    });
  }
  const [market] = settings().markets;
  if (market === undefined) throw new Error('the scene has a market');
  driver.settings(settings({ markets: [{ ...market, params: { ...market.params, size: 80 } }] }));
  driver.run(2_000, () => {
    driver.acceptPlacements();
    driver.answerCancels();
  });
  driver.operator('pause');
  driver.run(500, () => driver.answerCancels());
}

type Scene = (driver: EngineDriver, written: () => Promise<void>) => void | Promise<void>;

async function recording(bounds: Partial<RecorderOptions> = {}, scene: Scene = play) {
  const journal = journalIn();
  const about = { ...RUN_FACTS, startedAtMs: unixMs(BEGIN_MS) };
  const recorder = await openRecorder({
    ...{ journal, about, fileBytesMax: 10_000_000, filesMax: 9 },
    ...bounds,
  });
  const driver = new EngineDriver();
  const step = driver.engine.step.bind(driver.engine);
  let inputs = 0;
  driver.engine.step = (input) => {
    inputs += 1;
    recorder.record(input);
    const commands = step(input);
    recorder.answered(commands);
    return commands;
  };
  const tend = driver.engine.tend.bind(driver.engine);
  driver.engine.tend = () => {
    const commands = tend();
    recorder.answered(commands);
    return commands;
  };
  await scene(driver, async () => {
    await expect.poll(() => recorder.stats().written, { timeout: 8_000, interval: 5 }).toBe(inputs);
  });
  await recorder.close();
  return recordingFile(journal);
}

/** In as many files, where each is full at once. */
async function playInParts(driver: EngineDriver, written: () => Promise<void>): Promise<void> {
  play(driver);
  await written();
  for (let part = 0; part < 3; part += 1) {
    driver.tick();
    await written();
  }
}

async function replayed(file: string, options: Partial<ReplayOptions> = {}): Promise<ReplayResult> {
  const run = (await recordedRuns(file)).at(-1);
  if (run === undefined) throw new Error(`${file} has no run`);
  return await replay({ run, strategies: STRATEGIES, ...options });
}

type Cli = { readonly code: number; readonly out: string; readonly err: string };

async function cli(...args: readonly string[]): Promise<Cli> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCli(['replay', ...args], { stdout, stderr, env: {} });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

/** The lines of a recording, changed by hand. */
function edit(file: string, change: (lines: string[]) => readonly string[]): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, `${change(lines).join('\n')}\n`);
}

function indexOf(lines: readonly string[], part: string, from = 0): number {
  const at = lines.findIndex((line, index) => index >= from && line.includes(part));
  expect([part, at]).not.toEqual([part, -1]);
  return at;
}

describe('a recorded run', () => {
  it('is replayed to the same commands', async () => {
    const result = await replayed(await recording());
    expect(result.difference).toBeUndefined();
    expect(result.end).toMatchObject({ how: 'whole' });
    expect(result.commands).toBeGreaterThan(15);
    expect(result.digest.recorded).toBe(result.digest.replayed);
  });

  it('goes over several files', async () => {
    const file = await recording({ fileBytesMax: 1 }, playInParts);
    const result = await replayed(file);
    expect(result.run.parts).toHaveLength(4);
    expect(result.difference).toBeUndefined();
    expect(result.end).toMatchObject({ how: 'whole' });
  });

  it('ends where a process was killed in the middle of a line', async () => {
    const file = await recording();
    const whole = readFileSync(file, 'utf8');
    const end = whole.indexOf('{"kind":"end"');
    writeFileSync(file, whole.slice(0, end - 7));
    const result = await replayed(file);
    expect(result.difference).toBeUndefined();
    expect(result.end).toMatchObject({ how: 'cut', detail: expect.stringContaining('last line') });
    expect((await cli(file)).code).toBe(EXIT.done);
  });

  it('names the first command that strategies of today would not send', async () => {
    const ladder = STRATEGIES.get('ladder');
    if (ladder?.scope === 'event' || ladder === undefined) throw new Error('no ladder');
    const untilMs = BEGIN_MS + 6_000;
    const other = {
      ...ladder,
      quote: (context: Parameters<typeof ladder.quote>[0]) =>
        context.nowMs < untilMs ? ladder.quote(context) : { quotes: [], reasons: [] },
    };
    const strategies = new Map([['ladder', other]]);
    const file = await recording();
    const { difference } = await replayed(file, { strategies });
    expect(difference?.atMs).toBeGreaterThanOrEqual(untilMs);
    expect(difference?.replayed).toMatchObject({ kind: 'cancelOrders' });
    expect(difference?.recorded).not.toEqual(difference?.replayed);
  });

  it('holds back a strategy that was suspended then', async () => {
    const suspended = [{ strategy: 'ladder', forMs: 1e9, times: 1, detail: 'it hung' }];
    const { difference } = await replayed(
      await recording({ about: { ...RUN_FACTS, startedAtMs: unixMs(BEGIN_MS), suspended } }),
    );
    expect(difference?.recorded).toMatchObject({ kind: 'placeOrders' });
  });
});

describe('a recording that is not as it was written', () => {
  it('is broken where a byte was changed, though every line can be read', async () => {
    const file = await recording();
    edit(file, (lines) => {
      const at = indexOf(lines, '"bookSnapshot"', indexOf(lines, '"placeOrders"') + 1);
      return lines.with(at, (lines[at] ?? '').replace('"size":500000000', '"size":500000001'));
    });
    const { code, out } = await cli(file);
    expect(code).toBe(EXIT.failed);
    expect(out).toContain('is not what was written');
  });

  it('parts at the first command that another price leads to', async () => {
    const file = await recording();
    let place = 0;
    edit(file, (lines) => {
      place = indexOf(lines, '"bookSnapshot"', indexOf(lines, '"placeOrders"') + 1);
      return lines.with(place, (lines[place] ?? '').replace('"price":47', '"price":40'));
    });
    const result = await replayed(file);
    const [, line = ''] = /:(\d+)$/.exec(result.difference?.place ?? '') ?? [];
    expect(Number(line)).toBeGreaterThan(place);
    expect(Number(line)).toBeLessThan(place + 40);
    expect(result.end).toMatchObject({ how: 'broken' });
    const { code, out } = await cli(file);
    expect(code).toBe(EXIT.failed);
    expect(out).toMatch(/DIFFERENT from 2023-\S+ on[\s\S]*recorded: {"kind[\s\S]*replayed: {"kind/);
  });

  it('is broken where an input is missing', async () => {
    const file = await recording();
    edit(file, (lines) => lines.toSpliced(indexOf(lines, '"tick"', 100), 1));
    const result = await replayed(file);
    expect(result.end).toMatchObject({
      how: 'broken',
      detail: expect.stringMatching(/ndjson:\d+: \d+ inputs stand before it, and it counts/),
    });
  });

  it('is broken where the recorder dropped an input', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const file = await recording({}, (driver) => {
      play(driver);
      driver.tell({ kind: 'unrecognised', frameType: circle as never, detail: '' });
      driver.tick();
    });
    expect((await replayed(file)).end).toMatchObject({
      how: 'broken',
      detail: expect.stringMatching(/ndjson:\d+: 1 lines, 1 of them inputs, were not recorded/),
    });
  });

  it('is broken where a part is gone', async () => {
    const file = await recording({ fileBytesMax: 1 }, playInParts);
    renameSync(`${file}.1`, `${file}.aside`);
    expect((await replayed(file)).end).toMatchObject({
      how: 'broken',
      detail: expect.stringContaining('part 3 is missing'),
    });
  });

  it('cannot be replayed when its begin was pushed out, and says what to do', async () => {
    const file = await recording({ fileBytesMax: 1, filesMax: 2 }, playInParts);
    const result = await replayed(file);
    expect(result.inputs).toBe(0);
    expect(result.end).toMatchObject({
      how: 'broken',
      detail: expect.stringMatching(/parts 1 to 2 are gone.*recordFilesMax/),
    });
  });

  it('is no recording at all where no file is one', async () => {
    const file = journalIn('x.inputs.ndjson');
    expect((await cli(file)).code).toBe(EXIT.usage);
    writeFileSync(file, '{"kind":"tick","atMs":1}\n');
    expect(await cli(dirname(file))).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('x.inputs.ndjson:1: no recording, or one of an earlier version'),
    });
  });
});

describe('a moment', () => {
  it('is shown as the core saw it, with the second before it', async () => {
    const file = await recording();
    const until = new Date(BEGIN_MS + 6_000).toISOString();
    const { code, out } = await cli(dirname(file), '--until', until);
    expect(code).toBe(EXIT.done);
    expect(out).toContain('stopped there, as asked');
    expect(out).toMatch(/fair value 0\.\d+/);
    expect(out).toMatch(/target bids 0\.\d+×50/);
    expect(out).toContain('saw bookSnapshot');
    expect(out).toContain('asked for placeOrders');
  });

  it('is the one of `--at` where `--until` ends the run behind it', async () => {
    const file = await recording();
    const [at, until] = [6_000, 8_000].map((ms) => new Date(BEGIN_MS + ms).toISOString());
    const { out } = await cli(file, '--at', String(at), '--until', String(until), '--json');
    const { moment, end } = JSON.parse(out);
    expect(end).toMatchObject({ how: 'stopped' });
    expect(moment.view.atMs).toBeLessThanOrEqual(BEGIN_MS + 6_000);
    expect(moment.view.atMs).toBeGreaterThan(BEGIN_MS + 5_900);
  });

  it('is printed as JSON', async () => {
    const file = await recording();
    const at = new Date(BEGIN_MS + 6_000).toISOString();
    const { code, out } = await cli(file, '--at', at, '--json');
    expect(code).toBe(EXIT.done);
    const shown = JSON.parse(out);
    expect(shown).toMatchObject({ isSame: true, end: { how: 'whole' } });
    expect(shown.moment.view.atMs).toBeLessThanOrEqual(BEGIN_MS + 6_000);
    expect(shown.moment.view.atMs).toBeGreaterThan(BEGIN_MS + 5_900);
  });
});

it('knows the time of its last input ahead, and of a part cut in a line that of the last whole one', async () => {
  const file = await recording();
  const [run] = await recordedRuns(file);
  const { toMs } = await replayed(file);
  if (run === undefined) throw new Error('no run');
  expect(await lastTimeOf(run)).toBe(toMs);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, -40));
  expect(await lastTimeOf(run)).toBeLessThanOrEqual(Number(toMs));
  writeFileSync(file, text.slice(0, text.indexOf('\n') + 1));
  expect(await lastTimeOf(run)).toBeUndefined();
});

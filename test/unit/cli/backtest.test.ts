import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { frame, TempRecordings } from '../../support/temp-recording.ts';

const files = new TempRecordings();
afterAll(() => files.remove());

const backtest = async (...args: readonly string[]) => await bookend('backtest', ...args);

async function bookend(...args: readonly string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await runCli(args, { stdout, stderr, env: {} });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('the command `backtest`', () => {
  it.each(['2026-11-23T10:00:00', '2026-11-23 10:00', '2026-13-45', '2026-02-30', 'noon'])(
    'takes no time that would mean another moment on another machine: %s',
    async (time) => {
      const { code, stderr } = await backtest('--world', 'calm', '--from', time);
      expect(code).toBe(2);
      expect(stderr).toContain('a day, or a time as 2026-11-23T10:00:00Z');
    },
  );

  it.each([
    ['--range levels: given twice', '--range', 'levels=1', 'levels=2'],
    ['--parquet /nowhere/x: cannot be written', '--parquet', '/nowhere/x'],
    ['--file /nowhere/x: cannot be written', '--file', '/nowhere/x'],
    ['--test-recording nowhere: there is no such file', '--test-recording', 'nowhere'],
    ['--html ./x: is named for something else, too', '--file', 'x', '--html', './x'],
    ["'--csv' cannot be used with option '--json'", '--csv', '--json'],
  ])('sweeps nothing where the end of it could not be: %s', async (said, ...more) => {
    const of = ['--strategy', 'ladder', '--world', 'calm', '--hours', '0.01', '--seeds', '1'];
    const range = more[0] === '--range' ? [] : ['--range', 'levels=1'];
    const { code, stderr } = await bookend('sweep', ...of, ...range, ...more);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  });

  it('prints no control character of a recording', async () => {
    const hostile = { type: 'x', marketId: '\u001b]0;title\u0007\u001b[2J', ts: 1 };
    const path = files.write([hostile, frame.snapshot(1_657_500_000_000, [[0.4, 1]], [[0.6, 1]])]);
    const { code, stderr } = await backtest('--recording', path, '--queue', 'optimistic');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /1 bad lines, as line 1: names the token {2}]0;title {2}\[2J of no market/,
    );
    expect(stderr).not.toMatch(/[^\n\P{Cc}]/u);
  });

  it('prints profit at three marks, and of each market what was made, taken and held', async () => {
    const told = async (...more: readonly string[]) =>
      await backtest(
        '--world',
        'calm',
        '--hours',
        '0.1',
        '--seeds',
        '1',
        '--strategy',
        'auto',
        ...more,
      );
    const [{ stdout }, json] = [await told(), await told('--json')];
    const { total, markets } = JSON.parse(json.stdout).runs[0];
    /** The cells of one line by the titles of the table that it stands in. */
    const rowOf = (head: RegExp, first: string): Record<string, string> => {
      const lines = stdout.split('\n');
      const at = lines.findIndex((line) => head.test(line));
      const cells = (line = ''): readonly string[] => line.trim().split(/ {2,}/);
      const row = cells(lines.slice(at + 1).find((line) => line.startsWith(first)));
      return Object.fromEntries(cells(lines[at]).map((title, index) => [title, row[index] ?? '']));
    };
    expect(total.fills).toBeGreaterThan(0);
    const all = rowOf(/^WORLD.*AT MIDDLE/, 'calm');
    expect(all['AT MIDDLE']).toBe(total.pnlAtMiddleUsdc.toFixed(2));
    expect(all['AT FAIR']).toBe(total.pnlAtFairUsdc.toFixed(2));
    expect(rowOf(/^WORLD.*USDC/, 'calm')['USDC']).toBe(total.pnlUsdc.toFixed(2));
    const [market] = markets;
    expect(rowOf(/^MARKET.*MADE/, market.title)).toMatchObject({
      MADE: market.makerShares.toFixed(0),
      TOOK: market.takerShares.toFixed(0),
      MAX: market.inventoryMaxShares.toFixed(0),
      DRAWDOWN: market.drawdownUsdc.toFixed(2),
      TOUCH: `${(100 * market.touchRatio).toFixed(1)} %`,
    });
  });

  it('says before the first run that its page cannot be written', async () => {
    const { code, stdout, stderr } = await backtest(
      '--world',
      'calm',
      '--html',
      '/no/folder/a.html',
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--html \/no\/folder\/a\.html: cannot be written \(ENOENT/);
    expect(stderr).not.toContain('    at ');
  });

  it('writes no page over a recording that it reads', async () => {
    const path = files.write([frame.snapshot(1, [[0.4, 1]], [[0.6, 1]])]);
    const before = readFileSync(path);
    const { code, stdout, stderr } = await backtest('--recording', path, '--html', path);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('is named for something else, too; name another file');
    expect(readFileSync(path)).toEqual(before);
  });

  it('keeps the runs that had finished when somebody interrupts it, says so, and fails', async () => {
    const world = ['--world', 'calm', '--hours', '0.01', '--queue', 'optimistic'];
    const running = backtest(...world, '--seeds', '1000', '--json');
    setTimeout(() => process.emit('SIGINT', 'SIGINT'), 1_500);
    const { code, stdout, stderr } = await running;
    expect(code).toBe(1);
    const { runs, isPartial } = JSON.parse(stdout);
    expect(isPartial).toBe(true);
    expect(runs.length).toBeGreaterThan(0);
    expect(stderr).toContain(`interrupted: ${runs.length} of 1000 runs, partial`);
  });

  it('ends nothing that has no end', async () => {
    const { code, stderr } = await bookend('paper', '--exit-at-end');
    expect(code).toBe(2);
    expect(stderr).toContain('--exit-at-end: name the --replay that ends');
  });
});

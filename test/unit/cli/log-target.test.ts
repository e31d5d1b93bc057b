import { execFileSync } from 'node:child_process';
import fs, { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLastEvents } from '../../../src/cli/last-events.ts';
import { createLogTarget, type LogTargetOptions } from '../../../src/cli/log-target.ts';
import { DROPPED } from '../../../src/cli/unblocked.ts';

const LINE = '{"level":"info","time":"2026-01-02T03:04:05.678Z","event":"daemon.started"}\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-log-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function terminal(isTTY: boolean) {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  return { stderr, written: () => String(stderr.read() ?? '') };
}

/** Whoever opens a file there waits until it goes on. */
function hangingDisk() {
  let goOn = (): void => {};
  const disk = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const open: NonNullable<LogTargetOptions['open']> = (...given) =>
    void disk.then(() => fs.open(...given));
  return { open, goOn: () => goOn() };
}

describe('the target of log lines', () => {
  it('is standard error, in the configured format', () => {
    const { stderr, written } = terminal(true);
    createLogTarget(stderr, { file: undefined, format: 'text' }).write(LINE);
    expect(written()).toBe('03:04:05.678 INFO  daemon.started\n');
    createLogTarget(stderr, { file: undefined, format: 'json' }).write(LINE);
    expect(written()).toBe(LINE);
  });

  it('leaves a terminal alone while a screen is on it', () => {
    const { stderr, written } = terminal(true);
    const target = createLogTarget(stderr, { file: undefined, format: 'text' });
    const events = createLastEvents();
    const undivert = target.divert(events);
    target.write(LINE);
    expect(written()).toBe('');
    expect(events.last(1)[0]).toContain('daemon.started');
    undivert();
    target.write(LINE);
    expect(written()).toContain('daemon.started');
  });

  it('still reaches a standard error that is no terminal', () => {
    const { stderr, written } = terminal(false);
    const target = createLogTarget(stderr, { file: undefined, format: 'json' });
    target.divert(createLastEvents());
    target.write(LINE);
    expect(written()).toBe(LINE);
  });

  it('is the file where one is named, appended to', async () => {
    const { stderr, written } = terminal(true);
    const file = join(folder, 'log');
    for (let run = 0; run < 2; run += 1) {
      const target = createLogTarget(stderr, { file, format: 'json' });
      target.write(LINE);
      await target.close();
    }
    expect(await readFile(file, 'utf8')).toBe(LINE + LINE);
    expect(written()).toBe('');
  });

  it('is closed soon beside a disk that hangs', async () => {
    const { stderr } = terminal(true);
    const file = join(folder, 'log');
    const { open, goOn } = hangingDisk();
    const target = createLogTarget(stderr, { file, format: 'json', open });
    target.write(LINE);
    const startedAtMs = performance.now();
    await target.close();
    expect(performance.now() - startedAtMs).toBeLessThan(3_000);
    goOn();
    await expect.poll(async () => await readFile(file, 'utf8').catch(() => '')).toBe(LINE);
  });

  it('tells how many lines a disk that hangs did not get, once it goes on', async () => {
    const { stderr } = terminal(true);
    const file = join(folder, 'log');
    const told: number[] = [];
    const onDropped = (linesTotal: number) => void told.push(linesTotal);
    const { open, goOn } = hangingDisk();
    const target = createLogTarget(stderr, { file, format: 'json', onDropped, open });
    const line = `${'x'.repeat(9_999)}\n`;
    for (let index = 0; index < 500; index += 1) target.write(line);
    expect(told).toEqual([]);
    goOn();
    await expect.poll(() => told, { timeout: 8_000, interval: 10 }).toHaveLength(1);
    await target.close();
    expect((await stat(file)).size).toBe((500 - (told[0] ?? 0)) * line.length);
  });

  it.runIf(process.platform === 'linux')('may be a pipe, and waits for no reader', async () => {
    const { stderr, written } = terminal(true);
    const file = join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const target = createLogTarget(stderr, { file, format: 'json' });
    // To open it would keep a thread of the process, by which it could not end.
    await expect.poll(written).toContain('pipe cannot be written: ENXIO');
    const reader = createReadStream(file);
    let read = '';
    reader.on('data', (part) => {
      read += String(part);
    });
    const isRead = () => {
      target.write(LINE);
      return read;
    };
    await expect.poll(isRead, { timeout: 8_000 }).toContain(LINE);
    await target.close();
    reader.destroy();
  });

  it.runIf(process.platform === 'linux')(
    'loses no line to a pipe whose reader is slow',
    async () => {
      const { stderr } = terminal(true);
      const file = join(folder, 'pipe');
      execFileSync('mkfifo', [file]);
      const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
      const told: number[] = [];
      const onDropped = (linesTotal: number) => void told.push(linesTotal);
      const target = createLogTarget(stderr, { file, format: 'json', onDropped });
      const lines = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(1_000)}\n`);
      for (const line of lines) target.write(line);
      await sleep(200);
      let read = '';
      const text = lines.join('');
      const part = Buffer.alloc(100_000);
      const readOn = () => {
        try {
          read += part.toString('utf8', 0, fs.readSync(fd, part));
        } catch {
          // Nothing is in it just now.
        }
        return read.length;
      };
      await expect.poll(readOn, { timeout: 8_000, interval: 5 }).toBe(text.length);
      expect(read).toBe(text);
      await target.close();
      fs.closeSync(fd);
      expect(told).toEqual([]);
    },
  );

  it('passes on that standard error has given lines up', () => {
    const { stderr } = terminal(false);
    const told: number[] = [];
    const onDropped = (linesTotal: number) => void told.push(linesTotal);
    createLogTarget(stderr, { file: undefined, format: 'json', onDropped });
    stderr.emit(DROPPED, 3);
    expect(told).toEqual([3]);
  });

  it('says once that a file cannot be written, and goes on', async () => {
    const { stderr, written } = terminal(true);
    const file = join(folder, 'no-such-folder/log');
    const target = createLogTarget(stderr, { file, format: 'json' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    target.write(LINE);
    target.write(LINE);
    expect(written()).toMatch(/^bookend: the log file .* cannot be written: ENOENT/);
    await target.close();
  });

  it('goes on with a file that could not be written, and says how many lines it has not', async () => {
    const { stderr, written } = terminal(true);
    const file = join(folder, 'later/log');
    const told: number[] = [];
    const onDropped = (linesTotal: number) => void told.push(linesTotal);
    const target = createLogTarget(stderr, { file, format: 'json', onDropped });
    target.write(LINE);
    await expect.poll(written).toContain('ENOENT');
    target.write(LINE);
    await mkdir(join(folder, 'later'));
    await expect
      .poll(async () => {
        target.write(LINE);
        return await readFile(file, 'utf8').catch(() => '');
      })
      .toContain(LINE);
    await target.close();
    expect(written()).toBe('');
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThanOrEqual(2);
  });
});

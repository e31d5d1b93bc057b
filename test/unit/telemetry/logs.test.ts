import { execFileSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { marketId, orderHash, tokenId } from '../../../src/domain/ids.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { FdLines } from '../../../src/telemetry/fd-lines.ts';
import { createLog, type Log } from '../../../src/telemetry/logs.ts';
import { letGo } from '../../support/let-go.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A machine that is busy gets some seconds for what takes milliseconds. */
const SOON = { timeout: 8_000, interval: 10 };

const PASSPHRASE = 'words nobody may read';

type Logged = { readonly log: Log; readonly lines: string[] };

function jsonLog(level: 'debug' | 'info' | 'warn' | 'error' = 'info'): Logged {
  const lines: string[] = [];
  const log = createLog({ level, format: 'json', sink: { write: (line) => lines.push(line) } });
  return { log, lines };
}

function only(lines: readonly string[]): Record<string, unknown> {
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

describe('a log line', () => {
  it('steers no terminal, whatever stands in a field, and says the same', () => {
    const { log, lines } = jsonLog();
    const detail = 'x\u001b[2J\u009b31m\u202e\u2028';
    log.warn('order.rejected', { detail });
    expect(lines.join('').trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(only(lines)).toMatchObject({ detail });
  });

  it('is one JSON object with level, time, event and fields', () => {
    const { log, lines } = jsonLog();
    log.warn('order.anomaly', { state: 'open', count: 2 });
    expect(lines[0]?.endsWith('\n')).toBe(true);
    const { time, ...rest } = only(lines);
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(rest).toEqual({ level: 'warn', event: 'order.anomaly', state: 'open', count: 2 });
  });

  it('keeps its own parts when fields have the same names', () => {
    const { log, lines } = jsonLog();
    log.info('market.status', { event: 'rain', level: 3, time: 'noon' });
    expect(only(lines)).toMatchObject({
      level: 'info',
      event: 'market.status',
      event_: 'rain',
      level_: 3,
      time_: 'noon',
    });
  });

  it('carries a report under its own event and severity', () => {
    const { log, lines } = jsonLog('debug');
    log.report({
      event: 'order.filled',
      marketId: marketId('m1'),
      tokenId: tokenId('0xab'),
      side: 'BUY',
      price: '0.29',
      quantity: '12.5',
    });
    log.report({ event: 'order.external', orderHash: orderHash('0xcd'), tokenId: tokenId('0xab') });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', event: 'order.filled', marketId: 'm1', price: '0.29', quantity: '12.5' },
      { level: 'warn', event: 'order.external', orderHash: '0xcd' },
    ]);
  });

  it('is not written below the level, and is after the level changed', () => {
    const { log, lines } = jsonLog('warn');
    log.info('quiet');
    log.setLevel('debug');
    log.debug('loud');
    log.setLevel('error');
    log.warn('quiet');
    expect(only(lines)).toMatchObject({ event: 'loud' });
  });

  it('survives a sink that throws, and counts it', () => {
    const sink = {
      write: () => {
        throw new Error('disk full');
      },
    };
    const log = createLog({ level: 'info', format: 'json', sink });
    log.info('one');
    log.info('two');
    expect(log.droppedLines()).toBe(2);
  });
});

describe('a log on a file descriptor', () => {
  it('has written everything when it was flushed', async () => {
    const file = join(tempFolder('log'), 'log');
    const fd = openSync(file, 'w');
    const log = createLog({ level: 'info', format: 'json', fd });
    for (let index = 0; index < 1_000; index += 1) log.info('line', { index });
    await log.flush();
    closeSync(fd);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).index)).toEqual(lines.map((_, index) => index));
    expect(lines).toHaveLength(1_000);
  });

  it('survives a descriptor that takes nothing, and counts it', async () => {
    const file = join(tempFolder('log'), 'log');
    writeFileSync(file, '');
    // A descriptor for reading takes no line, as little as a pipe without a reader.
    const fd = openSync(file, 'r');
    const log = createLog({ level: 'info', format: 'json', fd });
    log.info('one');
    await log.flush();
    await expect.poll(() => log.droppedLines(), SOON).toBeGreaterThan(0);
  });
});

/** Takes no byte, as a disk without room. */
const FULL = '/dev/full';

describe.runIf(existsSync(FULL))('a log on a full disk', () => {
  it('is flushed soon all the same: the end of a process waits for no room', async () => {
    const fd = openSync(FULL, 'w');
    const log = createLog({ level: 'info', format: 'json', fd });
    log.info('one');
    await expect.poll(() => log.droppedLines(), SOON).toBeGreaterThan(0);
    log.info('two');
    const startedAtMs = performance.now();
    await log.flush();
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });
});

describe.runIf(existsSync(FULL))('a log whose disk is full from its last line on', () => {
  it('is flushed soon, too: nothing of it had failed before', async () => {
    const log = createLog({ level: 'info', format: 'json', fd: openSync(FULL, 'w') });
    log.info('one');
    const startedAtMs = performance.now();
    await log.flush();
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(log.droppedLines()).toBe(1);
  });

  it('holds up no process that ends here and now', () => {
    const fd = openSync(FULL, 'w');
    const lines = new FdLines(fd);
    for (const line of ['one\n', 'two\n']) lines.write(line);
    const startedAtMs = performance.now();
    lines.writeOut();
    expect(performance.now() - startedAtMs).toBeLessThan(500);
  });
});

describe('a log whose disk hangs', () => {
  it('is waited for only so long at the end', async () => {
    const folder = tempFolder('log');
    const file = join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const fd = openSync(file, 'r+');
    // More than a pipe holds; nobody reads it, and a write to it waits as one to a disk does.
    const log = createLog({ level: 'info', format: 'json', fd });
    for (let index = 0; index < 3_000; index += 1) log.info('line', { index });
    const startedAtMs = performance.now();
    await log.flush();
    expect(performance.now() - startedAtMs).toBeLessThan(3_000);
    expect(performance.now() - startedAtMs).toBeGreaterThan(900);
    const reader = createReadStream(file).resume();
    await expect.poll(() => reader.bytesRead, SOON).toBeGreaterThan(100_000);
    reader.destroy();
    await letGo(file, '\n');
  });
});

describe('a log that was not read for long', () => {
  it('says behind what it kept how many lines it gave up', async () => {
    const file = join(tempFolder('log'), 'pipe');
    execFileSync('mkfifo', [file]);
    const fd = openSync(file, 'r+');
    const log = createLog({ level: 'info', format: 'json', fd });
    // More than a pipe holds and than may wait.
    for (let index = 0; index < 5_000; index += 1) log.info('x'.repeat(1_000));
    const given = log.droppedLines();
    expect(given).toBeGreaterThan(0);
    let text = '';
    const reader = createReadStream(file, { encoding: 'utf8' }).on('data', (part) => {
      text += part;
    });
    const told = () => /"event":"log\.dropped","linesTotal":(\d+)/.exec(text)?.[1];
    await expect.poll(told, SOON).toBe(String(given));
    expect(text.match(/x{1000}/g)).toHaveLength(5_000 - given);
    reader.destroy();
    await letGo(file, '\n');
  });
});

describe('a credential in a log line', () => {
  const secret = new Secret(PASSPHRASE);

  it.each([
    { name: 'as a field', fields: { passphraseValue: secret } },
    { name: 'deep in a field', fields: { a: { b: [{ c: secret }] } } },
    { name: 'in a map', fields: { headers: new Map([['x', secret]]) } },
    { name: 'in a set', fields: { all: new Set([secret]) } },
    { name: 'as a header', fields: { headers: { 'SERVICE-PASSPHRASE': PASSPHRASE } } },
    { name: 'as a cookie', fields: { headers: { Cookie: PASSPHRASE } } },
    { name: 'under its own name', fields: { account: { apiSecret: PASSPHRASE } } },
    { name: 'in the text of a header', fields: { detail: `service-passphrase: "${PASSPHRASE}"` } },
    { name: 'in any text', fields: { detail: `the venue said ${PASSPHRASE}!` } },
    { name: 'in base64 in any text', fields: { detail: btoa(`me:${PASSPHRASE}`) } },
    { name: 'as a name', fields: { headers: { [PASSPHRASE]: 1 } } },
    { name: 'where a text is cut', fields: { detail: `${'x'.repeat(1_990)}${PASSPHRASE}` } },
    { name: 'in the message of an error', fields: { error: new Error(`not ${PASSPHRASE}`) } },
    {
      name: 'as the cause of an error',
      fields: { error: new Error('outer', { cause: { apiPassphrase: PASSPHRASE } }) },
    },
  ])('is masked $name', ({ fields }) => {
    const { log, lines } = jsonLog();
    log.error('request.failed', fields);
    expect(lines[0]).toContain('[secret]');
    expect(lines[0]).not.toContain('nobody');
    expect(lines[0]).not.toContain(btoa(PASSPHRASE).slice(4, 16));
  });

  it('is masked in a bearer header and in an address inside a text', () => {
    const { log, lines } = jsonLog();
    log.error('request.failed', {
      detail: 'sent Authorization: Bearer abc.def-ghi to https://user:pw@venue.example/api',
    });
    expect(only(lines)['detail']).toBe(
      'sent Authorization: Bearer [secret] to https://[secret]@venue.example/api',
    );
  });

  it('leaves token ids and order hashes alone', () => {
    const { log, lines } = jsonLog();
    log.info('order.moved', { tokenId: '0xab', orderHash: '0xcd', token: '0xef' });
    expect(only(lines)).toMatchObject({ tokenId: '0xab', orderHash: '0xcd', token: '0xef' });
  });
});

describe('any value in a log line', () => {
  it('is written exactly where it is money', () => {
    const { log, lines } = jsonLog();
    log.info('cash', { cash: new Decimal('9007199254740993.000001') });
    expect(only(lines)['cash']).toBe('9007199254740993.000001');
  });

  it('is cut where it is circular, deep, long or wide', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const deep = { a: { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } } };
    const { log, lines } = jsonLog();
    log.info('odd', {
      circle,
      deep,
      long: 'x'.repeat(10_000),
      wide: Array.from({ length: 10_000 }, (_, index) => index),
      big: 10n,
      shape: () => 1,
    });
    expect(lines[0]?.length).toBeLessThan(4_000);
    expect(only(lines)).toMatchObject({ circle: { self: '[circular]' }, big: '10' });
  });

  it('cannot make a line grow without end', () => {
    const branch = (depth: number): unknown =>
      depth === 0 ? 1 : Array.from({ length: 40 }, () => branch(depth - 1));
    const { log, lines } = jsonLog();
    log.info('tree', { tree: branch(3) });
    expect(lines[0]?.length).toBeLessThan(60_000);
  });
});

describe('a text line', () => {
  function textOf(fields: Record<string, unknown>, colour = false): string {
    const lines: string[] = [];
    const sink = { write: (line: string) => lines.push(line) };
    createLog({ level: 'info', format: 'text', colour, sink }).warn('order.refused', fields);
    return lines.join('');
  }

  it('is time, level, event and words', () => {
    expect(textOf({ code: 'rate_limited', detail: 'over budget', count: 2 })).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}order\.refused code=rate_limited detail="over budget" count=2\n$/,
    );
  });

  it('keeps external line ends and escape codes out of the terminal', () => {
    const code = String.fromCharCode(27);
    const line = textOf({ detail: `a\nb${code}[31mred` });
    expect(line.trimEnd()).not.toContain('\n');
    expect(line).not.toContain(code);
  });

  it('is coloured only where asked', () => {
    const code = String.fromCharCode(27);
    expect(textOf({}, true).startsWith(`${code}[33m`)).toBe(true);
    expect(textOf({})).not.toContain(code);
  });
});

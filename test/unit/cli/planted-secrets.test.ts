// Secrets that a venue repeats, looked for in what leaves the process.

import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { complain, printResult } from '../../../src/cli/io.ts';
import { WireError } from '../../../src/domain/errors.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { createLog } from '../../../src/telemetry/logs.ts';
import { classify } from '../../../src/venue/http/classify.ts';
import { parseFrame } from '../../../src/wire/frames.ts';
import { NO_TOKENS } from '../../../src/wire/tokens.ts';

const SECRETS = ['pk_live_51HvQx9ZKd', 'c2VjcmV0LW9mLXRoZS1kYXk', 'correct horse battery'];
for (const text of SECRETS) new Secret(text);

const ECHOES: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'in base64 behind a user': (secret) => Buffer.from(`key:${secret}`).toString('base64'),
  'in hex': (secret) => Buffer.from(secret).toString('hex'),
  'in an address': (secret) => `/orders?key=${encodeURIComponent(secret)}`,
  'over two lines': (secret) => `${secret.slice(0, 9)}\n  ${secret.slice(9)}`,
};

/** Everything of a venue that is shown to people, with an echo in it. */
function saidOf(echo: string): readonly unknown[] {
  const answer = (status: number, text: string) =>
    classify(
      { kind: 'answer', status, retryAfter: undefined, text },
      { kind: 'read', access: 'auth', parse: () => undefined, venueNowMs: unixMs(0) },
    );
  return [
    answer(401, JSON.stringify({ success: false, code: 'unauthorized', message: `of ${echo}` })),
    answer(502, `<html><body>upstream ${echo}</body></html>`),
    ...parseFrame(JSON.stringify({ type: 'error', message: echo }), NO_TOKENS),
    ...parseFrame(JSON.stringify({ type: echo, [echo]: echo }), NO_TOKENS),
    ...parseFrame(`{"cut": "${echo}`, NO_TOKENS),
    { [echo]: { header: echo } },
    new WireError('wire.field', echo, { cause: new Error(`header ${echo}`) }),
  ];
}

function isClean(text: string, secret: string): void {
  const bare = text.replaceAll(/\\n|\s/g, '');
  const shapes = [secret, Buffer.from(secret).toString('hex'), encodeURIComponent(secret)];
  for (const shape of shapes) expect(bare).not.toContain(shape.replaceAll(' ', '').slice(0, 12));
  expect(text).toContain('[secret]');
}

const CASES = Object.entries(ECHOES).flatMap(([how, echo]) =>
  SECRETS.map((secret) => ({ how, secret, said: saidOf(echo(secret)) })),
);

describe('a secret that a venue repeats', () => {
  it.each(CASES)('stands in no line of the log: $how', ({ secret, said }) => {
    for (const format of ['json', 'text'] as const) {
      const lines: string[] = [];
      const log = createLog({
        level: 'debug',
        format,
        sink: { write: (line) => lines.push(line) },
      });
      for (const each of said) log.warn('venue.said', { detail: each });
      expect(lines).toHaveLength(said.length);
      for (const line of lines) isClean(line, secret);
    }
  });

  it.each(CASES)('stands in no result and no complaint of a command: $how', ({ secret, said }) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = { stdout, stderr, env: {} };
    for (const each of said) {
      const text = each instanceof Error ? String(each.cause) : JSON.stringify(each);
      printResult(io, { json: { said: each }, lines: [text] }, {});
      if (!(each instanceof Error)) {
        printResult(io, { json: { said: each }, lines: [text] }, { json: true });
      }
      complain(io, text);
    }
    isClean(String(stdout.read()), secret);
    isClean(String(stderr.read()), secret);
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AssertionError, assert, unreachable } from '../../../src/domain/assert.ts';
import { BOT_ERRORS, BotError, WireError } from '../../../src/domain/errors.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { addMs, unixMs, unixSec } from '../../../src/domain/time.ts';

describe('a secret', () => {
  const secret = new Secret('hunter2');

  it('is a mask wherever it is printed', () => {
    const logged = { credentials: { key: secret } };
    const prints = [
      `${secret}`,
      String(secret),
      JSON.stringify(logged),
      inspect(logged, { depth: 9, showHidden: true }),
      inspect(secret),
      Object.keys(secret).join(),
      JSON.stringify({ ...secret }),
      new Error('refused', { cause: secret }).message,
    ];
    for (const print of prints) expect(print).not.toContain('hunter2');
    expect(prints[2]).toContain('[secret]');
  });

  it('is told only to who asks for it', () => {
    expect(secret.reveal()).toBe('hunter2');
  });
});

describe('an assertion', () => {
  it('stops us with the statement that is false', () => {
    expect(() => assert(false, 'a book has two sides')).toThrow(AssertionError);
    expect(() => assert(false, 'a book has two sides')).toThrow('a book has two sides');
    expect(() => assert(true, 'a book has two sides')).not.toThrow();
  });

  it('names the value that no switch expected', () => {
    const call = () => Reflect.apply(unreachable, undefined, [{ kind: 'cashBreak' }]);
    expect(call).toThrow('cashBreak');
    expect(call).toThrow(AssertionError);
  });
});

describe('an error', () => {
  it('has a stable code, a text for people and its cause', () => {
    const cause = new Error('disk full');
    const error = new BotError('journal.write', '/data/bookend.db', { cause });
    expect(error.code).toBe('journal.write');
    expect(error.message).toBe(`${BOT_ERRORS['journal.write']}: /data/bookend.db`);
    expect(error.cause).toBe(cause);
    expect(error.name).toBe('BotError');
  });

  it('of the wire is told from others', () => {
    const error = new WireError('wire.field', 'data.items[0].slug');
    expect(error).toBeInstanceOf(BotError);
    expect(error.name).toBe('WireError');
  });
});

describe('a point in time', () => {
  it.each([
    { ms: 1_700_000_000_000, sec: 1_700_000_000 },
    { ms: 1_700_000_000_999, sec: 1_700_000_000 },
    { ms: 999, sec: 0 },
  ])('of $ms ms lies in second $sec', ({ ms, sec }) => {
    expect(unixSec(unixMs(ms))).toBe(sec);
  });

  it('moves by milliseconds', () => {
    expect(addMs(unixMs(1_000), 250)).toBe(1_250);
    expect(addMs(unixMs(1_000), -250)).toBe(750);
  });
});

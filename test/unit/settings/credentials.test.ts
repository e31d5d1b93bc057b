import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../../src/domain/secret.ts';
import {
  type CredentialsProvider,
  type CredentialsWarning,
  credentialsProvider,
  readAtOnce,
} from '../../../src/settings/credentials.ts';
import { fileOf } from './support.ts';

const SECRET = 'a8f5-not-for-anybody';
const THREE = { apiKey: 'key-1', apiSecret: SECRET, apiPassphrase: 'words of passage' };
const ENV = {
  VENUE_API_KEY: THREE.apiKey,
  VENUE_API_SECRET: THREE.apiSecret,
  VENUE_API_PASSPHRASE: THREE.apiPassphrase,
};

type Opened = {
  readonly provider: CredentialsProvider;
  readonly file: string;
  readonly warnings: CredentialsWarning[];
};

function open(
  text: string = JSON.stringify(THREE),
  mode = 0o600,
  read: (file: string) => Promise<string> = readAtOnce,
): Opened {
  const file = fileOf(text, 'credentials.json');
  chmodSync(file, mode);
  const warnings: CredentialsWarning[] = [];
  const provider = credentialsProvider({
    env: { VENUE_CREDENTIALS_FILE: file },
    onWarning: (warning) => warnings.push(warning),
    read,
  });
  return { provider, file, warnings };
}

function plain(credentials: Credentials | undefined): unknown {
  return {
    apiKey: credentials?.apiKey.reveal(),
    apiSecret: credentials?.apiSecret.reveal(),
    apiPassphrase: credentials?.apiPassphrase.reveal(),
  };
}

/** What opening fails with, as a log would show it. */
function refusal(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    return inspect(error, { depth: 10 });
  }
  throw new Error('it opens');
}

describe('credentials', () => {
  it('are absent where nothing names them', () => {
    const provider = credentialsProvider({ env: { VENUE_CREDENTIALS_FILE: ' ' } });
    expect(provider.source).toBe('none');
    expect(provider.current()).toBeUndefined();
  });

  it('come from three variables, without the blanks around them', async () => {
    const provider = credentialsProvider({ env: { ...ENV, VENUE_API_SECRET: ` ${SECRET}\n` } });
    expect(provider.source).toBe('environment');
    expect(plain(provider.current())).toEqual(THREE);
    expect(await provider.reload()).toBe(false);
  });

  it('come from a file', () => {
    const { provider } = open(JSON.stringify({ ...THREE, note: 'desk 4' }));
    expect(provider.source).toBe('file');
    expect(plain(provider.current())).toEqual(THREE);
  });

  it('are not taken from two places', () => {
    const { file } = open();
    expect(() => credentialsProvider({ env: { ...ENV, VENUE_CREDENTIALS_FILE: file } })).toThrow(
      expect.objectContaining({
        code: 'settings.credentials',
        message: expect.stringContaining('not both'),
      }),
    );
  });

  it('are not taken in part, and the missing ones are named', () => {
    expect(() => credentialsProvider({ env: { VENUE_API_SECRET: SECRET } })).toThrow(
      'not set: VENUE_API_KEY, VENUE_API_PASSPHRASE',
    );
  });

  it.each([
    ['is not JSON', `{"apiSecret": "${SECRET}"`],
    ['is text', `"${SECRET}"`],
    ['lacks a part', JSON.stringify({ apiKey: 'k', apiSecret: SECRET })],
    ['has a number for a text', JSON.stringify({ ...THREE, apiPassphrase: 5 })],
    ['has a line end inside', JSON.stringify({ ...THREE, apiSecret: `${SECRET}\nX-Header: 1` })],
    ['is far too long', JSON.stringify({ ...THREE, note: 'x'.repeat(100_000) })],
  ])('are refused from a file that %s, without a word of it', (_, text) => {
    const shown = refusal(() => open(text));
    expect(shown).toContain('settings.credentials');
    expect(shown).not.toContain(SECRET);
  });

  it('are refused from a file that is not there', () => {
    const env = { VENUE_CREDENTIALS_FILE: '/nowhere/credentials.json' };
    expect(() => credentialsProvider({ env })).toThrow('cannot be read (ENOENT)');
  });

  it.skipIf(process.platform === 'win32')(
    'are refused from a pipe that nobody writes to, where a kill would wait for ever',
    () => {
      const file = `${fileOf('')}.pipe`;
      execFileSync('mkfifo', [file]);
      expect(() => credentialsProvider({ env: { VENUE_CREDENTIALS_FILE: file } })).toThrow(
        'must be JSON',
      );
    },
  );

  it('print as masks', () => {
    const { provider } = open();
    const shown = `${JSON.stringify(provider.current())}${inspect(provider.current())}`;
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(THREE.apiKey);
  });

  it('in a file that everybody can read bring a warning', () => {
    expect(open(undefined, 0o600).warnings).toEqual([]);
    expect(open(undefined, 0o640).warnings).toEqual([]);
    expect(open(undefined, 0o644).warnings).toMatchObject([
      { event: 'credentials.exposed', detail: expect.stringContaining('mode 644') },
    ]);
  });
});

describe('credentials read again', () => {
  it('are others when the file has others', async () => {
    const { provider, file } = open();
    writeFileSync(file, JSON.stringify({ ...THREE, apiKey: 'key-2' }));
    expect(await provider.reload()).toBe(true);
    expect(provider.current()?.apiKey.reveal()).toBe('key-2');
  });

  it('are the same when the file has the same', async () => {
    expect(await open().provider.reload()).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('stay the old ones when the file is a pipe', async () => {
    const { provider, file, warnings } = open();
    rmSync(file);
    execFileSync('mkfifo', [file]);
    const writer = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
    expect(await provider.reload()).toBe(false);
    closeSync(writer);
    expect(plain(provider.current())).toEqual(THREE);
    expect(warnings).toMatchObject([{ event: 'credentials.reload_failed', detail: 'EAGAIN' }]);
  });

  it.each([
    ['was removed', undefined, 'ENOENT'],
    ['is half written', `{"apiSecret": "${SECRET}`, 'must be JSON'],
  ])('stay the old ones when the file %s', async (_, text, detail) => {
    const { provider, file, warnings } = open();
    if (text === undefined) rmSync(file);
    else writeFileSync(file, text);
    expect(await provider.reload()).toBe(false);
    expect(plain(provider.current())).toEqual(THREE);
    expect(warnings).toMatchObject([
      { event: 'credentials.reload_failed', file, detail: expect.stringContaining(detail) },
    ]);
    expect(JSON.stringify(warnings)).not.toContain(SECRET);
  });

  it('stay the old ones while a disk hangs, which holds up nobody and is read once', async () => {
    let answer: () => void = () => {};
    const hung = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let reads = 0;
    const { provider, file, warnings } = open(undefined, undefined, async (of) => {
      reads += 1;
      await hung;
      return await readAtOnce(of);
    });
    writeFileSync(file, JSON.stringify({ ...THREE, apiKey: 'key-2' }));
    expect(await Promise.all([provider.reload(), provider.reload()])).toEqual([false, false]);
    expect(plain(provider.current())).toEqual(THREE);
    expect(warnings[0]).toMatchObject({ detail: 'its disk does not answer' });
    const last = provider.reload();
    answer();
    expect(await last).toBe(true);
    expect(provider.current()?.apiKey.reveal()).toBe('key-2');
    expect(reads).toBe(1);
  });
});

// The account's credentials, from the environment or a file. Neither a value nor a part of one ever
// stands in an error.

import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BotError } from '../domain/errors.ts';
import { fileFault } from '../domain/file-fault.ts';
import { jsonOr } from '../domain/json.ts';
import { type Credentials, Secret } from '../domain/secret.ts';
import { AT_ONCE, readBoundedFile } from './bounded-file.ts';
import { isMap } from './keys.ts';
import type { Environment } from './settings.ts';

export type CredentialsSource = 'environment' | 'file' | 'none';

export interface CredentialsProvider {
  readonly source: CredentialsSource;
  /** `undefined` when none are configured: public endpoints still work. */
  current(): Credentials | undefined;
  /**
   * Reads the file again, after a 401. `true` when the credentials are others than before; a file
   * that cannot be used, or on a disk that hangs, leaves the old ones and says `false`.
   */
  reload(): Promise<boolean>;
}

export type CredentialsOptions = {
  readonly env: Environment;
  /** Notified of what works and should be better, such as a file that others can read. */
  readonly onWarning?: (warning: CredentialsWarning) => void;
  /** Reads the text of the file anew. */
  readonly read?: (file: string) => Promise<string>;
};

export type CredentialsWarning = {
  readonly event: 'credentials.exposed' | 'credentials.reload_failed';
  readonly file: string;
  readonly detail: string;
};

/**
 * Finds the credentials at the start.
 *
 * @throws {BotError} `settings.credentials` when they are given in part, twice, or unreadably.
 * @spec Authentication › Credentials
 */
export function credentialsProvider(options: CredentialsOptions): CredentialsProvider {
  const file = options.env['VENUE_CREDENTIALS_FILE']?.trim() ?? '';
  const named = fromEnvironment(options.env);
  if (file !== '' && named !== undefined) {
    throw refused('set VENUE_CREDENTIALS_FILE or the three VENUE_API_ variables, not both');
  }
  return file === '' ? fixed(named) : new FileCredentials(file, options);
}

const NAMES = {
  apiKey: 'VENUE_API_KEY',
  apiSecret: 'VENUE_API_SECRET',
  apiPassphrase: 'VENUE_API_PASSPHRASE',
} as const;

function fixed(credentials: Credentials | undefined): CredentialsProvider {
  return {
    source: credentials === undefined ? 'none' : 'environment',
    current: () => credentials,
    reload: () => Promise.resolve(false),
  };
}

class FileCredentials implements CredentialsProvider {
  readonly source = 'file';
  readonly #file: string;
  readonly #warn: (warning: CredentialsWarning) => void;
  readonly #readText: (file: string) => Promise<string>;
  #current: Credentials;
  /** One at a time: each read of a disk that hangs holds one of the few threads that read files and look up names. */
  #reading: Promise<boolean> | undefined;

  constructor(file: string, { onWarning = () => {}, read = readAtOnce }: CredentialsOptions) {
    this.#file = file;
    this.#readText = read;
    this.#warn = onWarning;
    this.#current = parse(
      readOr(() => readBoundedFile(file, PIPE_MS_MAX)),
      file,
    );
    this.#warnIfExposed();
  }

  current(): Credentials {
    return this.#current;
  }

  async reload(): Promise<boolean> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    const given = new AbortController();
    const late = sleep(READ_MS_MAX, 'late' as const, { ref: false, signal: given.signal });
    const read = await Promise.race([this.#reading, late.catch(() => false)]);
    given.abort();
    if (read !== 'late') return read;
    this.#fail('its disk does not answer');
    return false;
  }

  async #read(): Promise<boolean> {
    try {
      const next = parse(await this.#readText(this.#file), this.#file);
      const isOther = !areSame(this.#current, next);
      this.#current = next;
      return isOther;
    } catch (error) {
      this.#fail(error instanceof BotError ? error.message : errorCode(error));
      return false;
    }
  }

  #fail(detail: string): void {
    this.#warn({ event: 'credentials.reload_failed', file: this.#file, detail });
  }

  #warnIfExposed(): void {
    const mode = readOr(() => statSync(this.#file)).mode & 0o777;
    if ((mode & OTHERS_READ) === 0) return;
    const detail = `everybody on this machine may read it (mode ${mode.toString(8)}); chmod 600`;
    this.#warn({ event: 'credentials.exposed', file: this.#file, detail });
  }
}

const OTHERS_READ = 0o004;
/** Whoever was refused waits for it, a cancel among them, and goes on with what there is. */
const READ_MS_MAX = 1_000;
/** `VENUE_CREDENTIALS_FILE=<(decrypt …)` takes its time; a pipe that nobody writes to would hold up a kill for ever. */
const PIPE_MS_MAX = 10_000;

function fromEnvironment(env: Environment): Credentials | undefined {
  const missing = Object.values(NAMES).filter((name) => (env[name]?.trim() ?? '') === '');
  if (missing.length === Object.keys(NAMES).length) return undefined;
  if (missing.length > 0) throw refused(`not set: ${missing.join(', ')}`);
  return {
    apiKey: secret(env[NAMES.apiKey], NAMES.apiKey),
    apiSecret: secret(env[NAMES.apiSecret], NAMES.apiSecret),
    apiPassphrase: secret(env[NAMES.apiPassphrase], NAMES.apiPassphrase),
  };
}

/** A credential is a line; a file of a megabyte is another file by mistake. */
const FILE_LENGTH_MAX = 65_536;

function parse(text: string, file: string): Credentials {
  if (text.length > FILE_LENGTH_MAX) throw refused(`${file} is too long`);
  const value = jsonOr(text, FILE_LENGTH_MAX);
  if (!isMap(value)) throw refused(`${file} must be JSON with apiKey, apiSecret and apiPassphrase`);
  return {
    apiKey: secret(value['apiKey'], `${file}: apiKey`),
    apiSecret: secret(value['apiSecret'], `${file}: apiSecret`),
    apiPassphrase: secret(value['apiPassphrase'], `${file}: apiPassphrase`),
  };
}

/** Headers carry printable ASCII; blanks around a value come from the file it was pasted from. */
function secret(value: unknown, name: string): Secret {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw refused(`${name} is missing or not text`);
  if (!/^[\x21-\x7e][\x20-\x7e]{0,4095}$/.test(text)) {
    throw refused(`${name} has characters that no header can carry`);
  }
  return new Secret(text);
}

function areSame(one: Credentials, other: Credentials): boolean {
  return (
    one.apiKey.reveal() === other.apiKey.reveal() &&
    one.apiSecret.reveal() === other.apiSecret.reveal() &&
    one.apiPassphrase.reveal() === other.apiPassphrase.reveal()
  );
}

/** A pipe that nobody writes to any more would hold one of the few threads that read files, for ever. */
export async function readAtOnce(file: string): Promise<string> {
  const handle = await open(file, AT_ONCE);
  try {
    const buffer = Buffer.alloc(FILE_LENGTH_MAX + 1);
    const { bytesRead } = await handle.read(buffer);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function readOr<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw refused(`VENUE_CREDENTIALS_FILE ${fileFault(errorCode(error))}`, { cause: error });
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function refused(detail: string, options?: ErrorOptions): BotError {
  return new BotError('settings.credentials', detail, options);
}

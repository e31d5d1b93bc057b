// The running daemon as another process reaches it: the address of its configuration.

import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { localToken } from '../app/control-token.ts';
import { systemClock } from '../clock/system.ts';
import { BotError } from '../domain/errors.ts';
import { inTime } from '../domain/in-time.ts';
import { readJson } from '../domain/json.ts';
import { boundedText } from '../feeds/http-source.ts';
import { wholePath } from '../journal/files.ts';
import type { Settings } from '../settings/settings.ts';
import { usersAt } from './listener.ts';

export type JsonAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'failed'; readonly detail: string };

type JsonRequest = {
  readonly method?: 'GET' | 'POST';
  readonly token?: string | undefined;
  /** Of the daemon that is meant: another one that has its port refuses. */
  readonly journal?: string;
  readonly body?: object;
  /** Who asks, for the record of the daemon. */
  readonly by?: string;
  /** A kill answers when it is confirmed, which takes its time. */
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 5_000;
/** A thousand markets are a few megabytes; whoever has taken the port of a daemon may send anything. */
const ANSWER_BYTES_MAX = 32_000_000;

type HttpAddress = Pick<Settings['http'], 'host' | 'port'>;

/** A daemon that listens everywhere is reached over loopback. */
export function httpAddressOf({ http }: { readonly http: HttpAddress }): string {
  const isAnywhere = http.host === '0.0.0.0' || http.host === '::';
  const host = isAnywhere ? '127.0.0.1' : http.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${http.port}`;
}

/** Who is asked at an address that is named. */
export function httpOf(address: string): HttpAddress {
  const { hostname, port, protocol } = new URL(address);
  const known = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? known : Number(port) };
}

/** Who runs a command, as latch and record name it. */
export function commandName(command: string): string {
  const user = process.getuid === undefined ? '' : `user ${process.getuid()}, `;
  return `bookend ${command} (${user}process ${process.pid})`;
}

/** The query that names a market, for the routes of control. */
export function queryOf(market: string | undefined): string {
  return market === undefined ? '' : `?market=${encodeURIComponent(market)}`;
}

type DaemonSettings = Pick<Settings, 'controlToken'> & {
  readonly http: HttpAddress;
  readonly journal: Pick<Settings['journal'], 'path'>;
};

/**
 * What opens the daemon of this journal: the configured token, or the one that it has made itself. None where
 * somebody else has its port.
 */
export async function daemonTokenOf(settings: DaemonSettings): Promise<string | undefined> {
  const { controlToken, journal } = settings;
  if ((await otherUserAt(settings)) !== undefined) return undefined;
  return await soon(localToken({ controlToken, journal: journal.path }), undefined);
}

/**
 * The user who listens there and is neither this one, nor the one of the journal, nor the one that may do anything.
 * Where the folder of the journal is not, the daemon is not either: its port may be that of a container.
 */
async function otherUserAt({ http, journal }: DaemonSettings): Promise<number | undefined> {
  const users = usersAt(new URL(httpAddressOf({ http })).hostname, http.port);
  const others = users.filter((user) => user !== process.getuid?.() && user !== 0);
  if (others.length === 0) return undefined;
  const owner = await soon(ownerOf(dirname(journal.path)), 'unknown');
  return owner === undefined ? undefined : others.find((user) => user !== owner);
}

async function ownerOf(folder: string): Promise<number | 'unknown' | undefined> {
  return (await stat(folder).catch(() => undefined))?.uid;
}

/** A disk that has not answered by then hangs, and a daemon is told all the same. */
const DISK_MS_MAX = 1_000;

async function soon<Value>(answer: Promise<Value>, otherwise: Value): Promise<Value> {
  return await inTime(answer, otherwise, { timers: systemClock().background, ms: DISK_MS_MAX });
}

/** Whom a command means, and what lets it in there. */
export type MeantDaemon = {
  readonly address: string;
  readonly journal: string;
  readonly token: string | undefined;
};

/** @throws {BotError} `http.listen` where somebody else has its port. */
export async function meantDaemon(settings: DaemonSettings): Promise<MeantDaemon> {
  const other = await otherUserAt(settings);
  if (other !== undefined) {
    const detail = `user ${other} listens at ${httpAddressOf(settings)}, who is not that of the daemon`;
    throw new BotError('http.listen', detail);
  }
  const [journal, token] = await Promise.all([
    soon(wholePath(settings.journal.path), resolve(settings.journal.path)),
    daemonTokenOf(settings),
  ]);
  return { address: httpAddressOf(settings), journal, token };
}

/** One request; whatever goes wrong is an answer that says so. */
export async function requestJson(url: string, options: JsonRequest = {}): Promise<JsonAnswer> {
  try {
    const response = await fetch(url, {
      method: options.method ?? 'GET',
      headers: headersOf(options),
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
      // No daemon sends anybody elsewhere; whoever has its port might.
      redirect: 'error',
    });
    const read = readJson(await boundedText(response, ANSWER_BYTES_MAX), ANSWER_BYTES_MAX);
    if (!read.isRead) return { kind: 'failed', detail: `its answer ${read.why}` };
    return { kind: 'answer', status: response.status, body: read.value };
  } catch (error) {
    return { kind: 'failed', detail: why(error) };
  }
}

/** What a daemon says of a request that it refuses. */
export function errorText(body: unknown): string | undefined {
  const text = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  return typeof text === 'string' ? text : undefined;
}

function headersOf({ token, journal, body, by }: JsonRequest): Record<string, string> {
  return {
    ...(by === undefined ? {} : { 'x-bookend-by': by }),
    ...(journal === undefined ? {} : { 'x-bookend-journal': encodeURIComponent(journal) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

function why(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return code ?? error.message;
}

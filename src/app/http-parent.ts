// The process that serves HTTP, as the one that starts it has it: the guard, or a trader without one. It is
// started anew when it ends, at a growing pace, and whatever becomes of it nobody else is the worse for it.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { redactedJson } from '../domain/redact.ts';
import type { Secret } from '../domain/secret.ts';
import type { Timers } from '../domain/time.ts';
import { type Part, type PartOptions, startPart } from '../guard/child.ts';
import { fieldOf } from '../guard/own-orders-update.ts';
import { cannotWrite, errorCode, wholePath } from '../journal/files.ts';
import type { RoleTokens } from '../settings/role-tokens.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import { openEnv } from './child-env.ts';
import { serverNodeArgs } from './node-args.ts';
import { wantedOrAnyPort } from './ports.ts';
import { serverReads } from './server-reads.ts';

export type HttpParentOptions = {
  readonly http: Settings['http'];
  /** The configuration that is in force, for what is compared with it. */
  readonly configFile: string;
  /** Beside it stands what charts show of the last day. */
  readonly journal: string;
  readonly controlToken: Secret | undefined;
  readonly roleTokens?: RoleTokens;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timers: Timers;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Another port where the wanted one is taken. */
  readonly mayMove?: boolean;
  /** The longest that a kill may take until it is confirmed. */
  readonly proofMsMax: number;
  /** Kills beside the trader; absent where nobody can. */
  readonly killer?: Killer;
  readonly start?: typeof startPart;
  readonly readsOf?: typeof serverReads;
};

/** What the independent kill path is asked for, by a number that its answers carry. */
export interface Killer {
  /** Cancels what is open, at once. */
  kill(id: number, by: string, tell: (step: KillUpdate) => void): void;
  /** The trader has not taken it up: it is latched without him. */
  latch(by: string): void;
  /** The trader has confirmed it: nobody else needs to look any longer. */
  confirmed(id: number): void;
}

export type KillUpdate =
  | { readonly kind: 'step'; readonly detail: string }
  | { readonly kind: 'ended'; readonly isConfirmed: boolean; readonly body: object };

export type ToServer =
  | {
      readonly kind: 'begin';
      readonly http: Settings['http'];
      readonly configFile: string;
      readonly journal: string;
      readonly token: string | undefined;
      readonly roleTokens: Readonly<Partial<Record<keyof RoleTokens, string>>>;
      readonly path: string;
      readonly hasKiller: boolean;
      readonly proofMsMax: number;
    }
  | { readonly kind: 'update'; readonly id: number; readonly update: KillUpdate };

type Begin = Extract<ToServer, { kind: 'begin' }>;

export type FromServer =
  /** Its event loop turns. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'listening'; readonly port: number }
  /** It cannot listen yet, and tries again. */
  | { readonly kind: 'fault'; readonly detail: string }
  | { readonly kind: 'kill'; readonly id: number; readonly by: string }
  | { readonly kind: 'latch'; readonly by: string }
  | { readonly kind: 'confirmed'; readonly id: number };

const RESTART_MS_MIN = 200;
const RESTART_MS_MAX = 10_000;
/** One that has lived so long was no failed start. */
const WELL_MS = 30_000;

/** So many looks in a row that hear nothing make it hung. Looks are counted: after a sleep of the machine one has passed. */
const LOOK_MS = 5_000;
const QUIET_LOOKS_MAX = 6;
/** The first may be of one that has spoken, and does not listen yet. */
const MISSED_LOOKS_MAX = 2;

/** Beyond the deadline of a proof, and what may arrive after it: for a word that comes late. */
const PROOF_MARGIN_MS = 5_000;

/** The longest that a kill may take until it is confirmed, or known not to be. */
export function proofMsMax({
  proofDeadlineMs,
  unknownHorizonMs,
}: Pick<Settings['timing'], 'proofDeadlineMs' | 'unknownHorizonMs'>): number {
  return proofDeadlineMs + unknownHorizonMs + PROOF_MARGIN_MS;
}

export class HttpParent {
  /** Where it listens for the trader. */
  readonly path: string;
  readonly #options: HttpParentOptions;
  readonly #folder: string | undefined;
  #port: number | undefined;
  #part: Part | undefined;
  #isClosed = false;
  #failures = 0;
  /** It has begun once, so that it can load what it needs with the rights that it has. */
  #hasBegun = false;
  #mayReadAll = false;
  #reads: readonly string[] | undefined;
  #quietLooks = 0;
  /** The process of now has said something: it has loaded, and listens, or is about to. */
  #hasSpoken = false;
  /** Looks in a row that have not found the socket. */
  #missedLooks = 0;
  #callOffLook: () => void = () => {};
  #callOff: () => void = () => {};

  constructor(options: HttpParentOptions) {
    this.#options = options;
    const isWindows = process.platform === 'win32';
    const beside = dirname(resolve(options.journal));
    this.#folder = isWindows ? undefined : folderIn([tmpdir(), MEMORY], beside);
    this.path =
      this.#folder === undefined
        ? `\\\\.\\pipe\\bookend-${randomUUID()}`
        : join(this.#folder, SOCKET);
    // The trader is started first: quotes do not wait for those who look at them.
    const begin = setImmediate(() => void this.#start());
    this.#callOff = () => clearImmediate(begin);
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff();
    this.#callOffLook();
    this.#part?.signal('SIGKILL');
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const http = await this.#address();
    const files = await this.#files();
    if (this.#isClosed) return;
    const { env, controlToken, roleTokens = {}, killer, proofMsMax } = this.#options;
    const { start = startPart } = this.#options;
    const part = start({ args: ['http'], env: openEnv(env), ...this.#rights(files) });
    this.#part = part;
    const startedMs = performance.now();
    part.onMessage((message) => this.#onMessage(message));
    void part.exited.then((exit) => this.#onExit(exit, performance.now() - startedMs));
    const begin: ToServer = {
      kind: 'begin',
      http,
      ...files,
      token: controlToken?.reveal(),
      roleTokens: revealed(roleTokens),
      path: this.path,
      hasKiller: killer !== undefined,
      proofMsMax,
    };
    part.send(begin);
    this.#quietLooks = 0;
    this.#missedLooks = 0;
    this.#hasSpoken = false;
    this.#lookLater(part);
  }

  /** By paths that mean the same in whatever folder. */
  async #files(): Promise<Pick<Begin, 'configFile' | 'journal'>> {
    const { configFile, journal } = this.#options;
    return { configFile: resolve(configFile), journal: await wholePath(journal) };
  }

  /** Node lets threads read the folder that they are started in, where files of secrets often stand (`.env`): it begins in its own one. */
  #rights(files: Pick<Begin, 'configFile' | 'journal'>): Pick<PartOptions, 'nodeArgs' | 'cwd'> {
    const folder = this.#folder;
    if (this.#mayReadAll) return { nodeArgs: serverNodeArgs({ folder, reads: ['*'] }) };
    const { env, readsOf = serverReads } = this.#options;
    const credentialsFile = env['VENUE_CREDENTIALS_FILE'];
    // Looked at once, when the configuration has just been read: on a disk that hangs a watchdog would stand still.
    this.#reads ??= readsOf({ ...files, credentialsFile });
    return { nodeArgs: serverNodeArgs({ folder, reads: this.#reads }), cwd: folder };
  }

  /** Nobody looks into a process that hangs, and `kill` over HTTP would not be heard: it is ended, and another one begins. */
  #lookLater(part: Part): void {
    this.#callOffLook();
    this.#callOffLook = this.#options.timers.after(LOOK_MS, () => {
      if (part !== this.#part) return;
      this.#quietLooks += 1;
      if (this.#quietLooks < QUIET_LOOKS_MAX) {
        this.#lookLater(part);
        void this.#lookForSocket(part);
        return;
      }
      this.#options.log.error('http.hung', { forMs: QUIET_LOOKS_MAX * LOOK_MS });
      part.signal('SIGKILL');
    });
  }

  /**
   * Who cleans up folders of temporary files takes the socket, too: a trader that has it goes on, and the next one would
   * never be heard. Only a folder that is our own is listened in again.
   */
  async #lookForSocket(part: Part): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined || !this.#hasSpoken) return;
    const isThere = await lstat(this.path).then(
      () => true,
      (error: unknown) => errorCode(error) !== 'ENOENT',
    );
    if (part !== this.#part) return;
    this.#missedLooks = isThere ? 0 : this.#missedLooks + 1;
    if (this.#missedLooks < MISSED_LOOKS_MAX || !(await isOwnFolder(folder))) return;
    if (part !== this.#part) return;
    this.#options.log.error('http.socket_gone', { folder });
    part.signal('SIGKILL');
  }

  /** Once it has listened somewhere, it listens there again. */
  async #address(): Promise<Settings['http']> {
    const { http, mayMove, log } = this.#options;
    if (this.#port !== undefined) return { ...http, port: this.#port };
    if (mayMove !== true) return http;
    const port = await wantedOrAnyPort(http.host, http.port);
    if (port !== http.port) log.warn('http.port_busy', { wanted: http.port, instead: 'any' });
    return { ...http, port };
  }

  #onExit(exit: Awaited<Part['exited']>, livedMs: number): void {
    this.#part = undefined;
    this.#callOffLook();
    if (this.#isClosed) return;
    this.#failures = livedMs > WELL_MS ? 0 : this.#failures + 1;
    // One that lacks a file ends by itself; who was killed, or never started, lacked none.
    if (exit.signal === null && exit.notStarted === undefined) this.#widen();
    const inMs = Math.min(RESTART_MS_MIN * 2 ** Math.min(this.#failures, 10), RESTART_MS_MAX);
    this.#options.log.error('http.died', { ...exit, inMs });
    this.#callOff = this.#options.timers.after(inMs, () => void this.#start());
  }

  /** What an operator has Node load, or packages in an unusual place: to be without HTTP would be worse. */
  #widen(): void {
    if (this.#hasBegun || this.#mayReadAll) return;
    this.#mayReadAll = true;
    this.#options.log.warn('http.reads_all', { detail: READS_ALL });
  }

  #onMessage(raw: unknown): void {
    const message = readFromServer(raw);
    const { killer } = this.#options;
    if (message !== undefined) {
      this.#quietLooks = 0;
      this.#hasSpoken = true;
      this.#hasBegun = true;
    }
    switch (message?.kind) {
      case 'listening':
        this.#port = message.port;
        return;
      case 'fault':
        this.#options.log.error('http.not_listening', { detail: message.detail });
        return;
      case 'kill': {
        const { id, by } = message;
        killer?.kill(id, by, (update) => this.#say({ kind: 'update', id, update }));
        return;
      }
      case 'latch':
        killer?.latch(message.by);
        return;
      case 'confirmed':
        killer?.confirmed(message.id);
        return;
      case 'beat':
      case undefined:
    }
  }

  #say(message: ToServer): void {
    this.#part?.send(shown(message));
  }
}

/** Has a place for a socket where a container may write nothing else, but for its journal. */
const MEMORY = '/dev/shm';
const SOCKET = 'trader';
/** Of the path of a socket on macOS; Linux takes four more. Node refuses a longer one, or cuts it, perhaps to that of another daemon. */
const PATH_BYTES_MAX = 103;

/**
 * A new folder in the first of these places that takes one, and from which the path of a socket is short enough, or else
 * beside the journal, which is made where it is missing.
 * @throws {BotError} `journal.write` when that takes none either.
 */
export function folderIn(places: readonly string[], beside: string): string {
  for (const place of places.filter(isShort)) {
    try {
      return mkdtempSync(join(place, 'bookend-'));
    } catch {
      // The next one may be there, or writable.
    }
  }
  try {
    mkdirSync(beside, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(beside, 'bookend-'));
  } catch (error) {
    throw cannotWrite(beside, error);
  }
}

/** Made anew where it is gone; nobody else may have put one in its place. */
async function isOwnFolder(folder: string): Promise<boolean> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return false;
  return found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

function isShort(place: string): boolean {
  return Buffer.byteLength(join(place, 'bookend-XXXXXX', SOCKET)) <= PATH_BYTES_MAX;
}

const READS_ALL =
  'ended before it began; it may read every file of this user now, in case it lacked one';

function revealed({ view, trade, kill }: RoleTokens): Begin['roleTokens'] {
  return {
    ...(view === undefined ? {} : { view: view.reveal() }),
    ...(trade === undefined ? {} : { trade: trade.reveal() }),
    ...(kill === undefined ? {} : { kill: kill.reveal() }),
  };
}

/** As the process may show it that knows none of our secrets. */
function shown(message: ToServer): ToServer {
  return JSON.parse(redactedJson(JSON.stringify(message)));
}

/** What parses network input is not trusted a word that it does not look like. */
function readFromServer(raw: unknown): FromServer | undefined {
  const kind = fieldOf(raw, 'kind');
  const id = fieldOf(raw, 'id');
  const by = fieldOf(raw, 'by');
  const port = fieldOf(raw, 'port');
  const detail = fieldOf(raw, 'detail');
  if (kind === 'beat') return { kind };
  if (kind === 'fault' && typeof detail === 'string') return { kind, detail };
  if (kind === 'listening' && typeof port === 'number') return { kind, port };
  if (kind === 'kill' && typeof id === 'number' && typeof by === 'string') return { kind, id, by };
  if (kind === 'latch' && typeof by === 'string') return { kind, by };
  if (kind === 'confirmed' && typeof id === 'number') return { kind, id };
  return undefined;
}

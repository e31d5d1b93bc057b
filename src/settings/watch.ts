// Reads the configuration again when its file changes or the operator says so.

import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import { running, type SettingsChange, settingsChange } from './diff.ts';
import { readSettingsTextBehind } from './load.ts';
import { parseNext, SETTLE_MS } from './next-run.ts';
import { SettingsError } from './problems.ts';
import type { Settings, SettingsSource } from './settings.ts';

export type Reload =
  | ({ readonly kind: 'changed'; readonly settings: Settings } & SettingsChange)
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly error: SettingsError };

export type WatchOptions = SettingsSource & {
  /** What runs now. */
  readonly initial: Settings;
  /** The text that says so; without it, what the file says now. */
  readonly text?: string | undefined;
  /** Something of that text waits for a restart, which is said again. */
  readonly waits?: boolean;
  /** What the command line changes about any configuration, such as a port that was free. */
  readonly adjust?: (settings: Settings) => Settings;
  /** New settings are in force; what needs a restart is as before in them. */
  readonly onChange: (settings: Settings, change: SettingsChange) => void;
  /** A text is in force from now on, whether what it says is new or not. */
  readonly onText?: ((text: string) => void) | undefined;
  /** The file is not usable; the old settings stay whole. */
  readonly onRefused: (error: SettingsError) => void;
  /** The file is usable, whether what it says is new or not. */
  readonly onUsable?: () => void;
  /** The file must hold still this long before it is trusted. */
  readonly settleMs?: number;
  /** How often the file is looked at where the system does not tell of changes. */
  readonly pollMs?: number;
  /** Looks at the file, as `node:fs` does. */
  readonly stat?: (file: string) => Promise<Signed>;
  /** Its text, as it stands. */
  readonly read?: (file: string) => Promise<string>;
};

type Signed = { readonly ino: number; readonly size: number; readonly mtimeMs: number };

export interface SettingsWatch {
  /** The settings in force. */
  current(): Settings;
  /** The text that says so; of a file that was refused since, not what it says now. */
  text(): string;
  /** Reads the file, however still it holds, for SIGHUP; the handlers are told as well. */
  reloadNow(): Promise<Reload>;
  close(): void;
}

/** Bind mounts and network file systems send no events. */
const POLL_MS = 2_000;

/**
 * Watches a configuration file.
 *
 * Saving in place, replacing by rename and swapping a symbolic link are all noticed. A file is
 * trusted when two looks at it, `settleMs` apart, see the same text. A disk that hangs holds up no
 * more than these looks, one at a time. The watch does not keep the process alive.
 */
export function watchSettings(options: WatchOptions): SettingsWatch {
  const watching = new Watching(options);
  watching.start();
  return watching;
}

class Watching implements SettingsWatch {
  readonly #options: WatchOptions;
  readonly #file: string;
  #current: Settings;
  /** What was read last, whatever came of it: the same text is not reported twice. */
  #lastLook: Look | undefined;
  /** One that hangs holds a thread, of which there are few: the next one waits for it. */
  #lookBefore: Promise<unknown> = Promise.resolve();
  #reloadToCome: Promise<Reload> | undefined;
  /** Of the file that is in force. */
  #text: string;
  /** All of it: else a part waits for a restart, or it is what the file said when the watch began, and the settings may be of before. */
  #isTextInForce: boolean;
  #candidate: Look | undefined;
  #signature = '';
  #watchers: ReadonlyMap<string, FSWatcher> = new Map();
  #settle: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Something has happened since the look that is under way was asked for: its answer may be the text of before. */
  #isTouched = false;
  #isPolling = false;
  #poll: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#file = resolve(options.file);
    this.#current = options.initial;
    this.#text = options.text ?? readTextOrNothing(this.#file);
    this.#isTextInForce = options.text !== undefined && options.waits !== true;
  }

  start(): void {
    const pollMs = this.#options.pollMs ?? POLL_MS;
    this.#poll = setInterval(() => this.#onPoll(), pollMs).unref();
    // The file may have changed between its first reading and this moment.
    this.#onPoll();
  }

  current(): Settings {
    return this.#current;
  }

  text(): string {
    return this.#text;
  }

  async reloadNow(): Promise<Reload> {
    this.#reloadToCome ??= this.#look(() => {
      this.#reloadToCome = undefined;
    }).then((seen) => this.#reload(seen));
    return await this.#reloadToCome;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#settle);
    clearInterval(this.#poll);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers = new Map();
  }

  #reload(seen: Look): Reload {
    if (this.#isClosed) return { kind: 'unchanged' };
    this.#lastLook = seen;
    const reload = this.#read(seen);
    if (reload.kind === 'changed') {
      const { settings, applied, needsRestart } = reload;
      this.#current = settings;
      this.#options.onChange(settings, { applied, needsRestart });
    }
    if (reload.kind === 'refused') this.#options.onRefused(reload.error);
    else this.#options.onUsable?.();
    return reload;
  }

  #read({ text, error: unread }: Look): Reload {
    try {
      if (text === undefined) throw unread;
      // As a look behind a start mostly finds it: hundreds of markets are not read again to find nothing.
      if (this.#isTextInForce && text === this.#text) return { kind: 'unchanged' };
      const { adjust = (settings) => settings } = this.#options;
      const next = adjust(parseNext(text, this.#text, this.#options));
      this.#onText(text);
      const change = settingsChange(this.#current, next);
      this.#isTextInForce = change.needsRestart.length === 0;
      if (change.applied.length + change.needsRestart.length === 0) return { kind: 'unchanged' };
      return { kind: 'changed', settings: running(this.#current, next), ...change };
    } catch (error) {
      if (error instanceof SettingsError) return { kind: 'refused', error };
      // A fault of ours in reading a file is no reason to end a trader that has settings.
      const problem = { path: '', line: undefined, message: `cannot be read: ${String(error)}` };
      const { file } = this.#options;
      const refusal = new SettingsError({ file, problems: [problem] }, { cause: error });
      return { kind: 'refused', error: refusal };
    }
  }

  #onText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#options.onText?.(text);
  }

  #onPoll(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const { stat: ask = stat } = this.#options;
    void signature(ask(this.#file)).then((seen) => {
      this.#isPolling = false;
      if (this.#isClosed || seen === this.#signature) return;
      this.#signature = seen;
      this.#watchDirectories();
      this.#touch();
    });
  }

  /** Something happened near the file. What happens all the time, as in a journal beside it, puts no look off. */
  #touch(): void {
    if (this.#isClosed) return;
    this.#isTouched = this.#isLooking;
    if (this.#isLooking) return;
    const settleMs = this.#options.settleMs ?? SETTLE_MS;
    this.#settle ??= setTimeout(() => void this.#onSettle(), settleMs).unref();
  }

  async #onSettle(): Promise<void> {
    this.#settle = undefined;
    this.#isLooking = true;
    const seen = await this.#look();
    this.#isLooking = false;
    if (this.#isClosed) return;
    if (this.#isTouched) this.#touch();
    this.#onLook(seen);
  }

  async #look(onBegin = (): void => {}): Promise<Look> {
    const look = this.#lookBefore.then(async () => {
      onBegin();
      return await lookAt(readSettingsTextBehind(this.#file, this.#options.read));
    });
    this.#lookBefore = look;
    return await look;
  }

  #onLook(seen: Look): void {
    if (isSame(seen, this.#lastLook)) {
      this.#candidate = undefined;
      return;
    }
    if (!isSame(seen, this.#candidate)) {
      this.#candidate = seen;
      this.#touch();
      return;
    }
    this.#candidate = undefined;
    // A link may lead to another directory now.
    this.#watchDirectories();
    this.#reload(seen);
  }

  /** Directories and not the file itself: a file that is replaced takes its watcher with it. */
  #watchDirectories(): void {
    const wanted = new Set([dirname(this.#file), dirname(realPath(this.#file))]);
    const kept = new Map<string, FSWatcher>();
    for (const [directory, watcher] of this.#watchers) {
      if (wanted.has(directory)) kept.set(directory, watcher);
      else watcher.close();
    }
    for (const directory of wanted) {
      const watcher = kept.get(directory) ?? this.#watchDirectory(directory);
      if (watcher !== undefined) kept.set(directory, watcher);
    }
    this.#watchers = kept;
  }

  #watchDirectory(directory: string): FSWatcher | undefined {
    try {
      const watcher = watch(directory, { persistent: false }, () => this.#touch());
      // Looking at the file now and then goes on without it.
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }
}

function readTextOrNothing(file: string): string {
  try {
    return readBoundedFile(file);
  } catch {
    return '';
  }
}

/** The text of the file, or why there is none. */
type Look =
  | { readonly text: string; readonly error?: undefined }
  | { readonly text?: undefined; readonly error: unknown };

async function lookAt(text: Promise<string>): Promise<Look> {
  return await text.then(
    (text) => ({ text }),
    (error: unknown) => ({ error }),
  );
}

function isSame(look: Look, other: Look | undefined): boolean {
  return look.text === other?.text && String(look.error) === String(other?.error);
}

/** Changes when the file does, without reading it. */
async function signature(asked: Promise<Signed>): Promise<string> {
  return await asked.then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => 'none',
  );
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

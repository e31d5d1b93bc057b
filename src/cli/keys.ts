// Keys of the live status. The watchdog reads them and owns the mode of the terminal, since it outlives every
// trader. Keys that are signals (Ctrl-C, Ctrl-\) stay signals.

import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import process from 'node:process';
import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import { isatty } from 'node:tty';
import type { Timers } from '../domain/time.ts';

export type Keys = {
  /** Gives the terminal back as it was; a second call does nothing. */
  close(): void;
};

export type KeysOptions = {
  readonly timers: Timers;
  /** Given the name of a key (`up`, `tab`, `escape`), or the character of it (`p`, `?`). */
  readonly press: (key: string) => void;
};

/** Nobody notices so little, and a read that finds nothing costs some microseconds. */
const POLL_MS = 50;
/** People press one key at a time; what is pasted beyond this waits for the next read. */
const READ_BYTES_MAX = 64;
/** Longer than it ever takes: a start must not hang in a terminal. */
const STTY_MS_MAX = 1_000;

const ESCAPE_TWICE = '\u001b\u001b';

/** No read waits in this mode, which is a second reason beside `O_NONBLOCK` that none does. */
const KEY_MODE = ['-icanon', '-echo', 'min', '0', 'time', '0'];
/** Undoes it where nobody knows any more what was there before. */
const LINE_MODE = ['icanon', 'echo'];

/**
 * Takes the keys of the controlling terminal, one by one and without an echo.
 *
 * Reads without waiting and only in the foreground: a background process that reads a terminal is stopped by
 * it, and its whole process group with it.
 *
 * @returns `undefined` where there is no terminal to read, or not in the foreground; and beside Linux, where
 *   nobody says which that is.
 */
export function openKeys(options: KeysOptions): Keys | undefined {
  if (process.platform !== 'linux' || !isatty(0) || !isForeground()) return undefined;
  const fd = openTerminal();
  if (fd === undefined) return undefined;
  const before = stty(['-g']);
  if (before === undefined || stty(KEY_MODE) === undefined) {
    closeSync(fd);
    return undefined;
  }
  return new TerminalKeys(fd, before.trim(), options);
}

/**
 * For a process that the watchdog has left alone with a terminal in key mode. It asks for lines and an echo again
 * where it may; and where a shell has taken the terminal back, it changes nothing.
 */
export function leaveKeyMode(): void {
  if (process.platform === 'linux' && isatty(0) && isForeground()) stty(LINE_MODE);
}

class TerminalKeys implements Keys {
  readonly #fd: number;
  readonly #before: string;
  readonly #options: KeysOptions;
  readonly #parser: (bytes: Buffer) => void;
  readonly #bytes = Buffer.alloc(READ_BYTES_MAX);
  #callOff: () => void = () => {};
  #isOpen = true;

  constructor(fd: number, before: string, options: KeysOptions) {
    this.#fd = fd;
    this.#before = before;
    this.#options = options;
    this.#parser = keyParser(options.press);
    process.on('SIGCONT', this.#onContinued);
    this.#poll();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#callOff();
    process.off('SIGCONT', this.#onContinued);
    if (isForeground()) stty([this.#before]);
    closeSync(this.#fd);
  }

  /** A shell that had suspended us, or the npm above us, has put its own mode there meanwhile. */
  readonly #onContinued = (): void => {
    if (isForeground()) stty(KEY_MODE);
  };

  #poll(): void {
    if (isForeground()) this.#read();
    this.#callOff = this.#options.timers.after(POLL_MS, () => this.#poll());
  }

  #read(): void {
    try {
      const length = readSync(this.#fd, this.#bytes);
      if (length > 0) this.#parser(Buffer.from(this.#bytes.subarray(0, length)));
    } catch {
      // Nothing to read, or a terminal that is gone: a signal says so.
    }
  }
}

/** Bytes of a terminal as keys; what is no key of ours goes the same way, and means nothing. */
export function keyParser(press: (key: string) => void): (bytes: Buffer) => void {
  const stream = new PassThrough();
  emitKeypressEvents(stream);
  stream.on('keypress', (text: string | undefined, key: Key) => {
    if (!isEscapeAndKey(key)) {
      press(keyName(text, key));
      return;
    }
    press('escape');
    press(keyName(text, { ...key, meta: false }));
  });
  return (bytes) => void stream.write(bytes);
}

/** Where two keys were read at once they look like one with Alt, which means nothing here. */
function isEscapeAndKey({ meta, sequence = '' }: Key): boolean {
  return meta === true && sequence.length === 2 && sequence !== ESCAPE_TWICE;
}

function keyName(text: string | undefined, { name, ctrl, meta, shift }: Key): string {
  const plain = name ?? text ?? 'unknown';
  if (ctrl === true) return `ctrl-${plain}`;
  if (name === 'escape') return plain;
  if (meta === true) return `meta-${plain}`;
  return shift === true && name === 'tab' ? 'backtab' : plain;
}

/** The terminal belongs to our process group: nobody else reads it, and we may. */
function isForeground(): boolean {
  try {
    const status = readFileSync('/proc/self/stat', 'latin1');
    // The name of the program stands in brackets, and may have anything in it.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    const [, , group, , , terminalGroup] = fields;
    return group !== undefined && group === terminalGroup;
  } catch {
    return false;
  }
}

function openTerminal(): number | undefined {
  try {
    return openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}

/**
 * `undefined` where the program is not there, or the terminal does not do it. It is given a terminal of its own:
 * what a child process gets as its input is made to wait for reads, ours with it.
 */
function stty(args: readonly string[]): string | undefined {
  const fd = openTerminal();
  if (fd === undefined) return undefined;
  const { status, stdout } = spawnSync('stty', [...args], {
    stdio: [fd, 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: STTY_MS_MAX,
  });
  closeSync(fd);
  return status === 0 ? stdout : undefined;
}

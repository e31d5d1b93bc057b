// Where log lines go while a screen may be on: never over the screen, never lost.

import { createWriteStream, type WriteStream } from 'node:fs';
import { redacted } from '../domain/redact.ts';
import { textLine } from '../telemetry/text-line.ts';
import type { Output } from './io.ts';
import type { LastEvents } from './last-events.ts';
import { DROPPED } from './unblocked.ts';

export type LogTarget = {
  /** Takes one JSON line. */
  write(line: string): void;
  /** From now on lines go to the list; the returned function ends that. */
  divert(events: LastEvents): () => void;
  close(): Promise<void>;
};

export type LogTargetOptions = {
  readonly file: string | undefined;
  readonly format: 'json' | 'text';
  /** Notified of all lines that were given up since nobody took them, when there is room for a word of it. */
  readonly onDropped?: (linesTotal: number) => void;
};

/** Bytes that may wait for a slow disk; beyond them lines are left out of the file. */
const WAITING_BYTES_MAX = 4_000_000;

/** A disk that has not taken the rest by then is hung, and nobody who ends waits for it. */
const CLOSE_MS_MAX = 1_000;

/**
 * Lines go to the file, or else to standard error, in the configured format; a terminal stays free
 * while a screen is on.
 */
export function createLogTarget(
  stderr: Output,
  { file, format, onDropped = () => {} }: LogTargetOptions,
): LogTarget {
  const stream = file === undefined ? undefined : openFile(file, stderr);
  const append = stream ? appender(stream, onDropped) : undefined;
  stderr.on(DROPPED, onDropped);
  let events: LastEvents | undefined;
  return {
    write(line) {
      events?.add(line);
      const text = format === 'json' ? line : `${textLine(line, { colour: false })}\n`;
      if (append) append(text);
      else if (!events || !stderr.isTTY) stderr.write(text);
    },
    divert(to) {
      events = to;
      return () => {
        events = undefined;
      };
    },
    close: async () => {
      stderr.off(DROPPED, onDropped);
      if (!stream || stream.destroyed) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CLOSE_MS_MAX);
        stream.end(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

function appender(
  stream: WriteStream,
  onDropped: (linesTotal: number) => void,
): (line: string) => void {
  let linesTotal = 0;
  let told = 0;
  stream.on('drain', () => {
    if (told === linesTotal) return;
    told = linesTotal;
    onDropped(linesTotal);
  });
  return (line) => {
    if (!stream.writable) return;
    if (stream.writableLength < WAITING_BYTES_MAX) stream.write(line);
    else linesTotal += 1;
  };
}

/** A log that cannot be written is told once and stops nothing. */
function openFile(file: string, stderr: Output): WriteStream {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o640 });
  stream.on('error', (error) => {
    stderr.write(redacted(`bookend: the log file ${file} cannot be written: ${error.message}\n`));
  });
  return stream;
}

// Log lines with a stable event name first and fields second, on stderr, masked and bounded.

import { type DestinationStream, type Logger, pino } from 'pino';
import { REPORT_SEVERITY, type Report, type Severity } from '../domain/report.ts';
import { visibleJson } from '../domain/unseen.ts';
import { FdLines } from './fd-lines.ts';
import { masked } from './mask.ts';
import { textLine } from './text-line.ts';

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A report of the core under its own event name and severity. */
  report(report: Report): void;
  setLevel(level: Severity): void;
  /** Lines that were given up because nobody read them. */
  droppedLines(): number;
  /** When what is waiting has been written, or has taken too long; for the end of the process. */
  flush(): Promise<void>;
}

/** Takes whole lines, each with its line end. */
export type LogSink = { write(line: string): void };

export type LogOptions = {
  readonly level: Severity;
  readonly format: 'json' | 'text';
  /** Colours of severities, in text lines only. */
  readonly colour?: boolean;
  /** Where lines go instead of a file descriptor. */
  readonly sink?: LogSink;
  /** The file descriptor, stderr unless told. */
  readonly fd?: number;
};

/**
 * Opens the log.
 *
 * Writing never blocks and never throws: when nobody reads stderr, lines beyond a bound are dropped
 * and counted, and a line says how many when somebody does again.
 */
export function createLog(options: LogOptions): Log {
  const onDropped = (linesTotal: number): void => log.warn('log.dropped', { linesTotal });
  const output =
    options.sink === undefined
      ? fdOutput(options.fd ?? STDERR, onDropped)
      : sinkOutput(options.sink);
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: masked },
      // Errors are masked with everything else and not by a serializer of the library.
      serializers: {},
    },
    options.format === 'json'
      ? jsonStream(output.stream)
      : textStream(output.stream, options.colour ?? false),
  );
  const log = logOf(logger, output);
  return log;
}

type Output = {
  readonly stream: DestinationStream;
  readonly dropped: () => number;
  readonly flush: () => Promise<void>;
};

/** Results go to stdout, so that a pipe carries nothing else. */
const STDERR = 2;
/** At the end of a process nobody waits longer for whoever reads. */
const FLUSH_MS_MAX = 1_000;

function fdOutput(fd: number, onDropped: (linesTotal: number) => void): Output {
  const lines = new FdLines(fd, onDropped);
  return {
    stream: lines,
    dropped: () => lines.dropped,
    flush: async () => await lines.flush(FLUSH_MS_MAX),
  };
}

function sinkOutput(sink: LogSink): Output {
  let dropped = 0;
  const write = (line: string): void => {
    try {
      sink.write(line);
    } catch {
      dropped += 1;
    }
  };
  return { stream: { write }, dropped: () => dropped, flush: async () => {} };
}

/** Whoever reads them on a terminal is steered by none of them. */
function jsonStream(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(visibleJson(line)) };
}

function textStream(stream: DestinationStream, colour: boolean): DestinationStream {
  return { write: (line) => stream.write(`${textLine(line, { colour })}\n`) };
}

function logOf(logger: Logger, output: Output): Log {
  const write = (level: Severity, event: string, fields: LogFields = {}): void => {
    // A level that is off costs nothing, and a debug line is written for every moved order.
    if (logger.isLevelEnabled(level)) logger[level]({ event, ...apart(fields) });
  };
  return {
    debug: (event, fields) => write('debug', event, fields),
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    report: ({ event, ...fields }) => write(REPORT_SEVERITY[event], event, fields),
    setLevel: (level) => {
      logger.level = level;
    },
    droppedLines: output.dropped,
    flush: output.flush,
  };
}

/** Fields must not pass for the parts of the line itself. */
const RESERVED: readonly string[] = ['event', 'level', 'time'];

function apart(fields: LogFields): LogFields {
  if (!RESERVED.some((name) => name in fields)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      RESERVED.includes(name) ? `${name}_` : name,
      value,
    ]),
  );
}

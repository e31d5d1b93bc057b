// What a command may touch of the process that runs it: its streams, environment and signals.

import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from '../app/exit.ts';
import { redacted, redactedJson } from '../domain/redact.ts';
import { visibleJson } from '../domain/unseen.ts';
import { harmlessLines, paintedOnly } from './text.ts';

/** Standard output or error; the terminal's properties are there when it is one. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export type Env = Readonly<Record<string, string | undefined>>;

/** Standard input, where a person may sit. */
export type Input = Readable & { readonly isTTY?: boolean };

export type CliIo = {
  readonly stdin?: Input;
  /** Results only. */
  readonly stdout: Output;
  /** Logs, progress and complaints. */
  readonly stderr: Output;
  readonly env: Env;
};

/** A command states its outcome; without it, it is done. */
export type Finish = (code: ExitCode) => void;

type Result = { readonly json: unknown; readonly lines: readonly string[] };
const INDENT = 2;

type ResultOptions = { readonly json?: boolean | undefined };

/** Prints one result, every secret in it masked: as JSON for programs, or as lines for people. */
export function printResult(io: CliIo, result: Result, options: ResultOptions): void {
  const text = resultText(result, options);
  const safe = options.json ? visibleJson(redactedJson(text, INDENT)) : paintedOnly(redacted(text));
  io.stdout.write(`${safe}\n`);
}

/** One line, on either stream: masked, and nothing in it that steers a terminal but colours of ours. */
export function printLine(to: Output, line: string): void {
  to.write(`${paintedOnly(redacted(line))}\n`);
}

/** Prints a result that is there to hand out secrets, as those of an account of the embedded venue. */
export function printSecrets(io: CliIo, result: Result, options: ResultOptions): void {
  io.stdout.write(`${resultText(result, options)}\n`);
}

function resultText({ json, lines }: Result, options: ResultOptions): string {
  return options.json ? JSON.stringify(json, undefined, INDENT) : lines.join('\n');
}

/** What is complained about may quote a file or a venue: it moves no cursor. */
export function complain(io: CliIo, text: string): void {
  io.stderr.write(`bookend: ${harmlessLines(redacted(text))}\n`);
}

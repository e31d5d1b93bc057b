// The embedded venue's process as `paper` holds it.

import { openEnv } from '../app/child-env.ts';
import { EXIT, type ExitCode } from '../app/exit.ts';
import { type PaperFacts, readPaperFacts } from '../app/paper.ts';
import { systemClock } from '../clock/system.ts';
import { type Part, startPart } from '../guard/child.ts';
import type { Exit } from '../guard/trader-run.ts';
import { type CliIo, complain } from './io.ts';
import { type DryRecordOptions, recordArgs } from './record-options.ts';
import { type ReplayOptions, replayArgs } from './replay-options.ts';

export type AttachedVenue = {
  readonly facts: PaperFacts;
  /** It ended although nothing asked it to. */
  readonly gone: Promise<Exit>;
  /** A recording is over: why it could not be played to its end, if it could not. */
  readonly played: Promise<{ readonly failure: string | undefined }>;
  /** Ends it; answers with what the account earned, in lines for people. */
  stop(): Promise<readonly string[]>;
};

type VenueOptions = ReplayOptions &
  DryRecordOptions & { readonly config: string; readonly dryRun?: boolean };

/** What it still does is close its sockets. */
const STOP_MS_MAX = 3_000;

/**
 * Starts the venue.
 * @returns Its exit code when it could not start; why has been said.
 */
export async function attachVenue(
  io: CliIo,
  options: VenueOptions,
  onLine: (line: string) => void,
): Promise<AttachedVenue | ExitCode> {
  const args = ['paper-venue', '--config', options.config, ...replayArgs(options)];
  if (options.dryRun === true) args.push('--dry-run', ...recordArgs(options));
  const part = startPart({ args, env: openEnv(io.env) });
  const facts = await factsOf(part, onLine);
  if (facts === undefined) return exitCode(io, await part.exited);
  let isTold = false;
  let earned: readonly string[] = [];
  const played = new Promise<{ readonly failure: string | undefined }>((resolve) => {
    part.onMessage((message) => {
      const { kind, failure, lines } = partsOf(message);
      if (kind === 'played') {
        resolve({ failure: typeof failure === 'string' ? failure : undefined });
      }
      if (kind === 'earned' && Array.isArray(lines)) earned = lines.map(String);
    });
  });
  return {
    facts,
    played,
    gone: new Promise((resolve) => {
      void part.exited.then((exit) => {
        if (!isTold) resolve(exit);
      });
    }),
    stop: async () => {
      isTold = true;
      part.send({ kind: 'end' });
      const callOff = systemClock().after(STOP_MS_MAX, () => part.signal('SIGKILL'));
      await part.exited;
      callOff();
      return earned;
    },
  };
}

async function factsOf(
  part: Part,
  onLine: (line: string) => void,
): Promise<PaperFacts | undefined> {
  return await new Promise((resolve) => {
    part.onMessage((message) => {
      const { kind, line, facts } = partsOf(message);
      if (kind === 'line' && typeof line === 'string') onLine(line);
      if (kind === 'listening') resolve(readPaperFacts(facts));
    });
    void part.exited.then(() => resolve(undefined));
  });
}

function partsOf(message: unknown): Readonly<Record<string, unknown>> {
  return typeof message === 'object' && message !== null ? { ...message } : {};
}

/** One that ended by itself has said why. */
function exitCode(io: CliIo, { code, signal, notStarted }: Exit): ExitCode {
  const why = notStarted ?? signal;
  if (why !== null) complain(io, `the embedded venue could not be started: ${why}`);
  return Object.values(EXIT).find((each) => each === code) ?? EXIT.failed;
}

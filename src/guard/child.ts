// A part of the program as a process of its own, tied to this one by a channel: whichever end dies,
// the other one is told.

import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import { TRADER_EXIT } from './death.ts';
import { MARKS_ENV, MARKS_FD, MarksFile, type StrategyCall } from './marks.ts';
import { isStopped, scheduleOf } from './schedule.ts';
import type { Exit, TraderProcess } from './trader-run.ts';

export type PartOptions = {
  /** The command and its options. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options of Node beside those that this process was started with; these win. */
  readonly nodeArgs?: readonly string[];
  /** The folder that it starts in; that of this process where nothing is said. */
  readonly cwd?: string | undefined;
  /** It says where it is, for the time when it is dead. */
  readonly hasMarks?: boolean;
};

/** A process that takes plain messages. */
export type Part = Omit<TraderProcess, 'send'> & {
  send(message: object): void;
  /** Somebody has suspended it, as far as the machine says: it would do nothing that it is told. */
  isStopped(): boolean;
  /** As far as this process knows by now; one that was never started has. */
  hasEnded(): boolean;
};

/**
 * Starts this very program with another command. It shares terminal and output with this process;
 * the environment is passed on, so that no secret stands in an argument.
 */
export function startPart({ args, env, nodeArgs = [], cwd, hasMarks = false }: PartOptions): Part {
  let marks = hasMarks ? MarksFile.open() : undefined;
  const child = forked(() =>
    fork(mainFile(), [...args], {
      env: { ...env, [MARKS_ENV]: marks === undefined ? undefined : String(MARKS_FD) },
      cwd,
      execArgv: [...withoutEnvFiles(process.execArgv), ...nodeArgs],
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...(marks === undefined ? [] : [marks.fd])],
    }),
  );
  if (child instanceof Error) {
    marks?.close();
    return notStarted(child);
  }
  const last: { call?: StrategyCall | undefined } = {};
  const exited = exitOf(child).then((exit) => {
    last.call = marks?.call();
    marks?.close();
    marks = undefined;
    return exit;
  });
  return {
    pid: child.pid,
    send: (message) => {
      // A channel that is closing throws or fails; the end of the process is told otherwise.
      if (child.connected) child.send(message, () => {});
    },
    signal: (name) => void child.kill(name),
    onMessage: (listener) => void child.on('message', listener),
    schedule: () => scheduleOf(child.pid),
    call: () => last.call ?? marks?.call(),
    isStopped: () => isStopped(child.pid),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined,
    exited,
  };
}

const ENV_FILE = /^--env-file(?:-if-exists)?(?:=|$)/;

/** What such a file says is in our environment already: a part has of it what it is given, and no secret beside that. */
export function withoutEnvFiles(execArgv: readonly string[]): readonly string[] {
  return execArgv.filter((option, index) => {
    const before = execArgv[index - 1];
    const isValue = before !== undefined && ENV_FILE.test(before) && !before.includes('=');
    return !isValue && !ENV_FILE.test(option);
  });
}

/**
 * Where the machine has no memory for another process, Node throws; where it may start no more of them, it tells later.
 * Neither may end whoever starts it and looks after orders.
 */
function forked(start: () => ChildProcess): ChildProcess | Error {
  try {
    return start();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** One that has ended before it began. */
function notStarted(error: Error): Part {
  return {
    pid: undefined,
    send: () => {},
    signal: () => {},
    onMessage: () => {},
    isStopped: () => false,
    hasEnded: () => true,
    exited: Promise.resolve(exitBefore(error)),
  };
}

function exitBefore(error: Error): Exit {
  const notStarted = 'code' in error ? String(error.code) : error.message;
  return { code: NOT_STARTED, signal: null, notStarted };
}

/** As of one that the venue refuses: no crash, and tried again for as long as it takes. */
const NOT_STARTED = TRADER_EXIT.refused;

/** The file that this process was started with. */
function mainFile(): string {
  return process.argv[1] ?? '';
}

/** Nobody else should hold the channel of a process that has ended; who does is not waited for. */
const LAST_WORDS_MS = 200;

type Ending = Pick<ChildProcess, 'once' | 'on' | 'pid'>;

/** Its last words are read before its end is told, however late both are: `close` is behind them. */
export async function exitOf(child: Ending): Promise<Exit> {
  return await new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const tell = () => resolve({ code, signal });
      const timer = setTimeout(tell, LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(timer);
        tell();
      });
    });
    // Not started at all: too many processes, no file. An error of a signal or a message later on is nobody's end.
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(exitBefore(error));
    });
  });
}

// `kill`: the independent kill switch. It needs no daemon, asks a running one to stop quoting where
// it can, and in any case cancels and proves by itself.

import { type Command, InvalidArgumentError } from 'commander';
import { Arrivals } from '../app/arrivals.ts';
import { EXIT } from '../app/exit.ts';
import { killAt } from '../app/venue-access.ts';
import { marketId, tokenId } from '../domain/ids.ts';
import type { CancelScope } from '../domain/message.ts';
import type { KillResult } from '../guard/kill.ts';
import type { KillStep } from '../guard/sweep.ts';
import { latchFile, setLatch } from '../journal/latch.ts';
import { type KillSettings, loadKillSettings } from '../settings/load.ts';
import { httpAddressOf, requestJson } from './daemon-http.ts';
import { type CliIo, complain, type Finish, printResult } from './io.ts';
import {
  CONFIG_DOC,
  CONFIG_FLAG,
  command,
  JSON_DOC,
  JSON_FLAG,
  parsed,
  venueAccess,
} from './options.ts';

type KillOptions = {
  readonly config: string;
  readonly token?: CancelScope;
  readonly market?: CancelScope;
  readonly json?: boolean;
};

/** Beyond the daemon's own deadline; the independent kill runs beside it and waits for nothing. */
const DAEMON_MARGIN_MS = 5_000;

export function killCommand(io: CliIo, finish: Finish): Command {
  return command(
    'kill',
    'cancels every open order of the account, whoever placed it, and proves it; exit 0 proven, 4 not',
  )
    .requiredOption(CONFIG_FLAG, CONFIG_DOC)
    .option('--token <id>', 'only orders of this token; a running daemon goes on', tokenScope)
    .option('--market <id>', 'only orders of this market; a running daemon goes on', marketScope)
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: KillOptions, self: Command) => {
      if (options.token && options.market) {
        self.error('error: give --token or --market, not both', { exitCode: EXIT.usage });
      }
      await kill(io, finish, options);
    });
}

async function kill(io: CliIo, finish: Finish, options: KillOptions): Promise<void> {
  const settings = loadKillSettings({ file: options.config, env: io.env });
  const access = venueAccess(io, settings);
  const scope = options.token ?? options.market ?? { kind: 'account' };
  const result =
    scope.kind === 'account'
      ? await killAccount(io, settings, access)
      : await killAt(access, scope, tell(io));
  const lines = [
    resultLine(result),
    ...settlingLines(result),
    ...leftLines(result),
    ...hintLines(result, scope),
  ];
  printResult(io, { json: result, lines }, options);
  finish(result.kind === 'proven' ? EXIT.done : EXIT.unproven);
}

function tell(io: CliIo): (step: KillStep) => void {
  return ({ detail }) => complain(io, detail);
}

type Access = ReturnType<typeof venueAccess>;

/** Cancels at once; the proof may take as long as something sent before can still be accepted. */
async function killAccount(io: CliIo, settings: KillSettings, access: Access): Promise<KillResult> {
  const at = new Date().toISOString();
  const arrivals = await Arrivals.of({
    journal: settings.journal.path,
    nowMs: access.clock.nowMs(),
    horizonMs: settings.timing.unknownHorizonMs,
    timers: access.clock.background,
    latchedAt: at,
  });
  try {
    const daemon = stopDaemon(io, settings, at).then((isProven) => {
      if (isProven) arrivals.vouch();
    });
    const result = await killAt(access, { kind: 'account' }, tell(io), arrivals.untilMs);
    const { unconfirmed } = arrivals;
    // Whoever has confirmed need not be waited for; a daemon that hangs must not hold a result up.
    if (result.kind === 'unproven' || unconfirmed === undefined) return result;
    await daemon;
    return arrivals.unconfirmed === undefined ? result : unstopped(result, unconfirmed.pid);
  } finally {
    arrivals.close();
  }
}

/** A living process that did not confirm may place again: no list of today proves otherwise. */
function unstopped(result: KillResult, pid: number): KillResult {
  const detail = `process ${pid} holds the journal and has not confirmed the kill; end it`;
  return { ...result, kind: 'unproven', left: [], detail };
}

/**
 * Tells a running daemon, by the latch on disk and by its control route; neither is needed.
 * @returns Whether it has proven the kill over its control route.
 */
async function stopDaemon(io: CliIo, settings: KillSettings, at: string): Promise<boolean> {
  await latch(io, settings, at);
  if (settings.controlToken === undefined) return false;
  const answer = await requestJson(`${httpAddressOf(settings)}/control/kill`, {
    method: 'POST',
    token: settings.controlToken.reveal(),
    timeoutMs: settings.timing.proofDeadlineMs + DAEMON_MARGIN_MS,
  });
  if (answer.kind === 'failed') complain(io, `no daemon was told over HTTP: ${answer.detail}`);
  else complain(io, `the daemon answered the kill with ${answer.status}`);
  return answer.kind === 'answer' && answer.status === 200;
}

async function latch(io: CliIo, settings: KillSettings, at: string): Promise<void> {
  const { path } = settings.journal;
  try {
    await setLatch(path, { by: `bookend kill (process ${process.pid})`, reason: 'kill', at });
    complain(io, `latched: ${latchFile(path)}; POST /control/resume lifts it`);
  } catch (error) {
    complain(io, `the latch cannot be set, a daemon may quote again: ${String(error)}`);
  }
}

function resultLine(result: KillResult): string {
  const seconds = (result.tookMs / 1_000).toFixed(1);
  if (result.kind === 'proven') {
    return `proven: no open order is left; ${result.cancelled} cancelled in ${seconds} s`;
  }
  return `NOT PROVEN after ${seconds} s: ${result.detail}; ${result.cancelled} cancelled`;
}

function settlingLines({ settling = 0 }: KillResult): readonly string[] {
  return settling === 0 ? [] : [`matched, waiting for settlement and off the book: ${settling}`];
}

function leftLines(result: KillResult): readonly string[] {
  if (result.kind === 'proven') return [];
  if (result.left === undefined) return ['no list of open orders could be read'];
  return result.left.map((hash) => `open: ${hash}`);
}

/** A narrow kill is no order to the daemon, which goes on quoting what is configured. */
function hintLines(result: KillResult, scope: CancelScope): readonly string[] {
  if (result.kind === 'proven' || scope.kind === 'account') return [];
  return [
    `if a daemon quotes this ${scope.kind}, take it out of the configuration first, or kill the account`,
  ];
}

function tokenScope(text: string): CancelScope {
  const id = parsed(tokenId, text);
  if (id === undefined) throw new InvalidArgumentError('not a token id, 0x and hex digits');
  return { kind: 'token', tokenId: id };
}

function marketScope(text: string): CancelScope {
  const id = parsed(marketId, text);
  if (id === undefined) throw new InvalidArgumentError('not a market id');
  return { kind: 'market', marketId: id };
}

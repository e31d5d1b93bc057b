// `paper`: the embedded venue and the daemon against it, in one command.

import type { Command } from 'commander';
import { type Embedded, type ReplayChoice, startEmbedded } from '../app/embedded.ts';
import { embeddedCredentials, leaveAccount, paperAdjustment } from '../app/paper.ts';
import { wishedOrAnyPort } from '../app/ports.ts';
import { systemClock } from '../clock/system.ts';
import type { Settings } from '../settings/settings.ts';
import type { Log } from '../telemetry/logs.ts';
import { Session, type SessionOptions, withSessionOptions } from './daemon-session.ts';
import type { CliIo, Finish } from './io.ts';
import { CONFIG_DOC, CONFIG_FLAG, type Configured, command, configured } from './options.ts';
import { type ReplayOptions, replayChoice, withReplayOptions } from './replay-options.ts';

type PaperOptions = SessionOptions & ReplayOptions & { readonly config: string };

const CONFIG_DEFAULT = 'config/paper.yaml';
/** A recording is looked at this often: one that fails says so at once. */
const LOOK_MS = 1_000;
/** A line about a replay that goes well comes twice a minute. */
const LOOKS_PER_LINE = 30;

export function paperCommand(io: CliIo, finish: Finish): Command {
  const paper = command('paper', 'starts the embedded venue and the daemon against it').option(
    CONFIG_FLAG,
    CONFIG_DOC,
    CONFIG_DEFAULT,
  );
  return withSessionOptions(withReplayOptions(paper)).action(async (options: PaperOptions) => {
    const given = await configured(io, options.config);
    const session = new Session(io, given.settings, { ...options, clock: systemClock() });
    try {
      const replay = replayChoice(options, given.settings);
      const embedded = await open(given.settings, session, replay);
      try {
        finish(await trade(given, session, embedded));
      } finally {
        await embedded.stop();
      }
    } finally {
      await session.close();
    }
  });
}

async function open(
  { paper }: Settings,
  { clock, log }: Session,
  replay: ReplayChoice | undefined,
): Promise<Embedded> {
  const port = await wishedOrAnyPort(paper.host, paper.port);
  if (port !== paper.port) log.warn('paper.port_busy', { wished: paper.port, instead: 'any' });
  return await startEmbedded({ paper, port, timers: clock.background, replay });
}

async function trade(
  { settings, source, strategies }: Configured,
  session: Session,
  embedded: Embedded,
) {
  const { log, clock } = session;
  const { http, journal } = settings;
  const httpPort = await wishedOrAnyPort(http.host, http.port);
  if (httpPort !== http.port) log.warn('http.port_busy', { wished: http.port, instead: 'any' });
  const adjust = paperAdjustment(embedded, httpPort);
  const account = await leaveAccount(embedded, journal.path);
  const { baseUrl, wsUrl } = embedded.venue;
  log.info('paper.venue', { baseUrl, wsUrl, account });
  const callOff = tellProgress(log, embedded, (task) => clock.background.after(LOOK_MS, task));
  try {
    return await session.run(`bookend paper · ${baseUrl}`, {
      settings: adjust(settings),
      source,
      strategies,
      credentials: embeddedCredentials(embedded),
      adjust,
      isVenueNew: true,
    });
  } finally {
    callOff();
  }
}

/** Until the recording is over. */
function tellProgress(
  log: Log,
  { progress }: Embedded,
  later: (task: () => void) => () => void,
): () => void {
  if (!progress) return () => {};
  let callOff = () => {};
  let looks = 0;
  const tell = () => {
    const now = progress();
    looks += 1;
    const isOver = now.state === 'failed' || now.state === 'done' || now.state === 'stopped';
    const isEmpty = now.state === 'done' && now.framesApplied + now.framesRebuilt === 0;
    if (now.state === 'failed' || isEmpty)
      log.error('replay.failed', { ...now, why: now.failure?.message ?? 'no frame could be read' });
    else if (isOver || looks % LOOKS_PER_LINE === 0) log.info('replay.progress', now);
    if (!isOver) callOff = later(tell);
  };
  callOff = later(tell);
  return () => callOff();
}

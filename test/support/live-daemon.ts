// A daemon process with a folder and a configuration of its own.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateView } from '../../src/domain/view.ts';
import type { LiveVenue } from './live-venue.ts';
import { eventually, type RunningProcess, startBookend } from './processes.ts';

export const CONTROL_TOKEN = 'a-control-token-for-tests';

export type DaemonConfig = {
  readonly markets: readonly object[];
  readonly feeds?: readonly object[];
  readonly timing?: object;
  readonly orders?: object;
  readonly risk?: object;
  readonly venue?: object;
  readonly guard?: object;
  readonly logging?: object;
  readonly journal?: object;
};

/**
 * A disk that is busy for a second is no death: what is about a trader's silence says its own. A run that
 * ended amid its placements leaves them unknown for longer than a test waits.
 */
export const PATIENT = { silenceMs: 10_000, startMs: 120_000 };

export const LADDER = { halfSpreadTicks: 2, levels: 2, levelSpacingTicks: 1, size: 50 };

export class LiveDaemon {
  readonly process: RunningProcess;
  readonly address: string;

  private constructor(process: RunningProcess, address: string) {
    this.process = process;
    this.address = address;
  }

  /** Starts `bookend run` in a folder whose `config.yaml` was written before. */
  static async start(folder: string, venue: LiveVenue): Promise<LiveDaemon> {
    return await LiveDaemon.of(startDaemonProcess(folder, venue));
  }

  /** One that was started already, whose log says its address. */
  static async of(process: RunningProcess): Promise<LiveDaemon> {
    const address = await eventually(
      'the daemon',
      () => /"http":"(http:[^"]+)"/.exec(process.stderr())?.[1],
      { said: process.stderr },
    );
    return new LiveDaemon(process, address);
  }

  /** Each trader that its guard has started, the last one last. */
  traderPids(): readonly number[] {
    const started = /guard\.trader_started","run":\d+,"pid":(\d+)/g;
    return [...this.process.stderr().matchAll(started)].map(([, pid]) => Number(pid));
  }

  /** The trader that is started now. */
  traderPid(): number {
    const pid = this.traderPids().at(-1);
    if (pid === undefined) throw new Error(`no trader\n${this.process.stderr()}`);
    return pid;
  }

  /** The state of a trader that is there: what is shown of one that is gone is of another time. */
  async state(): Promise<StateView> {
    const headers = { authorization: `Bearer ${CONTROL_TOKEN}` };
    const response = await fetch(`${this.address}/api/state`, { headers });
    const state = JSON.parse(await response.text());
    if (state.age?.trader === 'down') throw new Error('the trader is gone');
    return state;
  }

  /** What a scrape gets, from the moment on at which every counter is there. */
  async metrics(): Promise<string> {
    return await scrapeOf(this.address);
  }

  /** A kill is answered when it is confirmed. */
  async control(what: 'kill' | 'pause' | 'resume'): Promise<number> {
    return (await this.ask(what === 'kill' ? 'control/kill?wait=proof' : `control/${what}`)).status;
  }

  /** `POST` with the token, and what came back. */
  async ask(
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const response = await fetch(`${this.address}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${CONTROL_TOKEN}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  /** Waits until the state has something to show; between two runs nobody answers. */
  async until<Found>(
    what: string,
    found: (state: StateView) => Found | undefined | Promise<Found | undefined>,
  ): Promise<Found> {
    const look = async (): Promise<Found | undefined> => {
      const state = await this.state().catch(() => undefined);
      return state && (await found(state));
    };
    return await eventually(what, look, { said: this.process.stderr });
  }

  /** Waits until its log, that of its guard included, has a text. */
  async untilSaid(text: string): Promise<void> {
    const said = this.process.stderr;
    await eventually(text, () => (said().includes(text) ? true : undefined), { said });
  }

  /**
   * Waits until so many orders rest and it knows so: one that dies before it has reported for them leaves placements
   * behind that are unknown for `timing.unknownHorizonMs`, and quotes nothing in their stead until then.
   */
  async untilResting(count: number): Promise<void> {
    await this.until(`${count} orders known to rest`, ({ ordersByState: { resting } }) =>
      resting >= count ? true : undefined,
    );
  }

  async untilPhase(phase: StateView['phase']): Promise<void> {
    await this.until(`phase ${phase}`, (state) => (state.phase === phase ? true : undefined));
  }
}

/** `bookend run` without waiting for anything. */
export function startDaemonProcess(
  folder: string,
  venue: LiveVenue,
  env: Readonly<Record<string, string>> = {},
): RunningProcess {
  return startBookend(['run', '--config', 'config.yaml'], {
    cwd: folder,
    env: { ...venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN, ...env },
  });
}

/** Writes the configuration; JSON is YAML. */
export async function writeConfig(
  folder: string,
  venue: LiveVenue,
  config: DaemonConfig,
): Promise<void> {
  const content = {
    venue: { ...venue.address(), ...config.venue },
    markets: config.markets,
    feeds: config.feeds ?? [],
    risk: { maxPositionShares: 1_000, maxLossUsdc: 2_000, ...config.risk },
    // Short proofs keep the tests short; the venue is on the same machine.
    timing: { proofQuietMs: 300, proofDeadlineMs: 5_000, reconcileMs: 500, ...config.timing },
    orders: { ...config.orders },
    http: { port: 0 },
    journal: { path: 'data/test.db', ...config.journal },
    guard: { ...PATIENT, ...config.guard },
    logging: { ...config.logging },
  };
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(content, undefined, 2));
}

/** What a scrape gets there, from the moment on at which every counter is there. */
export async function scrapeOf(address: string): Promise<string> {
  return await eventually('every counter', async () => {
    const answer = await fetch(`${address}/metrics`);
    const text = await answer.text();
    return answer.status === 200 ? text : undefined;
  });
}

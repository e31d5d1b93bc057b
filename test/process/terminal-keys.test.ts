// Keys at the live status, on a real terminal: what they do, and the terminal afterwards.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, type ExpectStatic, vi } from 'vitest';
import { ensureBuilt } from '../support/build.ts';
import { CONTROL_TOKEN } from '../support/live-daemon.ts';
import { childrenOf, cleanEnv, eventually, MAIN } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

vi.setConfig({ testTimeout: 150_000 });

beforeAll(ensureBuilt);

/** A yes is heard when somebody could have read the question. */
const READ_MS = 500;
const QUOTES = 4;
/** A trader that is stopped for so long has missed enough of its signs. */
const HANGING_MS = 1_000;

class Terminal {
  readonly #script: ChildProcess;
  #text = '';

  /** A shell on a pseudo terminal that runs the daemon, and says how the terminal is afterwards. */
  constructor({ folder, venue }: Scene) {
    const env = cleanEnv({
      ...venue.credentials(),
      BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN,
      TERM: 'xterm',
    });
    const run = `stty cols 150 rows 40; "${process.execPath}" "${MAIN}" run --config config.yaml; echo "ended with $?"; sleep 60`;
    this.#script = spawn('script', ['-qfc', run, '/dev/null'], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#script.stdout?.on('data', (bytes: Buffer) => {
      this.#text += bytes.toString();
    });
  }

  /** The guard, below a shell that leads the session. */
  async guard(): Promise<number> {
    return await eventually('the guard', async () => {
      const [shell] = await childrenOf(this.#script.pid, '-c');
      const [guard] = shell === undefined ? [] : await childrenOf(shell, 'run');
      return guard;
    });
  }

  press(keys: string): void {
    this.#text = '';
    this.#script.stdin?.write(keys);
  }

  /** A key that asks, and the yes to its question. */
  async confirm(key: string, question: string): Promise<void> {
    this.press(key);
    await this.shows(question);
    await sleep(READ_MS);
    this.press('y');
  }

  async shows(text: string): Promise<void> {
    await eventually(
      `the terminal to show ${text}`,
      async () => (this.#text.includes(text) ? true : undefined),
      { said: () => this.#text.slice(-3_000) },
    );
  }

  async end(): Promise<void> {
    const [shell] = await childrenOf(this.#script.pid, '-c');
    if (shell !== undefined) process.kill(-shell, 'SIGKILL');
    this.#script.kill('SIGKILL');
  }
}

/** The mode of the terminal, in the words of `stty`. */
function modeOf(device: string): readonly string[] {
  return execFileSync('stty', ['-a', '-F', device], { encoding: 'utf8' }).split(/[\s;]+/);
}

async function untilLines(device: string, expect: ExpectStatic): Promise<void> {
  await eventually('a terminal in line mode', async () =>
    modeOf(device).includes('icanon') ? true : undefined,
  );
  expect(modeOf(device)).toEqual(expect.arrayContaining(['icanon', 'echo', 'isig']));
}

async function hashesOf({ venue }: Scene): Promise<readonly string[]> {
  return (await venue.openOrders()).map(({ orderHash }) => orderHash);
}

const mayPress = (() => {
  try {
    execFileSync('script', ['--version']);
    execFileSync('stty', ['--version']);
    return process.platform === 'linux';
  } catch {
    return false;
  }
})();

describe.runIf(mayPress)('keys at a terminal', () => {
  it('pause, resume, kill and end, each after a yes, and give the terminal back', async ({
    scene,
    expect,
    onTestFinished,
  }) => {
    const terminal = new Terminal(scene);
    onTestFinished(async () => await terminal.end());
    await scene.untilOpen(QUOTES);
    const guard = await terminal.guard();
    const device = readlinkSync(`/proc/${guard}/fd/0`);
    await terminal.shows('? help');
    expect(modeOf(device)).toEqual(expect.arrayContaining(['-icanon', '-echo', 'isig']));

    terminal.press('py');
    await terminal.shows('nothing is done');
    expect(await scene.venue.openOrders()).toHaveLength(QUOTES);

    await terminal.confirm('p', 'Cancel the quotes and place no more until a resume? y');
    await terminal.shows('paused: quotes are being cancelled');
    await scene.untilOpen(0);
    await terminal.confirm('r', 'quote again?');
    await scene.untilOpen(QUOTES);

    terminal.press('\u001b[B');
    await terminal.shows('▸ ');
    await terminal.confirm('k', ' only · KILL');
    await terminal.shows('killed: no order of it is left');
    await scene.untilOpen(0);
    await terminal.confirm('r', ' only · Lift');
    await scene.untilOpen(QUOTES);

    terminal.press('\u001b');
    await sleep(READ_MS);
    await terminal.confirm('k', 'KILL: cancel every order');
    await terminal.shows('no open order is left');
    await scene.untilOpen(0);
    await terminal.confirm('r', 'quote again?');
    await scene.untilOpen(QUOTES);

    await terminal.confirm('q', 'Cancel everything and end?');
    await terminal.shows('ended with 0');
    expect(await scene.venue.openOrders()).toEqual([]);
    await untilLines(device, expect);

    const events = scene.command('events', '--json');
    expect(await events.ended).toEqual({ code: 0, signal: null });
    const acts = JSON.parse(events.stdout()).actions.map((each: { by: string; action: string }) =>
      each.by.startsWith('bookend terminal') ? each.action : '',
    );
    expect(acts.filter((action: string) => action !== '')).toEqual(
      expect.arrayContaining(['pause', 'resume', 'kill']),
    );
  });

  it('kill by the watchdog while the trader hangs', async ({ scene, expect, onTestFinished }) => {
    // It would be ended for its silence a moment later, which is another scene.
    await scene.configure({ guard: { silenceMs: 60_000, hangMs: 60_000 } });
    const terminal = new Terminal(scene);
    onTestFinished(async () => await terminal.end());
    await scene.untilOpen(QUOTES);
    const guard = await terminal.guard();
    await terminal.shows('? help');
    const [trader = 0] = await childrenOf(guard, 'trader');
    process.kill(trader, 'SIGSTOP');
    await sleep(HANGING_MS);
    await terminal.confirm('k', 'the trader does not answer');
    await terminal.shows('cancelled 4, failed 0');
    await scene.untilOpen(0);
    process.kill(trader, 'SIGCONT');
    await terminal.shows('killed');
    expect(await scene.venue.openOrders()).toEqual([]);
  });

  it('leave the terminal in line mode when guard and trader are killed', async ({
    scene,
    expect,
    onTestFinished,
  }) => {
    const terminal = new Terminal(scene);
    onTestFinished(async () => await terminal.end());
    await scene.untilOpen(QUOTES);
    const guard = await terminal.guard();
    const device = readlinkSync(`/proc/${guard}/fd/0`);
    const [trader = 0] = await childrenOf(guard, 'trader');
    expect(modeOf(device)).toContain('-icanon');
    const before = await hashesOf(scene);
    process.kill(trader, 'SIGKILL');
    // Those of the dead trader rest for a moment longer, while nobody is there but the guard.
    await eventually('quotes of the next trader', async () => {
      const now = await hashesOf(scene);
      return now.length === QUOTES && !now.some((hash) => before.includes(hash)) ? true : undefined;
    });
    expect(modeOf(device)).toContain('-icanon');
    const [next = 0] = await childrenOf(guard, 'trader');
    process.kill(guard, 'SIGKILL');
    await scene.untilOpen(0);
    await eventually(
      'the end of the trader',
      async () => !existsSync(`/proc/${next}`) || undefined,
    );
    await untilLines(device, expect);
  });
});

// The first orders of a run against later ones of the same run: what has not run before is slow, and the first quotes of
// a day are no worse a trade than the others. The minimal program beside it says what of that is the machine's.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRigDaemon } from '../rig/daemon.ts';
import { check, type GroupResult, quantile, type RunOptions } from '../rig/report.ts';
import { deltaText, startRigServer, tokenText } from '../rig/server.ts';
import { once, sleep, startMinimal, until } from './path.ts';

const FIRST = 100;
const LATER_FROM = 600;
const FRAMES = 700;
/** Less than half of the write budget. */
const PERIOD_MS = 80;
const ANSWER_AFTER_MS = 5;
const SETTLED_MS = 500;
/** A resting order may be where the frame wants it. */
const UNANSWERED_MAX = 5;
const CLIENTS = ['daemon', 'minimal'] as const;

export async function warm({ isShort }: RunOptions): Promise<GroupResult> {
  const server = await startRigServer(1, { answerAfterMs: ANSWER_AFTER_MS });
  const token = tokenText(0, true);
  const folder = mkdtempSync(join(tmpdir(), 'bookend-bench-'));
  const minimal = startMinimal(server, 'minimal', [token]);
  const daemon = startRigDaemon(server, { markets: 1, levels: 1, folder });
  const times: Record<(typeof CLIENTS)[number], number[]> = { daemon: [], minimal: [] };
  try {
    await until(() => server.placedBy('daemon') > 0 && server.isSubscribed('minimal'), daemon.log);
    // Both sides rest, and are answered.
    await sleep(SETTLED_MS);
    const frames = isShort ? 20 : FRAMES;
    let unanswered = 0;
    for (let count = 0; count < frames; count += 1) {
      const text = deltaText(token, 'bid', 0.42, count % 2 === 0 ? 1_000 : 0);
      for (const client of CLIENTS) {
        const answered = await once(server, client, text);
        if (answered === undefined) {
          unanswered += 1;
          continue;
        }
        times[client].push(answered.placedMs);
        await sleep(Math.max(1, PERIOD_MS / CLIENTS.length - answered.placedMs));
      }
    }
    check(unanswered <= UNANSWERED_MAX, `frames are answered with orders, but for ${unanswered}`);
    return result(times, isShort);
  } finally {
    minimal.kill('SIGKILL');
    await daemon.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function result(
  times: Readonly<Record<(typeof CLIENTS)[number], readonly number[]>>,
  isShort: boolean,
): GroupResult {
  const firstOf = (values: readonly number[]) => values.slice(0, isShort ? 10 : FIRST);
  const laterOf = (values: readonly number[]) => values.slice(isShort ? 10 : LATER_FROM);
  const ratioOf = (values: readonly number[]) =>
    quantile(firstOf(values), 0.5) / quantile(laterOf(values), 0.5);
  const row = (name: string, values: readonly number[]) => [
    name,
    ...[firstOf, laterOf].map((part) => `${quantile(part(values), 0.5).toFixed(2)} ms`),
    ratioOf(values).toFixed(2),
  ];
  return {
    title: `the first ${FIRST} orders of a run and those after ${LATER_FROM}, p50`,
    head: ['program', 'first', 'later', 'ratio'],
    rows: [row('daemon', times.daemon), row('minimal', times.minimal)],
    ratios: [
      {
        name: 'warm.first',
        value: ratioOf(times.daemon) / ratioOf(times.minimal),
        aimMax: 1.1,
      },
    ],
  };
}

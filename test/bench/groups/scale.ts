// What the daemon costs as a process while every token moves at the venue's full pace.

import { startRigDaemon } from '../rig/daemon.ts';
import { check, type GroupResult, type RunOptions } from '../rig/report.ts';
import { deltaText, type RigServer, startRigServer, tokenText } from '../rig/server.ts';
import { sleep, until } from './path.ts';

const FLUSH_MS = 150;
const WARM_UP_MS = 5_000;
/** Tokens at which the cost of a frame has an aim. */
const TOKENS_MANY = 1_000;

type Figures = { readonly cpuParts: number; readonly rssMb: number; readonly framesPerSec: number };

export async function scale({ isShort }: RunOptions): Promise<GroupResult> {
  const sizes = isShort ? [10] : [50, 500, 1_000];
  const rows: string[][] = [];
  const ratios = [];
  for (const tokens of sizes) {
    const figures = await measured(tokens, isShort ? 1_000 : 12_000, isShort ? 500 : WARM_UP_MS);
    const { cpuParts, rssMb, framesPerSec } = figures;
    const frameUs = (cpuParts / framesPerSec) * 1e6;
    rows.push([
      `${tokens}`,
      `${framesPerSec.toFixed(0)}`,
      `${(cpuParts * 100).toFixed(1)} %`,
      `${rssMb.toFixed(0)} MB`,
      `${frameUs.toFixed(1)} µs`,
    ]);
    ratios.push(
      {
        name: `scale.${tokens}.coreParts`,
        value: cpuParts,
        aimMax: tokens === 50 ? 0.05 : 1,
      },
      {
        name: `scale.${tokens}.rssMb`,
        value: rssMb,
        ...(tokens === 50 ? { aimMax: 150 } : {}),
      },
      {
        name: `scale.${tokens}.frameUs`,
        value: frameUs,
        ...(tokens === TOKENS_MANY ? { aimMax: 6 } : {}),
      },
    );
  }
  const head = ['tokens quoting', 'frames/s', 'of a core', 'resident', 'of a core a frame'];
  return { title: 'the daemon as a process, every token at 150 ms', head, rows, ratios };
}

async function measured(tokens: number, forMs: number, warmUpMs: number): Promise<Figures> {
  const markets = tokens / 2;
  const server = await startRigServer(markets);
  const daemon = startRigDaemon(server, { markets, levels: 1 });
  try {
    await until(() => server.counts.placements >= markets, daemon.log);
    const feed = startFeed(server, tokens);
    await sleep(warmUpMs);
    const before = daemon.usage();
    const framesBefore = feed.frames();
    const startedMs = performance.now();
    await sleep(forMs);
    const tookMs = performance.now() - startedMs;
    const after = daemon.usage();
    const framesPerSec = ((feed.frames() - framesBefore) * 1_000) / tookMs;
    feed.stop();
    check(framesPerSec > 0, 'frames are sent');
    return { cpuParts: (after.cpuMs - before.cpuMs) / tookMs, rssMb: after.rssMb, framesPerSec };
  } finally {
    await daemon.stop();
    await server.stop();
  }
}

/** A burst of one change for every token, each flush; quotes move seldom, as on real books. */
function startFeed(server: RigServer, tokens: number) {
  let frames = 0;
  let round = 0;
  const flush = () => {
    round += 1;
    for (let token = 0; token < tokens; token += 1) {
      const away = (round * 7 + token) % 15;
      const price = (40 - away - 1) / 100;
      const text = deltaText(
        tokenText(token >> 1, token % 2 === 0),
        'bid',
        price,
        1 + ((round + token) % 900),
      );
      server.send('daemon', text);
      frames += 1;
    }
  };
  const timer = setInterval(flush, FLUSH_MS);
  return { frames: () => frames, stop: () => clearInterval(timer) };
}

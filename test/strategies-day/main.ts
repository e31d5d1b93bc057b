// `npm run strategies:day`: a day for each strategy, a third of it with each crowd, and a table of what
// came of it; exit code 1 when a rule was broken.

import { parseArgs } from 'node:util';
import { type DayResult, runDay } from './day.ts';
import { CROWDS, LINEUP } from './lineup.ts';

const USAGE = 'npm run strategies:day -- [--hours H] [--strategy NAME] [--crowd NAME] [--seed N]';

const HEAD = [
  '| Strategy | Crowd | Hours | Fills | Shares | Mean net | Largest net | Markout 60 s, c | P&L, USDC | Taken | Writes/h | Most in 10 s |',
  '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
].join('\n');

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      hours: { type: 'string', default: '24' },
      seed: { type: 'string', default: '1' },
      strategy: { type: 'string' },
      crowd: { type: 'string' },
    },
  });
  const runners = LINEUP.filter(
    ({ strategy }) => values.strategy === undefined || strategy.name === values.strategy,
  );
  const crowds = CROWDS.filter((name) => values.crowd === undefined || name === values.crowd);
  const hours = Number(values.hours) / CROWDS.length;
  const seed = Number(values.seed);
  const isUsable = hours > 0 && Number.isSafeInteger(seed) && runners.length * crowds.length > 0;
  if (!isUsable) {
    console.error(USAGE);
    return 2;
  }
  console.log(HEAD);
  let broken = 0;
  for (const runner of runners) {
    for (const crowd of crowds) {
      const result = await runDay({ runner, crowd, hours, seed });
      console.log(rowOf(result));
      broken += complain(result, runner.strategy.takes === true);
    }
  }
  return broken > 0 ? 1 : 0;
}

function rowOf(result: DayResult): string {
  const { hours, fills, shares, meanNet, largestNet, markoutCents, gainUsdc } = result;
  const { takenShares, writes, mostWritesIn10s, haltedAfterHours: halted } = result;
  const cells = [
    result.strategy,
    result.crowd,
    hours.toFixed(1),
    fills,
    shares.toFixed(0),
    meanNet.toFixed(0),
    largestNet.toFixed(0),
    markoutCents.toFixed(2),
    `${gainUsdc.toFixed(1)}${halted === undefined ? '' : ` (halted after ${halted.toFixed(1)} h)`}`,
    takenShares.toFixed(0),
    (writes / hours).toFixed(0),
    mostWritesIn10s,
  ];
  return `| ${cells.join(' | ')} |`;
}

function complain(result: DayResult, takes: boolean): number {
  const { strategy, crowd, failures, violations, takenKnownShares } = result;
  const isTaking = !takes && takenKnownShares > 0;
  if (isTaking) console.error(`  ${strategy}/${crowd} took ${takenKnownShares} shares in sight`);
  for (const failure of failures) console.error(`  ${strategy}/${crowd} failed: ${failure}`);
  for (const { rule, detail, atMs } of violations) {
    console.error(`  ${strategy}/${crowd} broke ${rule} at ${atMs}: ${detail}`);
  }
  return failures.length + violations.length + (isTaking ? 1 : 0);
}

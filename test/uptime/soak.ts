// `npm run soak -- --minutes 30`: twenty markets for half an hour on a machine without a free processor. Exit code 1 when a
// trader died, a market was without quotes for a minute, or cash, positions or profit are not the venue's to the cent.

import { parseArgs } from 'node:util';
import { isEqual, soak } from './rig/soak.ts';

const USAGE = 'npm run soak -- [--minutes 30] [--markets 20] [--loops 1] [--log]';

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      markets: { type: 'string', default: '20' },
      loops: { type: 'string', default: '1' },
      log: { type: 'boolean', default: false },
    },
  });
  const [minutes, markets, loops] = [values.minutes, values.markets, values.loops].map(Number);
  if (!minutes || !markets || loops === undefined || !(loops >= 0)) {
    console.error(USAGE);
    return 2;
  }
  console.log('| Minute | Both sides, mean of the markets | Least of a market | Fills |');
  console.log('|--:|--:|--:|--:|');
  let count = 0;
  const soaked = await soak({
    ...{ markets, forMs: minutes * 60_000, loopsPerProcessor: loops },
    onMinute: ({ mean, least, fills }) => {
      count += 1;
      console.log(`| ${count} | ${percent(mean)} | ${percent(least)} | ${fills} |`);
    },
  });
  const { difference, deaths, pulls, fills, firstQuoteMs, profitUsdc } = soaked;
  const bare = soaked.minutes.filter(({ least }) => least === 0).length;
  console.log(
    `\nfirst quote ${firstQuoteMs} ms, ${fills} fills, profit ${profitUsdc.toFixed(2)} USDC; ` +
      `deaths ${deaths}, quotes taken back while it got no processor ${pulls}, minutes with a market without quotes ${bare}`,
  );
  console.log(
    difference === undefined
      ? 'the daemon said nothing at the end'
      : `the daemon less the venue: cash ${difference.cashUsdc} USDC, shares ${difference.shares}, profit ${difference.profitUsdc} USDC`,
  );
  const isGood = deaths === 0 && bare === 0 && difference !== undefined && isEqual(difference);
  if (values.log || !isGood) console.error(soaked.log);
  return isGood ? 0 : 1;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

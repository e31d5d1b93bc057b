// `npm run memory -- --minutes 30`: what a daemon holds while its network fails in every way; exit code 1 when it
// holds more and more.

import { parseArgs } from 'node:util';
import { measureMemory, PARTS } from './rig/memory.ts';

const GROWTH_MB_MAX = 10;
const PLAN = { markets: 10, levels: 5 };

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      faults: { type: 'string' },
      log: { type: 'boolean', default: false },
    },
  });
  const forMs = Number(values.minutes) * 60_000;
  if (!(forMs > 0)) {
    console.error('npm run memory -- --minutes 30 [--faults deep,drop] [--log]');
    return 2;
  }
  const figures = await measureMemory({
    ...{ ...PLAN, forMs },
    ...(values.faults === undefined ? {} : { faults: values.faults.split(',') }),
    onSample: ({ atMs, fault, ...mb }) => {
      if (!values.log) return;
      const shown = PARTS.map(
        (part) => `${part} ${mb[part].heldMb.toFixed(1)} of ${mb[part].ownMb.toFixed(1)}`,
      );
      console.log(`${Math.round(atMs / 1_000)} s ${fault ?? '–'}: ${shown.join(', ')} MB`);
    },
  });
  const { samples, faulted, deaths, growth } = figures;
  console.log(`${values.minutes} min, ${samples} samples, ${faulted} faults, ${deaths} deaths`);
  console.log(
    '| Process | Held, first quarter, MB | Last quarter | In 30 min by its slope | Own at most, MB |',
  );
  console.log('|---|--:|--:|--:|--:|');
  for (const part of PARTS) {
    const { firstMb, lastMb, slopeMbPer30Min, ownMbMax } = growth[part];
    const cells = [firstMb, lastMb, slopeMbPer30Min, ownMbMax].map((mb) => mb.toFixed(1));
    console.log(`| ${[part, ...cells].join(' | ')} |`);
  }
  const grown = PARTS.filter((part) => growth[part].lastMb - growth[part].firstMb > GROWTH_MB_MAX);
  for (const part of grown) console.error(`GREW: ${part}`);
  return grown.length + deaths === 0 ? 0 : 1;
}

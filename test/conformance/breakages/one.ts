// One process with one breakage in it, or none: runs cards, and says which fail.
//
//   node one.js <breakage or `none`> C-001,C-002,…

import { register } from 'node:module';
import process from 'node:process';
import { BREAKAGES } from './list.ts';

const [name = '', cards = ''] = process.argv.slice(2);
const breakage = BREAKAGES.find((each) => each.name === name);
if (breakage === undefined && name !== 'none') throw new Error(`no breakage is called ${name}`);
if (breakage) register('./hooks.js', import.meta.url, { data: breakage });
// Only what is loaded from here on has the breakage in it.
const { runHere } = await import('./here.ts');
const failed = await runHere(cards.split(','));
process.stdout.write(`${JSON.stringify(failed)}\n`);
process.exit(0);

// The ladder, but for one thing: when the file BOOKEND_SPIN_FILE appears it is renamed to BOOKEND_SPIN_FILE.began and
// the event loop is blocked for as many milliseconds as stand in it; where `exit` stands in it, the
// process ends with 0, and where `stop` does, it is stopped in the middle of its next new target quotes.

import { readFileSync, renameSync } from 'node:fs';
import { strategy as ladder } from '../../dist/strategies/ladder.js';

const FILE = process.env.BOOKEND_SPIN_FILE ?? '';

export const strategy = {
  ...ladder,
  name: 'spin',
  summary: 'Quotes like the ladder, and blocks the event loop when it is told to.',
  quote(context) {
    const targetQuotes = ladder.quote(context);
    const words = JSON.stringify(targetQuotes);
    spinIfTold(words !== last && words.includes('price'));
    last = words;
    return targetQuotes;
  },
};

let last = '';

function spinIfTold(isNew) {
  let told = '';
  try {
    told = readFileSync(FILE, 'utf8');
    if (told === 'stop' && !isNew) return;
    renameSync(FILE, `${FILE}.began`);
  } catch {
    return;
  }
  if (told === 'exit') process.exit(0);
  if (told === 'stop') {
    process.kill(process.pid, 'SIGSTOP');
    return;
  }
  const untilMs = Date.now() + Number(told);
  while (Date.now() < untilMs);
}

// The ladder, but for one thing: when the file SPIN_FILE appears it is renamed to SPIN_FILE.began and
// the event loop is blocked for as many milliseconds as stand in it.

import { readFileSync, renameSync } from 'node:fs';
import { strategy as ladder } from '../../dist/strategies/ladder.js';

const FILE = process.env.SPIN_FILE ?? '';

export const strategy = {
  ...ladder,
  name: 'spin',
  summary: 'Quotes like the ladder, and blocks the event loop when it is told to.',
  quote(context) {
    spinIfTold();
    return ladder.quote(context);
  },
};

function spinIfTold() {
  let forMs = 0;
  try {
    forMs = Number(readFileSync(FILE, 'utf8'));
    renameSync(FILE, `${FILE}.began`);
  } catch {
    return;
  }
  const untilMs = Date.now() + forMs;
  while (Date.now() < untilMs);
}

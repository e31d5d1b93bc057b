#!/usr/bin/env node
// What `npx bookend` runs. npx links a command the first time that it is asked for, and for good: a file that the
// build has yet to make would get no link, and every later `npx bookend` would end with `not found`.

import { existsSync } from 'node:fs';
import process from 'node:process';

const main = new URL('../dist/src/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write(
    'bookend is not built yet: `npm run build` does it, and `npm start` before it starts\n',
  );
  process.exitCode = 1;
}

import { defineConfig } from 'vitest/config';
import { plantedBugs } from './test/support/planted.ts';
import { BUGS } from './test/unit/guard/planted/bugs.ts';
import { SURVIVORS } from './test/unit/planted/bugs.ts';

/** They start processes or run scenes side by side, wait for much of their time, and come first. */
const SCENES = ['process', 'e2e', 'conformance', 'simulation', 'strategies-day', 'uptime'];
const scenes = SCENES.map((folder) => `test/${folder}/**/*.test.ts`);

/** They measure seconds of presence, which other tests beside them take away: a run of their own. */
const MEASURED = ['test/uptime/scenes/**'];

/** Minutes of a processor, and the same on every Node: `npm run test:long` runs them. */
const LONG = ['test/simulation/long/**', 'test/judge/**'];

const left = [
  ...(process.env['UPTIME'] === 'scenes' ? [] : MEASURED),
  ...(process.env['LONG'] === 'yes' ? [] : LONG),
];

export default defineConfig({
  test: {
    // A machine that many share is no failure: the longest take two or three seconds of a processor of their own.
    testTimeout: 60_000,
    // Hooks compile and start programs; a busy machine takes its time for that.
    hookTimeout: 180_000,
    maxWorkers: 3,
    setupFiles: ['test/support/property-seed.ts'],
    // A test that checks nothing, since what checks was never reached, is none. Those that run side by
    // side take `expect` from their context, so that each is asked for its own.
    // What is polled comes at a process's own pace: a second is too little where many share a machine.
    expect: { requireAssertions: true, poll: { timeout: 15_000, interval: 50 } },
    projects: [
      { extends: true, test: { name: 'scenes', include: scenes, exclude: left } },
      {
        extends: true,
        plugins: [plantedBugs([...BUGS, ...SURVIVORS])],
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [...scenes, ...left],
          // No module keeps anything between its callers, so that files can share what they load: to
          // load it anew for each of them took a quarter of the whole run.
          isolate: false,
        },
      },
    ],
  },
});

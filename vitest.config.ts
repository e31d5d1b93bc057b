import { defineConfig } from 'vitest/config';
import { plantedBugs } from './test/support/planted.ts';
import { StillRunning } from './test/support/still-running.ts';
import { BUGS } from './test/unit/guard/planted/bugs.ts';
import { SURVIVORS } from './test/unit/planted/bugs.ts';

/** They start processes or run scenes side by side, wait for much of their time, and come first. */
const SCENES = ['process', 'e2e', 'conformance', 'simulation', 'strategies-day', 'uptime'];
const scenes = SCENES.map((folder) => `test/${folder}/**/*.test.ts`);

/** Of the end-to-end tests those that take longest, with daemons that are killed, starved and started again. */
const LONG_E2E = [
  'console',
  'console-states',
  'dated-quotes',
  'dry-run',
  'http',
  'kill',
  'kill-elsewhere',
  'paper',
  'release',
  'restart-full',
];

/** What `npm test` leaves to `npm run test:NAME`: minutes each, and a machine that is not full. `TESTS` is the name. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  scenes: ['test/process/**/*.test.ts', ...LONG_E2E.map((name) => `test/e2e/${name}.test.ts`)],
  long: [
    'test/simulation/simulation.test.ts',
    'test/simulation/long/**/*.test.ts',
    'test/judge/**/*.test.ts',
    'test/strategies-day/sets.test.ts',
    'test/strategies-day/demo.test.ts',
  ],
  // They measure seconds of presence, which other tests beside them take away.
  uptime: ['test/uptime/scenes/**/*.test.ts'],
};

const asked = process.env['TESTS'];
if (asked !== undefined && ELSEWHERE[asked] === undefined) {
  throw new Error(`TESTS is one of ${Object.keys(ELSEWHERE).join(', ')}, not ${asked}`);
}
const only = asked === undefined ? undefined : [...(ELSEWHERE[asked] ?? [])];
// Whoever names files gets them.
const areNamed = process.argv.some((each) => each.endsWith('.test.ts'));
const left = only !== undefined || areNamed ? [] : Object.values(ELSEWHERE).flat();

export default defineConfig({
  test: {
    reporters: ['default', new StillRunning()],
    // A machine that many share is no failure: the longest take two or three seconds of a processor of their own,
    // and those that simulate for long up to half a minute.
    testTimeout: asked === 'long' ? 300_000 : 120_000,
    // Hooks compile and start programs; a busy machine takes its time for that.
    hookTimeout: 180_000,
    // A scene is several processes already.
    maxWorkers: asked === 'scenes' ? 2 : 3,
    setupFiles: ['test/support/property-seed.ts', 'test/support/after-file.ts'],
    // A test that checks nothing, since what checks was never reached, is none. Those that run side by
    // side take `expect` from their context, so that each is asked for its own.
    // What is polled comes at a process's own pace: a second is too little where many share a machine.
    expect: { requireAssertions: true, poll: { timeout: 15_000, interval: 50 } },
    projects: [
      {
        extends: true,
        test: { name: 'scenes', include: only ?? scenes, exclude: left },
      },
      {
        extends: true,
        plugins: [plantedBugs([...BUGS, ...SURVIVORS])],
        test: {
          name: 'units',
          include: only ? [] : ['test/**/*.test.ts'],
          exclude: [...scenes, ...left],
          // No module keeps anything between its callers, so that files can share what they load: to
          // load it anew for each of them took a quarter of the whole run.
          isolate: false,
        },
      },
    ],
  },
});

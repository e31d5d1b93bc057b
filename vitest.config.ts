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
  'feeds',
  'http',
  'kill',
  'kill-elsewhere',
  'killed-amid-placement',
  'paper',
  'preview',
  'release',
  'report',
  'restart-full',
  'runbook',
  'select',
  'sweep',
];

/** Of the units those that simulate hours, plant bugs or try thousands of inputs: five seconds and more of a processor each. */
const LONG_UNITS = [
  'house/alert-rules',
  'house/patterns',
  'unit/backtest/recorded',
  'unit/backtest/run',
  'unit/core/book/injection',
  'unit/core/book/many-books',
  'unit/core/book/odd-feeds',
  'unit/core/book/one-of-many',
  'unit/core/kept-together',
  'unit/core/market-conditions',
  'unit/core/orders/late-lists',
  'unit/core/quoting/late-feed',
  'unit/core/risk/breakers-restart',
  'unit/core/token-index',
  'unit/core/touched-markets',
  'unit/guard/planted/planted',
  'unit/journal/planted-bugs',
  'unit/paper/crowd/replay',
  'unit/paper/crowd/synthetic',
  'unit/settings/edit',
  'unit/settings/kill-broken',
  'unit/settings/yaml-bounds',
  'unit/wire/fast-delta',
  'unit/wire/fuzz',
  'replay/window',
].map((name) => `test/${name}.test.ts`);

/** What `npm test` leaves to `npm run test:NAME`: minutes each, and a machine that is not full. `TESTS` is the name. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  scenes: ['test/process/**/*.test.ts', ...LONG_E2E.map((name) => `test/e2e/${name}.test.ts`)],
  long: [
    'test/conformance/{answers,breakages,fuzz}.test.ts',
    'test/judge/**/*.test.ts',
    'test/simulation/long/**/*.test.ts',
    'test/simulation/simulation.test.ts',
    'test/strategies-day/*.test.ts',
    ...LONG_UNITS,
  ],
  // They measure seconds of presence, which other tests beside them take away.
  uptime: ['test/uptime/scenes/**/*.test.ts'],
};

const asked = process.env['TESTS'];
if (asked !== undefined && ELSEWHERE[asked] === undefined) {
  throw new Error(`TESTS is one of ${Object.keys(ELSEWHERE).join(', ')}, not ${asked}`);
}
const only = asked === undefined ? undefined : [...(ELSEWHERE[asked] ?? [])];
const isUnit = (files: string): boolean => LONG_UNITS.includes(files);
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
    maxWorkers: asked === 'scenes' ? 2 : 4,
    setupFiles: ['test/support/property-seed.ts', 'test/support/after-file.ts'],
    // A test that checks nothing, since what checks was never reached, is none. Those that run side by
    // side take `expect` from their context, so that each is asked for its own.
    // What is polled comes at a process's own pace: a second is too little where many share a machine.
    expect: { requireAssertions: true, poll: { timeout: 15_000, interval: 50 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'scenes',
          include: only?.filter((files) => !isUnit(files)) ?? scenes,
          exclude: left,
        },
      },
      {
        extends: true,
        plugins: [plantedBugs([...BUGS, ...SURVIVORS])],
        test: {
          name: 'units',
          include: only?.filter(isUnit) ?? ['test/**/*.test.ts'],
          exclude: [...scenes, ...left],
          // No module keeps anything between its callers, so that files can share what they load: to
          // load it anew for each of them took a quarter of the whole run.
          isolate: false,
        },
      },
    ],
  },
});

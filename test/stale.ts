/**
 * Files with at least one test that still tells of positions as they were before uncertain items: they
 * fail, or fail in part, and are to be rewritten. `npm run test:stale` runs them; a file that passes
 * leaves this list, and none may come in. The uptime scenes are here since some of their floors are not
 * reached yet (`test/uptime/README.md`).
 */
export const STALE: readonly string[] = [
  'test/uptime/scenes/faults.test.ts',
  'test/uptime/scenes/starts-and-ceilings.test.ts',
];

// The import table of the project, outside and inside the core. The linter's copy, `.ci/lint/rooms.json`, is made of it
// (`room-rules.ts`, `npm run ops:write`).

/** Every folder of `src`, and the top-level `strategies` folder. */
export const ROOMS = [
  'domain',
  'wire',
  'strategy',
  'core',
  'venue',
  'feeds',
  'paper',
  'backtest',
  'journal',
  'telemetry',
  'console',
  'clock',
  'settings',
  'guard',
  'app',
  'cli',
  'strategies',
] as const;

export type Room = (typeof ROOMS)[number];

/** Rooms without I/O, clock, randomness or `node:` modules. */
export const PURE_ROOMS: readonly Room[] = ['domain', 'strategy', 'core', 'strategies'];

const EDGES: readonly Room[] = ['journal', 'telemetry', 'console', 'clock', 'settings'];
const BELOW_APP = ROOMS.filter((room) => room !== 'app' && room !== 'cli' && room !== 'strategies');

/** Who may import whom; a room may always import itself. */
export function mayImport(from: Room, to: Room): boolean {
  if (EDGES.includes(from)) return to === 'domain';
  return ROWS[from]?.includes(to) ?? false;
}

const ROWS: Readonly<Partial<Record<Room, readonly Room[]>>> = {
  strategies: ['strategy', 'domain'],
  core: ['domain', 'strategy'],
  strategy: ['domain'],
  wire: ['domain'],
  venue: ['domain', 'wire'],
  paper: ['domain', 'wire'],
  // An option on a spot price is valued by the mathematics of the toolkit.
  feeds: ['domain', 'strategy'],
  backtest: ['domain', 'core', 'paper', 'strategy', 'clock'],
  guard: ['domain', 'wire'],
  app: [...BELOW_APP, 'strategies'],
  cli: [...BELOW_APP, 'app'],
};

/** Files of a room that may be imported though the room as a whole may not. */
export const DOORS: Readonly<Partial<Record<Room, string>>> = { guard: 'venue/http/**' };

/** Rooms of the core in their layers, lowest first; rooms of one layer know nothing of each other. */
export const CORE_LAYERS: readonly (readonly string[])[] = [
  ['kernel'],
  ['orders'],
  ['book'],
  ['positions', 'fair'],
  ['risk'],
  ['quoting'],
  ['sending', 'sets'],
  ['account'],
  ['session'],
];

const PARSING_ROOMS = ROOMS.filter((room) => room === 'wire' || !PURE_ROOMS.includes(room));

/** Rooms in which each dependency may be imported; a new dependency needs a row here. */
export const PACKAGE_ROOMS: Readonly<Record<string, readonly Room[]>> = {
  'decimal.js': ROOMS,
  undici: ['venue', 'feeds'],
  'p-queue': ['venue'],
  ws: ['venue', 'paper', 'feeds'],
  fastify: ['paper', 'telemetry', 'console'],
  'prom-client': ['telemetry'],
  libsql: ['journal'],
  pino: ['telemetry'],
  convict: ['settings'],
  yaml: ['settings'],
  commander: ['cli'],
  uplot: ['console', 'backtest'],
  'hyparquet-writer': ['app'],
  zod: PARSING_ROOMS,
};

/** The folder of a room from the project root. */
export function folderOf(room: Room): string {
  return room === 'strategies' ? 'strategies' : `src/${room}`;
}

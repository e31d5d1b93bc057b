// Weaknesses that were found once, and what holds each: with the defence taken out, its own test has to fail. What was
// seen is told in README.md, by the same numbers.

import type { Mutant } from './mutate.ts';

export type Defence = {
  /** Of the table in README.md. */
  readonly weakness: number;
  readonly file: string;
  /** The defence, as a text that the file has exactly once. */
  readonly from: string;
  readonly to: string;
  /** The test that has to notice, alone. */
  readonly test: string;
};

const HTTP_TEST = 'test/unit/telemetry/http.test.ts';
const YAML_TEST = 'test/unit/settings/yaml-bounds.test.ts';
const JSON_TEST = 'test/unit/domain/json.test.ts';
const DIES_AMID_TEST = 'test/unit/core/dies-amid.test.ts';
const DAMAGE_TEST = 'test/unit/journal/ledger-damage.test.ts';
const SINKS_TEST = 'test/unit/app/secret-sinks.test.ts';
const SILENCE_TEST = 'test/unit/guard/silence.test.ts';

export const DEFENCES: readonly Defence[] = [
  {
    weakness: 1,
    file: 'src/telemetry/http-table.ts',
    from: "'POST /api/preview': { right: 'view',",
    to: "'POST /api/preview': { right: 'open',",
    test: HTTP_TEST,
  },
  {
    weakness: 1,
    file: 'src/telemetry/http-guard.ts',
    from: 'if (origin === undefined) return true;',
    to: 'return true;',
    test: HTTP_TEST,
  },
  {
    weakness: 1,
    file: 'src/settings/yaml-document.ts',
    from: 'if (text.length > YAML_LENGTH_MAX)',
    to: 'if (text.length > 1e9)',
    test: YAML_TEST,
  },
  {
    weakness: 1,
    file: 'src/settings/yaml-document.ts',
    from: 'return aliases > ALIASES_MAX',
    to: 'return aliases > 1e9',
    test: YAML_TEST,
  },
  {
    weakness: 2,
    file: 'src/domain/ticks.ts',
    from: '(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:e',
    to: '(?:\\d*\\.?\\d*)(?:e',
    test: 'test/house/patterns.test.ts',
  },
  {
    weakness: 2,
    file: 'src/domain/ticks.ts',
    from: 'text.length <= DECIMAL_LENGTH_MAX && ',
    to: '',
    test: JSON_TEST,
  },
  {
    weakness: 3,
    file: 'src/guard/silence.ts',
    from: 'return Math.max(0, Math.min(durationMs, now.ranMs - before.ranMs - stolenMs));',
    to: 'return durationMs;',
    test: SILENCE_TEST,
  },
  {
    weakness: 3,
    file: 'src/guard/supervisor.ts',
    from: "const isCrash = reason !== 'starved' && ",
    to: 'const isCrash = ',
    test: SILENCE_TEST,
  },
  {
    weakness: 4,
    file: 'src/core/session/session.ts',
    from: "if (this.#isConfirmed) return 'quoting';",
    to: "if (this.#isConfirmed && this.#stores.positions.uncertainTokens.size === 0) return 'quoting';",
    test: DIES_AMID_TEST,
  },
  {
    weakness: 4,
    file: 'src/core/positions/doubt.ts',
    from: 'doubtOrder(stores, order, { cause, grid: market.grid, quantity: remaining(order) });',
    to: '',
    test: DIES_AMID_TEST,
  },
  {
    weakness: 4,
    file: 'src/core/positions/doubt.ts',
    from: "doubtOrder(stores, order, { cause: 'previous_run', grid: order, quantity });",
    to: '',
    test: 'test/unit/core/left-losses.test.ts',
  },
  {
    weakness: 5,
    file: 'src/core/session/session.ts',
    from: "if (this.#isConfirmed) return 'quoting';",
    to: "if (this.#isConfirmed && this.#stores.sets.live().length === 0) return 'quoting';",
    test: DIES_AMID_TEST,
  },
  {
    weakness: 5,
    file: 'src/core/account/restore.ts',
    from: 'stores.sets.restore(persisted.sets ?? []);',
    to: '',
    test: 'test/unit/core/sets/sets.test.ts',
  },
  {
    weakness: 6,
    file: 'src/telemetry/connections.ts',
    from: 'if (others.length < ROOM) return;',
    to: 'return;',
    test: HTTP_TEST,
  },
  {
    weakness: 6,
    file: 'src/telemetry/http.ts',
    from: 'headersTimeout: IDLE_MS,',
    to: 'headersTimeout: 100 * IDLE_MS,',
    test: HTTP_TEST,
  },
  {
    weakness: 6,
    file: 'src/telemetry/http.ts',
    from: "if (verdict.how === 'open') request.raw.socket.setTimeout(IDLE_MS);",
    to: '',
    test: HTTP_TEST,
  },
  {
    weakness: 7,
    file: 'src/domain/secret-shapes.ts',
    from: 'const plain = [secret, reversed(secret)].map(',
    to: 'const plain = [secret].map(',
    test: 'test/unit/domain/redact.test.ts',
  },
  {
    weakness: 7,
    file: 'src/domain/secret-shapes.ts',
    from: '...written([...bytes, ...once], base64Texts),',
    to: '',
    test: 'test/unit/cli/planted-secrets.test.ts',
  },
  {
    weakness: 8,
    file: 'src/core/book/watch.ts',
    from: "if (ageMs > 0) mirror.suspect('age', `a snapshot is",
    to: "if (ageMs < 0) mirror.suspect('age', `a snapshot is",
    test: 'test/unit/core/book/old-snapshots.test.ts',
  },
  {
    weakness: 9,
    file: 'src/journal/ledger/damage.ts',
    from: "if (ledger === 'empty') return",
    to: "if (ledger === 'absent') return",
    test: DAMAGE_TEST,
  },
  {
    weakness: 9,
    file: 'src/journal/ledger/damage.ts',
    from: 'if (lost > 0) {',
    to: 'if (lost > 1_000_000) {',
    test: DAMAGE_TEST,
  },
  {
    weakness: 9,
    file: 'src/journal/ledger/damage.ts',
    from: 'if (lost === 0 && ledger.head !== mark.head) {',
    to: 'if (lost === 0 && ledger.head === undefined) {',
    test: DAMAGE_TEST,
  },
  {
    weakness: 9,
    file: 'src/journal/ledger/opening.ts',
    from: 'sealed?.fault();',
    to: 'undefined;',
    test: DAMAGE_TEST,
  },
  {
    weakness: 10,
    file: 'src/core/session/answers.ts',
    from: `signal(order, 'noAnswer', stores.nowMs);
      countCopy(stores, order);`,
    to: "signal(order, 'noAnswer', stores.nowMs);",
    test: 'test/unit/core/risk/copies.test.ts',
  },
  {
    weakness: 10,
    file: 'src/core/risk/risk-pass.ts',
    from: 'if (this.#areCopiesLikely) addExposure(after, market, routed, routed.quantity);',
    to: '',
    test: 'test/unit/core/risk/copies.test.ts',
  },
  {
    weakness: 11,
    file: 'src/core/positions/cash.ts',
    from: 'this.#bookNano = bookNano;',
    to: '',
    test: 'test/unit/core/positions/cash.test.ts',
  },
  {
    weakness: 11,
    file: 'src/core/quoting/uptime.ts',
    from: `  'cash_divergence',
]);`,
    to: ']);',
    test: 'test/unit/core/quoting/uptime-causes.test.ts',
  },
  {
    weakness: 12,
    file: 'src/venue/http/clock-offset.ts',
    from: 'return lowMs <= highMs ? { atMs: receivedAtMs, lowMs, highMs } : single;',
    to: 'return { atMs: receivedAtMs, lowMs, highMs };',
    test: 'test/unit/venue/clock-offset.test.ts',
  },
  {
    weakness: 12,
    file: 'src/venue/http/classify.ts',
    from: ': httpDate(text, venueNowMs);',
    to: ': undefined;',
    test: 'test/unit/venue/retry-after.test.ts',
  },
  {
    weakness: 12,
    file: 'src/journal/files.ts',
    from: 'export const OWNER_ONLY = 0o600;',
    to: 'export const OWNER_ONLY = 0o644;',
    test: SINKS_TEST,
  },
  {
    weakness: 12,
    file: 'src/journal/ledger/database.ts',
    from: "for (const suffix of ['-shm', '.lock']) {",
    to: "for (const suffix of ['.nothing']) {",
    test: 'test/unit/journal/ledger-others.test.ts',
  },
  {
    weakness: 12,
    file: 'src/domain/json.ts',
    from: 'if (depth > JSON_DEPTH_MAX) return',
    to: 'if (depth > 1e9) return',
    test: JSON_TEST,
  },
  {
    weakness: 12,
    file: 'src/journal/ledger/opening.ts',
    from: 'PATIENCE_MS = 2_000;',
    to: 'PATIENCE_MS = 0;',
    test: 'test/unit/journal/ledger-others.test.ts',
  },
  {
    weakness: 13,
    file: 'src/core/kernel/bounds.ts',
    from: 'for (const oldest of all.keys()) {',
    to: 'for (const oldest of [...all.keys()].reverse()) {',
    test: 'test/unit/core/orders/order-id-cache.test.ts',
  },
];

/** @throws {Error} Unless the program has the defence exactly once. */
export function mutantOf({ file, from, to }: Defence, code: string): Mutant {
  const start = code.indexOf(from);
  if (start < 0 || code.includes(from, start + 1)) {
    throw new Error(`${file} does not have this once: ${from}`);
  }
  const line = code.slice(0, start).split('\n').length;
  return { file, line, on: from, start, end: start + from.length, from, to };
}

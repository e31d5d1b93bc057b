// Cards of any venue at one of the older reference, whose failures carry a message and no code.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../src/cli/doctor/card.ts';
import { OLDER_DIALECT } from '../../src/paper/api/dialect.ts';
import type { Bench } from './bench/bench.ts';
import { Lab } from './bench/lab.ts';
import { RawRest } from './bench/raw-rest.ts';
import { startedBench } from './bench/start.ts';
import { CARDS, isAnywhere } from './cards.ts';
import { runCard } from './run.ts';

vi.setConfig({ testTimeout: 70_000 });

/** Those that hold a refusal to its code. */
const OF_CODES = new Set([
  ...['C-040', 'C-041', 'C-042', 'C-043', 'C-044', 'C-045', 'C-046', 'C-047', 'C-048'],
  ...['C-061', 'C-062', 'C-063', 'C-064', 'C-065', 'C-066', 'C-068', 'C-070', 'C-083', 'C-089'],
]);
/** As at an address: what only an embedded venue allows is not asked for. */
const OUTSIDE = { isDestructive: true, hasLab: false };

const lab = new Lab();
let bench: Bench;

beforeAll(async () => {
  bench = await startedBench(lab, { dialect: OLDER_DIALECT });
});
afterAll(async () => await lab.stop());

describe('a venue of the older reference', () => {
  // They share one venue and its account, so they come one after another.
  it.each(CARDS.filter(isAnywhere))('$id: $title', async (card) => {
    const { kind, ...told } = await runCard(card, { ...OUTSIDE, bench });
    const detail = 'detail' in told ? told.detail : '';
    if (OF_CODES.has(card.id)) expect(detail).toMatch(/^needs codes, and this venue names none/);
    else expect(`${kind} ${detail}`).toBe('passed ');
  });
});

/** A venue of the current reference that forgets the code of one refusal. */
class Forgetful extends RawRest {
  override async ask(...asked: Parameters<RawRest['ask']>): Promise<Answer> {
    const answer = await super.ask(...asked);
    return asked[1] === '/kline' ? { ...answer, code: undefined } : answer;
  }
}

it('a venue that names codes fails the card of a refusal without one', async () => {
  const venue = await lab.start();
  const rest = new Forgetful(venue.venue.baseUrl, undefined);
  const card = CARDS.filter(isAnywhere).find(({ id }) => id === 'C-048');
  if (!card) throw new Error('no card C-048');
  const { kind, ...told } = await runCard(card, { ...OUTSIDE, bench: { ...bench, rest } });
  rest.close();
  expect(kind).toBe('failed');
  expect(told).toMatchObject({ detail: expect.stringContaining('missing_parameter expected') });
});

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { intentId, marketId, tokenId } from '../../../src/domain/ids.ts';
import type { LedgerRecord, StoredOrder } from '../../../src/domain/record.ts';
import { NO_SHARES, shares } from '../../../src/domain/shares.ts';
import { tickGrid, ticks } from '../../../src/domain/ticks.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { intentsFile } from '../../../src/journal/ledger/intent-notes.ts';
import { type Ledger, openLedger } from '../../../src/journal/ledger/ledger.ts';
import { journalIn, leftBehind } from './support.ts';

const NOW = unixMs(1_800_000_000_000);

let path = '';
let ledger: Ledger;
const opened: Ledger[] = [];

beforeEach(async () => {
  path = journalIn();
  ledger = await open(path);
});

afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

async function open(at: string): Promise<Ledger> {
  const one = await openLedger({ path: at, clock: { nowMs: () => NOW } });
  opened.push(one);
  return one;
}

function intent(name: string, change: Partial<StoredOrder> = {}): LedgerRecord {
  return {
    kind: 'order',
    order: {
      ...{ intentId: intentId(name), marketId: marketId('m-1'), tokenId: tokenId('0x01') },
      ...{ leg: 'yes', side: 'BUY', price: ticks(tickGrid('0.01'), 48), ticksPerUnit: 100 },
      ...{ quantity: shares(50), sentAtMs: NOW, settingsVersion: 'abc', isExternal: false },
      ...{ orderHash: undefined, state: 'intended', stateSinceMs: NOW, executed: NO_SHARES },
      ...{ failed: NO_SHARES, confirmedAtMs: undefined },
      ...change,
    },
  };
}

/** What a start finds after this process was killed here. */
async function foundByNext(journal = path): Promise<readonly (readonly string[])[]> {
  const next = await open(leftBehind(journal));
  return next.load().orders.map(({ intentId: id, state }) => [id, state]);
}

describe('intents that are noted in front of their orders', () => {
  it('are there for the next start when the process is killed before the ledger has them', async () => {
    ledger.note([intent('a'), intent('b')]);
    ledger.note([intent('c')]);
    expect(ledger.load().orders).toEqual([]);
    expect(await foundByNext()).toEqual([
      ['a', 'intended'],
      ['b', 'intended'],
      ['c', 'intended'],
    ]);
  });

  it('are there after a second kill, too, right behind the start that found them', async () => {
    ledger.note([intent('a')]);
    const second = leftBehind(path);
    await open(second);
    expect(statSync(intentsFile(second)).size).toBe(0);
    expect(await foundByNext(second)).toEqual([['a', 'intended']]);
  });

  it('are taken out of their file when the ledger has all of them', () => {
    ledger.note([intent('a'), intent('b')]);
    ledger.write([intent('a')]);
    expect(statSync(intentsFile(path)).size).toBeGreaterThan(0);
    ledger.commit([intent('b')]);
    expect(statSync(intentsFile(path)).size).toBe(0);
  });

  it('change nothing about an order of which the ledger knows more', async () => {
    ledger.note([intent('a')]);
    const noted = readFileSync(intentsFile(path));
    ledger.write([intent('a', { state: 'cancelled' })]);
    writeFileSync(intentsFile(path), noted);
    expect(await foundByNext()).toEqual([]);
  });

  it('are left alone where they are of another ledger', async () => {
    ledger.note([intent('a')]);
    const other = journalIn();
    (await open(other)).close();
    writeFileSync(intentsFile(other), readFileSync(intentsFile(path)));
    expect(await foundByNext(other)).toEqual([]);
  });

  it('do without a line that is cut short, and keep those before it', async () => {
    ledger.note([intent('a')]);
    ledger.note([intent('b')]);
    const text = readFileSync(intentsFile(path), 'utf8');
    writeFileSync(intentsFile(path), text.slice(0, -20));
    expect(await foundByNext()).toEqual([['a', 'intended']]);
  });

  it('are nobody else’s to read', () => {
    expect(statSync(intentsFile(path)).mode & 0o077).toBe(0);
  });
});

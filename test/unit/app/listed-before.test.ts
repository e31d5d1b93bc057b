import { expect, it } from 'vitest';
import { keepListed, keepsTaken, listedBefore } from '../../../src/app/listed-before.ts';

it('knows the markets of the run before, each by its event and its id', () => {
  const facts = new Map<string, string>();
  const ledger = {
    fact: (name: string) => facts.get(name),
    setFact: (name: string, value: string) => void facts.set(name, value),
  };
  const rain = { event: 'rain', market: undefined };
  const ann = { event: 'race', market: 'ann' };
  expect(listedBefore(ledger)(rain)).toBe(false);
  keepListed(ledger, [rain, ann]);
  const wasListed = listedBefore(ledger);
  expect([rain, ann, { event: 'race', market: undefined }].map(wasListed)).toEqual([
    true,
    true,
    false,
  ]);
});

it('knows none where the fact cannot be read', () => {
  const wasListed = listedBefore({ fact: () => '{"event":' });
  expect(wasListed({ event: 'rain', market: undefined })).toBe(false);
});

it('takes up new settings on a disk that takes nothing, and says so', () => {
  const ledger = {
    fact: () => undefined,
    setFact: () => {
      throw new Error('the disk is full');
    },
  };
  const said: string[] = [];
  keepsTaken(ledger, { warn: (event) => void said.push(event) })({ markets: [] });
  expect(said).toEqual(['listed.unkept']);
});

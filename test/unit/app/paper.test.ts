// What a daemon quotes whose venue is an embedded one.

import { expect, it } from 'vitest';
import { type PaperFacts, paperAdjustment } from '../../../src/app/paper.ts';
import { load } from '../settings/support.ts';

const FACTS: PaperFacts = {
  baseUrl: 'http://127.0.0.1:8787/api',
  wsUrl: 'ws://127.0.0.1:8787/ws',
  account: { apiKey: 'k', apiSecret: 's', apiPassphrase: 'p' },
  eventSlugs: ['sun', 'rain', 'fog'],
  isRecorded: true,
};
const settings = load(
  'venue: {}\nmarkets: [{ event: rain, market: m-1, strategy: still }, { event: fog, strategy: steps }]\n',
);

it('a recording is quoted as the file says of its event, and where that says nothing as its first market', () => {
  const { markets } = paperAdjustment(FACTS)(settings);
  expect(markets.map(({ event, market, strategy }) => [event, market, strategy])).toEqual([
    ['sun', undefined, 'still'],
    ['rain', 'm-1', 'still'],
    ['fog', undefined, 'steps'],
  ]);
});

it('no recording, and the markets of the file are those', () => {
  const { markets } = paperAdjustment({ ...FACTS, isRecorded: false })(settings);
  expect(markets).toEqual(settings.markets);
});

// The embedded venue in a process of its own, without a crowd; tests move the market through its
// control route. It prints one line of JSON with everything a test needs to reach it.

import { startPaperVenue } from '../../dist/src/paper/server.js';

const venue = await startPaperVenue({
  port: 0,
  seed: 5,
  isControllable: true,
  // Settles in 300 to 400 ms, so that a test sees a whole life of a fill.
  timeScale: 0.02,
  events: [
    {
      slug: 'rain',
      title: 'Will it rain?',
      category: 'weather',
      tickSize: '0.01',
      markets: [{ slug: 'yes-no', title: 'Will it rain?' }],
    },
    {
      slug: 'race',
      title: 'Who wins the race?',
      category: 'sports',
      tickSize: '0.001',
      markets: [
        { slug: 'ann', title: 'Ann wins' },
        { slug: 'ben', title: 'Ben wins' },
      ],
    },
  ],
});

const events = venue.desk.events().map(({ slug, markets }) => ({
  slug,
  markets: markets.map(({ id, yes, no }) => ({ id, yes: yes.tokenId, no: no.tokenId })),
}));
const { baseUrl, wsUrl, account } = venue;
process.stdout.write(`${JSON.stringify({ baseUrl, wsUrl, account, events })}\n`);
process.once('SIGTERM', () => void venue.stop().then(() => process.exit(0)));

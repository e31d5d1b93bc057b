// Embedded venues in a process of its own, without a crowd; tests move their markets through the
// control route. It starts one for each `start` that it is sent, and answers with what a test needs to
// reach it; it ends with whoever started it.

import { startPaperVenue } from '../../dist/src/paper/server.js';

const PLAN = {
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
};

const venues = new Map();

const verbs = {
  async start(id, { timeScale = PLAN.timeScale, ...rules }) {
    const venue = await startPaperVenue({ ...PLAN, timeScale, rules });
    venues.set(id, venue);
    const events = venue.desk.events().map(({ slug, markets }) => ({
      slug,
      markets: markets.map(({ id, yes, no }) => ({ id, yes: yes.tokenId, no: no.tokenId })),
    }));
    const { baseUrl, wsUrl, account } = venue;
    return { baseUrl, wsUrl, account, events };
  },
  async stop(id) {
    const venue = venues.get(id);
    venues.delete(id);
    await venue?.stop();
  },
};

process.on('message', async ({ verb, id, rules }) => {
  const info = await verbs[verb](id, rules);
  process.send({ verb, id, info });
});
process.once('disconnect', () => process.exit(0));

// A desk of markets whose every text tries to become markup, served as the daemon serves it.

import { systemClock } from '../../src/clock/system.ts';
import { Console, type Shown } from '../../src/console/console.ts';
import { marketId, tokenId } from '../../src/domain/ids.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { MarketView } from '../../src/domain/view.ts';
import { StateBoard } from '../../src/telemetry/board.ts';
import { startHttp } from '../../src/telemetry/http.ts';
import { marketView, stateView } from '../unit/telemetry/views.ts';

export const TOKEN = 'a-control-token-of-this-test';
export const VIEW_TOKEN = 'a-view-token-of-this-test';
const MARKUP = `"><img src=x onerror="wasHit=1"><script>wasHit=1</script><b onclick='wasHit=1'>`;
/** Markup, a mark that turns the text behind it around, and the beginning of a sequence that steers a terminal. */
export const HOSTILE = `${MARKUP}\u202e\u009b`;
/** As the page shows it. */
export const HOSTILE_SHOWN = `${MARKUP}\\u202e\\u009b`;

const REASON = { code: HOSTILE, detail: HOSTILE, clears: HOSTILE };

const UNCERTAIN = {
  ...{ low: '0', expected: '1', high: '2', sellable: '0', pending: '0' },
  uncertain: [{ shares: '1', cause: HOSTILE, sinceMs: stateView().atMs }],
  settling: [{ shares: HOSTILE, sinceMs: stateView().atMs }],
};

/** What of a state is no market's. */
const HOSTILE_HEAD = {
  ...{ settingsVersion: HOSTILE, phaseReason: HOSTILE, notReady: [HOSTILE] },
  unlisted: [{ choice: HOSTILE, ...REASON, sinceMs: stateView().atMs }],
  latchFault: { by: HOSTILE, at: HOSTILE, detail: HOSTILE },
  unwrittenStops: [HOSTILE],
  stoppedMarkets: [
    { marketId: HOSTILE, stop: 'kill', by: HOSTILE, sinceMs: stateView().atMs, isConfirmed: false },
  ],
  risk: {
    level: 'cancel',
    latches: [
      {
        ...{ owner: HOSTILE, scope: 'm0', level: 'cancel', detail: HOSTILE, clears: HOSTILE },
        sinceMs: stateView().atMs,
      },
    ],
    controls: [{ control: HOSTILE, value: '1', limit: '2', unit: 'usdc', level: 'normal' }],
  },
  feeds: [{ name: HOSTILE, state: 'failing', detail: HOSTILE }],
} as const;

/** What the file of such a desk would show in the form of the console. */
const HOSTILE_FIELD = {
  ...{ path: ['markets', 0, 'params', HOSTILE], name: HOSTILE, doc: HOSTILE, unit: HOSTILE },
  ...{ rule: HOSTILE, default: HOSTILE, counts: 'requote' },
};
const HOSTILE_FORM = {
  ...{ kind: 'form', revision: 'a'.repeat(64), limits: [] },
  markets: [
    {
      ...{ event: HOSTILE, market: 'm0', strategy: HOSTILE },
      fields: [
        { ...HOSTILE_FIELD, kind: 'word', words: [HOSTILE, 'other'], value: HOSTILE },
        { ...HOSTILE_FIELD, kind: 'whole', min: 1, max: 9, value: 3 },
      ],
    },
  ],
};
const HOSTILE_SIDE = {
  ...{ moves: true, unchanged: [], cancels: 1, places: 1 },
  changed: [{ price: HOSTILE, quantity: HOSTILE }],
  held: [{ price: HOSTILE, quantity: HOSTILE, limit: HOSTILE }],
};
const HOSTILE_PREVIEW = {
  ...{ kind: 'previewed', limits: [{ path: HOSTILE, before: HOSTILE }] },
  ...{ others: [], needsRestart: [{ path: HOSTILE, after: HOSTILE }] },
  params: [{ event: HOSTILE, market: HOSTILE, name: HOSTILE, applies: HOSTILE }],
  markets: [
    {
      ...{ title: HOSTILE, eventSlug: HOSTILE, blocked: HOSTILE, failure: HOSTILE },
      ...{ bid: HOSTILE_SIDE, ask: HOSTILE_SIDE },
    },
  ],
};

function hostileMarket(at: number): MarketView {
  const known = marketView('rain');
  return {
    ...known,
    marketId: marketId(`m${at}`),
    title: at === 0 ? HOSTILE : `No ${at} ${HOSTILE}`,
    eventSlug: HOSTILE,
    strategy: HOSTILE,
    yesTokenId: tokenId(`0xa${at.toString(16)}`),
    noTokenId: tokenId(`0xb${at.toString(16)}`),
    guards: [{ ...REASON, guard: 'jump', side: 'both', effect: 'pulled' }],
    askReason: { ...REASON, sinceMs: stateView().atMs },
    book: { bids: [{ price: '0.48', quantity: '120' }], asks: [{ price: '0.52', quantity: '80' }] },
    targets: { bids: known.ownBids, asks: [{ price: '0.53', quantity: '50' }] },
    params: {
      ...{ version: HOSTILE, pendingRestart: [HOSTILE], applies: { [HOSTILE]: 'now' } },
      values: { [HOSTILE]: HOSTILE, nested: { [HOSTILE]: HOSTILE } },
    },
    bidReason: { ...REASON, sinceMs: stateView().atMs },
    positions: { yes: UNCERTAIN, no: UNCERTAIN },
    fair: { price: HOSTILE, logOddsDeviation: HOSTILE, ageMs: 1, external: HOSTILE },
  };
}

/** Markets that move four times a second, on the server of the daemon. */
export async function shownDesk(count: number) {
  const clock = systemClock();
  const board = new StateBoard(clock.steady());
  const pulse = { status: 'alive', stateAgeMs: 0 };
  const page = new Console({ clock, timers: clock.background, pulse: () => pulse, onLook() {} });
  const nothing = async () => await Promise.resolve({ status: 200, body: {} });
  const server = await startHttp({
    ...{ host: '127.0.0.1', port: 0, allowedHosts: [], controlToken: new Secret(TOKEN) },
    journal: '/data/bookend.db',
    roleTokens: { view: new Secret(VIEW_TOKEN) },
    ...{ clock: clock.steady(), timers: clock.background, board, console: page },
    operator: {
      kill: nothing,
      pause: nothing,
      resume: nothing,
      ofMarket: nothing,
      sets: nothing,
      preview: async () => await Promise.resolve({ status: 200, body: HOSTILE_PREVIEW }),
      config: async () => await Promise.resolve({ status: 200, body: HOSTILE_FORM }),
      // As of a file that is mounted read-only.
      edit: async () => await Promise.resolve({ status: 409, body: { error: HOSTILE } }),
    },
  });
  const markets = Array.from({ length: count }, (_, at) => hostileMarket(at));
  page.apply({ kind: 'order', marketIds: markets.map((market) => market.marketId) });
  let turns = 0;
  const tell = (): void => {
    turns += 1;
    const { markets: _, ...head } = stateView();
    const now = { ...head, atMs: clock.nowMs(), ...HOSTILE_HEAD };
    page.apply({ kind: 'head', json: JSON.stringify(now) });
    for (const market of markets) {
      const json = JSON.stringify({ ...market, bookUpdates: turns });
      page.apply({ kind: 'market', marketId: market.marketId, json });
    }
  };
  tell();
  const event = { number: 1, atMs: clock.nowMs(), event: 'order.refused', level: 'warn' };
  const lines = [
    { ...event, marketId: 'm0', detail: HOSTILE },
    {
      ...event,
      number: 2,
      event: 'operator.recorded',
      by: HOSTILE,
      action: HOSTILE,
      [HOSTILE]: HOSTILE,
    },
  ];
  const fill = { ...event, event: 'order.filled', marketId: 'm0', tokenId: '0xa0' };
  const json = JSON.stringify({ ...fill, side: HOSTILE, price: HOSTILE, quantity: HOSTILE });
  page.apply({ kind: 'event', isFill: true, json });
  for (const line of lines)
    page.apply({ kind: 'event', isFill: false, json: JSON.stringify(line) });
  const timer = setInterval(tell, 250);
  return {
    address: server.address,
    say: (status: string) => {
      pulse.status = status;
    },
    /** From now on nothing is told but this, as what a trader has said last. */
    only: (...shown: readonly Shown[]) => {
      clearInterval(timer);
      for (const each of shown) page.apply(each);
    },
    end: async () => {
      clearInterval(timer);
      await server.stop();
    },
  };
}

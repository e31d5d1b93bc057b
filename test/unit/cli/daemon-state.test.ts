// How `status` reads a state of thousands of markets, from a real server.

import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { requestState as readState } from '../../../src/cli/daemon-state.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { StateView } from '../../../src/domain/view.ts';
import { type StateAnswer, StateBoard, type StateQuery } from '../../../src/telemetry/board.ts';
import { startHttp } from '../../../src/telemetry/http.ts';
import { consolePage } from '../../support/console-page.ts';
import { show } from '../../support/shown-board.ts';
import { marketView, stateView } from '../telemetry/views.ts';

const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function withMarkets(count: number): StateView {
  const markets = Array.from({ length: count }, (_, index) => marketView(`m${index}`));
  return { ...stateView(), markets };
}

const TOKEN = 'a-control-token-of-this-test';
const JOURNAL = '/data/bookend.db';

/** Shows one view after the other, each time that it is asked, and the last for ever. */
class Changing extends StateBoard {
  count = 0;
  readonly #views: readonly StateView[];

  constructor(views: readonly StateView[]) {
    super({ nowMs: () => unixMs(100_000) });
    this.#views = views;
    this.onConnected();
  }

  override state(query: StateQuery): StateAnswer {
    const view = this.#views[Math.min(this.count, this.#views.length - 1)];
    this.count += 1;
    if (view) show(this, view);
    return super.state(query);
  }
}

async function daemon(...views: readonly StateView[]) {
  const asked = new Changing(views);
  const refused = async () => await Promise.reject(new Error('not in this test'));
  const server = await startHttp({
    ...{ host: '127.0.0.1', port: 0, allowedHosts: [], controlToken: new Secret(TOKEN) },
    journal: JOURNAL,
    clock: { nowMs: () => unixMs(100_000) },
    timers: systemClock().background,
    board: asked,
    console: consolePage(systemClock(), systemClock().background),
    operator: {
      ...{ kill: refused, pause: refused, resume: refused, ofMarket: refused, sets: refused },
      ...{ preview: refused, config: refused, edit: refused },
    },
  });
  ends.push(async () => await server.stop());
  return { address: server.address, asked };
}

const requestState = async (address: string, journal = JOURNAL) =>
  await readState({ address, journal, token: TOKEN });
const AGE = { trader: 'alive', stateMs: 0, oldestMs: 0 };

const plain = (view: StateView): object => JSON.parse(JSON.stringify(view));
const aged = (view: StateView): object => ({ ...plain(view), age: AGE });

describe('a state that is read in pages', () => {
  it.each([0, 1, 500, 501, 1_203])('is the whole of it, with %i markets', async (count) => {
    const view = withMarkets(count);
    const { address, asked } = await daemon(view);
    const answer = await requestState(address);
    expect(answer).toEqual({ kind: 'answer', status: 200, body: aged(view) });
    expect(asked.count).toBe(Math.max(1, Math.ceil(count / 500)));
  });

  it('has each market once where others come in front meanwhile', async () => {
    const before = withMarkets(700);
    const after = { ...before, markets: [marketView('new'), ...before.markets] };
    const { address } = await daemon(before, after);
    const answer = await requestState(address);
    expect(answer).toMatchObject({ body: plain(before) });
  });

  it('is asked for in one when the market goes that a page ends with', async () => {
    const before = withMarkets(700);
    const after = { ...before, markets: before.markets.slice(0, 400) };
    const { address } = await daemon(before, after);
    expect(await requestState(address)).toMatchObject({ body: plain(after) });
  });

  it('is taken as it is from a daemon that knows no pages', async () => {
    const view = withMarkets(3);
    const server = createServer((_, response) => response.end(JSON.stringify(view)));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    ends.push(() => void server.close());
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it listens');
    const answer = await requestState(`http://127.0.0.1:${address.port}`);
    expect(answer).toMatchObject({ status: 200, body: plain(view) });
  });

  it('is not that of another daemon, which has the port and the token', async () => {
    const { address } = await daemon(withMarkets(1));
    const error = 'this is the daemon of the journal /data/bookend.db, and another is meant';
    const answer = { kind: 'answer', status: 409, body: { error } };
    expect(await requestState(address, '/data/paper.db')).toEqual(answer);
  });

  it('is what was answered where that is no state', async () => {
    const server = createServer((_, response) =>
      response.writeHead(503).end('{"error":"starting"}'),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    ends.push(() => void server.close());
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it listens');
    const answer = await requestState(`http://127.0.0.1:${address.port}`);
    expect(answer).toEqual({ kind: 'answer', status: 503, body: { error: 'starting' } });
  });
});

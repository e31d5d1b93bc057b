// What an operator asks for, passed on to a trader and to the independent kill path, and what he is told.

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ConfigRead } from '../../../src/app/config-reader.ts';
import { HttpOperator, type Readers } from '../../../src/app/http-operator.ts';
import type { FromServer } from '../../../src/app/http-parent.ts';
import type { ToTrader } from '../../../src/app/http-words.ts';
import { systemClock } from '../../../src/clock/system.ts';
import { load } from '../settings/support.ts';

afterEach(() => {
  vi.useRealTimers();
});

type More = {
  readonly hasKiller?: boolean;
  readonly read?: ConfigRead;
  readonly readers?: Partial<Readers>;
};

function desk(more: More = {}) {
  vi.useFakeTimers();
  const said: ToTrader[] = [];
  const told: FromServer[] = [];
  const trader = { isConnected: true, say: (word: ToTrader) => void said.push(word) };
  const failed = { kind: 'failed', detail: 'not in this test' } as const;
  const read = async () => await Promise.resolve(more.read ?? failed);
  const operator = new HttpOperator({
    configFile: 'config.yaml',
    hasKiller: more.hasKiller ?? true,
    proofMsMax: 30_000,
    trader,
    tellParent: (message) => void told.push(message),
    timers: systemClock(),
    readers: { text: read, edited: read, form: async () => failed, ...more.readers },
  });
  const ids = () => said.flatMap((word) => (word.kind === 'ask' ? [word.id] : []));
  const asks = () => said.flatMap((word) => (word.kind === 'ask' ? [word.ask.kind] : []));
  const markets = () =>
    said.flatMap((word) =>
      word.kind === 'ask' && word.ask.kind === 'market' ? [word.ask.of] : [],
    );
  return { operator, trader, told, ids, asks, markets };
}

const soon = async () => await vi.advanceTimersByTimeAsync(0);
const done = (id: number, status = 200) =>
  ({ kind: 'done', id, status, body: { kind: 'confirmed', status } }) as const;

describe('a kill', () => {
  it('goes to the guard and to the trader at once, and is answered with what is known', async () => {
    const { operator, told, ids, asks } = desk();
    const answer = operator.kill('http me', false);
    expect(asks()).toEqual(['kill']);
    const [id = 0] = ids();
    expect(told).toEqual([{ kind: 'kill', id, by: 'http me' }]);
    operator.onWord({ kind: 'taken', id });
    operator.onUpdate(id, { kind: 'step', detail: 'cancelled 4, failed 0' });
    expect(await answer).toEqual({
      status: 202,
      body: expect.objectContaining({
        accepted: 'kill',
        trader: 'has taken it up',
        guard: 'cancelled 4, failed 0',
      }),
    });
    await vi.advanceTimersByTimeAsync(1_000);
    // The trader latches, and nobody else does.
    expect(told.map(({ kind }) => kind)).toEqual(['kill']);
  });

  it('is answered within 200 ms by nobody, and latched by the guard', async () => {
    const { operator, told } = desk();
    let answer: unknown;
    void operator.kill('http me', false).then((outcome) => {
      answer = outcome;
    });
    await vi.advanceTimersByTimeAsync(200);
    expect(answer).toMatchObject({
      status: 202,
      body: { trader: 'has not turned yet', guard: 'cancels' },
    });
    await vi.advanceTimersByTimeAsync(200);
    expect(told.at(-1)).toEqual({ kind: 'latch', by: 'http me' });
  });

  it('is confirmed by the trader, which ends the looks of the guard', async () => {
    const { operator, told, ids } = desk();
    const proof = operator.kill('http me', true);
    const [id = 0] = ids();
    // What the guard sees beside a trader that may place confirms nothing.
    operator.onUpdate(id, { kind: 'ended', isConfirmed: true, body: { by: 'guard' } });
    await vi.advanceTimersByTimeAsync(5_000);
    operator.onWord(done(id));
    expect(await proof).toEqual({ status: 200, body: { kind: 'confirmed', status: 200 } });
    expect(told.at(-1)).toEqual({ kind: 'confirmed', id });
  });

  it('that nobody waits for ends the looks of the guard, too, when the trader confirms it', async () => {
    const { operator, told, ids } = desk();
    const answer = operator.kill('http me', false);
    const [id = 0] = ids();
    operator.onWord({ kind: 'taken', id });
    await vi.advanceTimersByTimeAsync(200);
    expect(await answer).toMatchObject({ status: 202 });
    operator.onWord(done(id));
    await soon();
    expect(told.at(-1)).toEqual({ kind: 'confirmed', id });
  });

  it('is confirmed by the guard where the trader ends meanwhile, from its end on', async () => {
    const { operator, trader, told, ids } = desk();
    const proof = operator.kill('http me', true);
    const [id = 0] = ids();
    operator.onUpdate(id, { kind: 'ended', isConfirmed: true, body: { by: 'too early' } });
    trader.isConnected = false;
    operator.onTraderGone();
    await soon();
    expect(told.filter(({ kind }) => kind === 'kill')).toHaveLength(2);
    operator.onUpdate(id, { kind: 'ended', isConfirmed: true, body: { by: 'guard' } });
    expect(await proof).toEqual({ status: 200, body: { by: 'guard' } });
  });

  it('is latched by the guard where the trader ends that had taken it up: it may not have got to it', async () => {
    const { operator, trader, told, ids } = desk();
    void operator.kill('http me', true);
    operator.onWord({ kind: 'taken', id: ids()[0] ?? 0 });
    trader.isConnected = false;
    operator.onTraderGone();
    await soon();
    expect(told.map(({ kind }) => kind)).toEqual(['kill', 'kill', 'latch']);
    // Whoever cancels alone goes on, however many traders end meanwhile.
    trader.isConnected = true;
    operator.onTrader();
    trader.isConnected = false;
    operator.onTraderGone();
    await soon();
    expect(told.map(({ kind }) => kind)).toEqual(['kill', 'kill', 'latch']);
  });

  it('is told to no guard where there is none, whoever ends', async () => {
    const { operator, trader, told } = desk({ hasKiller: false });
    void operator.kill('http me', true);
    trader.isConnected = false;
    operator.onTraderGone();
    await soon();
    expect(told).toEqual([]);
  });

  it('is not confirmed by what a trader answers to the HTTP process before this one', async () => {
    const before = desk();
    void before.operator.resume('http me');
    const { operator, ids } = desk();
    let answer: unknown;
    void operator.kill('http me', true).then((outcome) => {
      answer = outcome;
    });
    expect(before.ids()).not.toEqual(ids());
    operator.onWord(done(before.ids()[0] ?? 0));
    await soon();
    expect(answer).toBeUndefined();
  });

  it('is told to the trader that begins after one that has not obeyed', async () => {
    const { operator, trader, asks } = desk();
    void operator.kill('http me', false);
    trader.isConnected = false;
    operator.onTraderGone();
    trader.isConnected = true;
    operator.onTrader();
    await soon();
    expect(asks()).toEqual(['kill', 'kill']);
  });

  it('is not confirmed where nobody has confirmed it in time', async () => {
    const { operator, ids } = desk();
    const proof = operator.kill('http me', true);
    operator.onUpdate(ids()[0] ?? 0, { kind: 'step', detail: 'GET /orders: timeout' });
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await proof).toEqual({
      status: 500,
      body: { error: 'not confirmed', kind: 'unconfirmed', detail: 'GET /orders: timeout' },
    });
  });

  it('says that nothing is done where there is neither a guard nor a trader', async () => {
    const { operator, trader } = desk({ hasKiller: false });
    trader.isConnected = false;
    expect((await operator.kill('http me', false)).status).toBe(503);
  });
});

describe('a pause', () => {
  it('is answered when the trader has obeyed', async () => {
    const { operator, ids } = desk();
    const answer = operator.pause('http me');
    operator.onWord(done(ids()[0] ?? 0));
    expect((await answer).status).toBe(200);
  });

  it('is accepted and not confirmed while it does not turn, and told to the next trader', async () => {
    const { operator, trader, ids, asks } = desk();
    const answer = operator.pause('http me');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await answer).toMatchObject({ status: 202, body: { isConfirmed: false } });
    trader.isConnected = false;
    operator.onTraderGone();
    trader.isConnected = true;
    operator.onTrader();
    expect(asks()).toEqual(['pause', 'pause']);
    operator.onWord(done(ids()[0] ?? 0));
    operator.onTrader();
    expect(asks()).toEqual(['pause', 'pause']);
  });

  it('is forgotten with a resume that comes after it', async () => {
    const { operator, asks } = desk();
    const answer = operator.pause('http me');
    await vi.advanceTimersByTimeAsync(5_000);
    await answer;
    void operator.resume('http me');
    operator.onTrader();
    expect(asks()).toEqual(['pause', 'resume']);
  });

  it('is refused where no trader is', async () => {
    const { operator, trader } = desk();
    trader.isConnected = false;
    expect((await operator.pause('http me')).status).toBe(503);
  });
});

describe('what would bring quotes back', () => {
  it('is told to one trader only', async () => {
    const { operator, trader, asks } = desk();
    void operator.resume('http me');
    trader.isConnected = false;
    operator.onTraderGone();
    trader.isConnected = true;
    operator.onTrader();
    expect(asks()).toEqual(['resume']);
  });

  it('is refused when too much is open', async () => {
    const { operator } = desk();
    for (let count = 0; count < 64; count += 1) void operator.resume('http me');
    expect((await operator.resume('http me')).status).toBe(429);
  });
});

describe('a preview', () => {
  it('is of one configuration a second', async () => {
    const { operator } = desk();
    const first = operator.preview('a: 1');
    expect((await operator.preview('a: 1')).status).toBe(429);
    expect((await first).status).toBe(422);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await operator.preview('a: 1')).status).toBe(422);
  });

  it('asks the trader nothing about a configuration that is wrong', async () => {
    const problems = [{ path: 'risk', line: 2, message: 'must be a map' }];
    const { operator, asks } = desk({ read: { kind: 'refused', problems } });
    const { status, body } = await operator.preview('risk: 1');
    expect([status, body]).toEqual([200, { kind: 'refused', problems }]);
    expect(asks()).toEqual([]);
  });
});

describe('a change of the configuration', () => {
  const ask = {
    revision: 'a'.repeat(64),
    edits: [{ path: ['risk', 'maxLossUsdc'], value: 9 }],
  };

  it('goes to the trader once it has been read and found right', async () => {
    const { operator, ids, asks } = desk({ read: { kind: 'read', settings: load('markets: []') } });
    const answer = operator.edit(ask, 'console me');
    await soon();
    expect(asks()).toEqual(['edit']);
    operator.onWord(done(ids()[0] ?? 0));
    expect((await answer).status).toBe(200);
  });

  it('that is wrong is refused whole, with the place and what would be right', async () => {
    const problems = [{ path: 'risk.maxLossUsdc', line: 2, message: 'must be a number' }];
    const { operator, asks } = desk({ read: { kind: 'refused', problems } });
    expect(await operator.edit(ask, 'me')).toMatchObject({ status: 422, body: { problems } });
    expect(asks()).toEqual([]);
  });

  it('of a file that is another by now is refused', async () => {
    const { operator, asks } = desk({ read: { kind: 'stale', revision: 'b'.repeat(64) } });
    expect(await operator.edit(ask, 'me')).toMatchObject({ status: 409, body: { kind: 'stale' } });
    expect((await operator.preview(ask)).status).toBe(409);
    expect(asks()).toEqual([]);
  });

  it('is never told to a trader that begins later', async () => {
    const { operator, asks } = desk({ read: { kind: 'read', settings: load('markets: []') } });
    const answer = operator.edit(ask, 'me');
    await vi.advanceTimersByTimeAsync(4_000);
    expect((await answer).status).toBe(202);
    operator.onTrader();
    expect(asks()).toEqual(['edit']);
  });

  it('holds up to four readers at a time, and no more', async () => {
    const { operator } = desk();
    const answers = await Promise.all(Array.from({ length: 6 }, () => operator.config()));
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 429, 429]);
  });
});

describe('an order about one market', () => {
  const ask = { order: 'pause', market: 'rain', by: 'http me' } as const;

  it('goes to the trader alone, and is answered with what the trader says', async () => {
    const { operator, told, ids } = desk();
    const answer = operator.ofMarket(ask);
    operator.onWord(done(ids()[0] ?? 0));
    expect((await answer).status).toBe(200);
    expect(told).toEqual([]);
  });

  it.each(['pause', 'kill'] as const)(
    'is told to the next trader where it is a %s that nobody has obeyed',
    async (order) => {
      const { operator, asks } = desk();
      const answer = operator.ofMarket({ ...ask, order });
      await vi.advanceTimersByTimeAsync(4_000);
      expect(await answer).toMatchObject({ status: 202, body: { accepted: order } });
      operator.onTrader();
      expect(asks()).toEqual(['market', 'market']);
    },
  );

  it('is not told again once that very market was to be resumed', async () => {
    const { operator, markets } = desk();
    void operator.ofMarket(ask);
    void operator.ofMarket({ ...ask, market: 'sun' });
    await vi.advanceTimersByTimeAsync(4_000);
    void operator.ofMarket({ ...ask, order: 'resume' });
    await vi.advanceTimersByTimeAsync(4_000);
    const before = markets().length;
    operator.onTrader();
    expect(markets().slice(before)).toEqual([{ ...ask, market: 'sun' }]);
  });
});

describe('the answer to a kill', () => {
  async function answeredAt(
    more: { hasKiller?: boolean },
    during: (d: ReturnType<typeof desk>) => void,
  ) {
    const one = desk(more);
    const startedAt = Date.now();
    let tookMs: number | undefined;
    void one.operator.kill('http me', false).then(() => {
      tookMs = Date.now() - startedAt;
    });
    for (let passed = 0; passed < 400 && tookMs === undefined; passed += 10) {
      if (passed === 100) during(one);
      await vi.advanceTimersByTimeAsync(10);
    }
    return tookMs;
  }

  it('comes 60 ms later where only a trader may have taken it up', async () => {
    expect(await answeredAt({ hasKiller: false }, () => {})).toBe(60);
  });

  it('comes with the first word of the guard, and 150 ms later at the latest', async () => {
    expect(await answeredAt({}, () => {})).toBe(150);
    const step = { kind: 'step', detail: 'cancelled 1, failed 0' } as const;
    const early = await answeredAt({}, ({ operator, ids }) =>
      operator.onUpdate(ids()[0] ?? 0, step),
    );
    expect(early).toBeLessThanOrEqual(110);
  });

  it('is 500 where whoever kills alone could not confirm it', async () => {
    const { operator, trader, ids } = desk();
    trader.isConnected = false;
    const proof = operator.kill('http me', true);
    const [id = 0] = ids();
    operator.onUpdate(id, { kind: 'ended', isConfirmed: false, body: { left: 1 } });
    expect(await proof).toEqual({ status: 500, body: { left: 1 } });
  });
});

describe('a stop that waits for a trader', () => {
  it('is answered when the trader is gone, and kept for the next one', async () => {
    const { operator, trader, asks } = desk();
    const answer = operator.pause('http me');
    await soon();
    trader.isConnected = false;
    operator.onTraderGone();
    expect(await answer).toMatchObject({ status: 202 });
    trader.isConnected = true;
    operator.onTrader();
    expect(asks()).toEqual(['pause', 'pause']);
  });

  it('is answered by the trader though a resume came meanwhile', async () => {
    const { operator, ids } = desk();
    const paused = operator.pause('http me');
    const resumed = operator.resume('http me');
    const [pause = 0, resume = 0] = ids();
    for (const id of [pause, resume]) operator.onWord(done(id));
    expect([await paused, await resumed]).toMatchObject([{ status: 200 }, { status: 200 }]);
  });

  it('of everything is not taken back by a resume of one market', async () => {
    const { operator, trader, asks } = desk();
    const stops = [
      operator.pause('http me'),
      ...['m1', 'm2'].map((market) =>
        operator.ofMarket({ order: 'kill', market, by: 'http me' } as never),
      ),
    ];
    await vi.advanceTimersByTimeAsync(5_000);
    await Promise.all(stops);
    const resumed = operator.ofMarket({ order: 'resume', market: 'm1', by: 'http me' } as never);
    await vi.advanceTimersByTimeAsync(5_000);
    await resumed;
    const before = asks().length;
    trader.isConnected = true;
    operator.onTrader();
    expect(asks().slice(before)).toEqual(['pause', 'market']);
  });
});

describe('what a kill says of the trader and of the guard', () => {
  async function bodyOf(one: ReturnType<typeof desk>) {
    const answer = one.operator.kill('http me', false);
    await vi.advanceTimersByTimeAsync(200);
    return await answer;
  }

  it('is that no trader is there, and the guard latches at once', async () => {
    const one = desk();
    one.trader.isConnected = false;
    const answer = one.operator.kill('http me', false);
    expect(one.told).toMatchObject([{ kind: 'kill' }, { kind: 'latch', by: 'http me' }]);
    await vi.advanceTimersByTimeAsync(200);
    expect(await answer).toMatchObject({ status: 202, body: { trader: 'is not there' } });
  });

  it('is that nobody but the trader cancels, where there is no guard', async () => {
    expect(await bodyOf(desk({ hasKiller: false }))).toMatchObject({
      status: 202,
      body: { guard: 'none: only the trader cancels' },
    });
  });

  it('is why the trader could not do it, where it says so at once', async () => {
    const { operator, ids } = desk();
    const answer = operator.kill('http me', false);
    operator.onWord(done(ids()[0] ?? 0, 500));
    expect(await answer).toEqual({ status: 500, body: { kind: 'confirmed', status: 500 } });
  });

  it('is that it goes on where the trader has done it so early: its proof is asked for', async () => {
    const { operator, ids, told } = desk();
    const answer = operator.kill('http me', false);
    operator.onWord(done(ids()[0] ?? 0));
    expect(await answer).toMatchObject({ status: 202, body: { trader: 'has taken it up' } });
    expect(told.at(-1)).toMatchObject({ kind: 'confirmed' });
  });

  it('comes as soon as both have said something', async () => {
    const { operator, ids } = desk();
    let answer: unknown;
    void operator.kill('http me', false).then((outcome) => {
      answer = outcome;
    });
    await vi.advanceTimersByTimeAsync(10);
    const [id = 0] = ids();
    operator.onWord({ kind: 'taken', id });
    operator.onUpdate(id, { kind: 'step', detail: 'cancelled 1, failed 0' });
    await soon();
    expect(answer).toMatchObject({ status: 202 });
  });

  it('comes at once where the trader has ended, and the guard has said something', async () => {
    const { operator, trader, ids } = desk();
    let answer: unknown;
    void operator.kill('http me', false).then((outcome) => {
      answer = outcome;
    });
    operator.onUpdate(ids()[0] ?? 0, { kind: 'step', detail: 'cancelled 1, failed 0' });
    trader.isConnected = false;
    operator.onTraderGone();
    await soon();
    expect(answer).toMatchObject({ body: { guard: 'cancelled 1, failed 0' } });
  });

  it('is that nobody has answered, where nobody has', async () => {
    const { operator } = desk();
    const proof = operator.kill('http me', true);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await proof).toMatchObject({ status: 500, body: { detail: 'nobody has answered' } });
  });

  it('is no proof for the guard where the trader could not confirm it', async () => {
    const { operator, told, ids } = desk();
    const proof = operator.kill('http me', true);
    operator.onWord(done(ids()[0] ?? 0, 500));
    expect((await proof).status).toBe(500);
    expect(told.map(({ kind }) => kind)).toEqual(['kill']);
  });

  it('is asked of the guard once where the trader has done it before it ends', async () => {
    const { operator, trader, told, ids } = desk();
    void operator.kill('http me', false);
    operator.onWord(done(ids()[0] ?? 0));
    trader.isConnected = false;
    operator.onTraderGone();
    await soon();
    expect(told.map(({ kind }) => kind)).toEqual(['kill', 'confirmed']);
  });
});

describe('what is open', () => {
  const MANY = 64;

  it('is a question no longer once it is answered', async () => {
    const { operator, ids } = desk();
    const answers = Array.from({ length: MANY }, () => operator.resume('http me'));
    for (const id of ids()) operator.onWord(done(id));
    await Promise.all(answers);
    const one = operator.resume('http me');
    operator.onWord(done(ids().at(-1) ?? 0));
    expect((await one).status).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is a resume no longer once its time is over', async () => {
    const { operator, asks } = desk();
    for (let count = 0; count < MANY; count += 1) void operator.resume('http me');
    await vi.advanceTimersByTimeAsync(4_000);
    void operator.resume('http me');
    expect(asks()).toHaveLength(MANY + 1);
  });

  it('is a stop until a trader has obeyed it, and no longer', async () => {
    const { operator, ids } = desk();
    for (let count = 0; count < MANY; count += 1) void operator.pause('http me');
    await vi.advanceTimersByTimeAsync(4_000);
    expect((await operator.pause('http me')).status).toBe(429);
    for (const id of ids()) operator.onWord(done(id));
    const one = operator.pause('http me');
    operator.onWord(done(ids().at(-1) ?? 0));
    expect((await one).status).toBe(200);
  });

  it('is a stop that a trader acknowledges and does not obey: the next one is told, too', async () => {
    const { operator, ids, asks } = desk();
    const answer = operator.pause('http me');
    await vi.advanceTimersByTimeAsync(4_000);
    await answer;
    operator.onWord({ kind: 'taken', id: ids()[0] ?? 0 });
    operator.onTrader();
    expect(asks()).toEqual(['pause', 'pause']);
  });

  it('is a kill no longer once it is confirmed, or its time is over', async () => {
    const { operator, ids, asks } = desk();
    const answers = Array.from({ length: MANY }, () => operator.kill('http me', true));
    for (const id of ids().slice(1)) operator.onWord(done(id));
    await vi.advanceTimersByTimeAsync(31_000);
    await Promise.all(answers);
    void operator.resume('http me');
    expect(asks().at(-1)).toBe('resume');
    operator.onTrader();
    expect(asks()).toHaveLength(MANY + 1);
  });

  it('is any number of kills, of which the oldest beyond 128 is answered as not confirmed', async () => {
    const { operator, ids } = desk();
    const first = operator.kill('http me', true);
    const second = operator.kill('http me', true);
    for (let count = 2; count < 129; count += 1) void operator.kill('http me', true);
    for (const id of ids().slice(0, 2)) operator.onWord(done(id));
    expect((await second).status).toBe(200);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await first).toMatchObject({ status: 500, body: { error: 'not confirmed' } });
  });

  it('is the oldest of 128 kills as well', async () => {
    const { operator, ids } = desk();
    const first = operator.kill('http me', true);
    for (let count = 1; count < 128; count += 1) void operator.kill('http me', true);
    operator.onWord(done(ids()[0] ?? 0));
    expect((await first).status).toBe(200);
  });
});

describe('what is read of a configuration', () => {
  const edit = { revision: 'a'.repeat(64), edits: [] };
  const failed = { kind: 'failed', detail: 'no such file' } as const;

  it('is shown as a form', async () => {
    const form = { kind: 'form', revision: 'r', fields: [] } as never;
    const { operator } = desk({ readers: { form: async () => form } });
    expect(await operator.config()).toEqual({ status: 200, body: form });
  });

  it('is a text for a preview of one, and the file for a preview of a change', async () => {
    const reader = (detail: string) => async () => ({ kind: 'failed', detail }) as const;
    const readers = { text: reader('as text'), edited: reader('as file') };
    const { operator } = desk({ readers });
    expect((await operator.preview('a: 1')).body).toEqual({ error: 'as text' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await operator.preview(edit)).body).toEqual({ error: 'as file' });
  });

  it('that cannot be read is no change', async () => {
    const { operator, asks } = desk({ read: failed });
    expect(await operator.edit(edit, 'me')).toEqual({
      status: 422,
      body: { error: 'no such file' },
    });
    expect(asks()).toEqual([]);
  });

  it('is previewed by the trader, which has ten seconds for it', async () => {
    const { operator, ids, asks } = desk({
      read: { kind: 'read', settings: load('markets: []') },
    });
    const first = operator.preview('markets: []');
    await soon();
    expect(asks()).toEqual(['preview']);
    operator.onWord(done(ids()[0] ?? 0));
    expect((await first).status).toBe(200);
    await vi.advanceTimersByTimeAsync(1_000);
    let answer: unknown;
    void operator.preview('markets: []').then((outcome) => {
      answer = outcome;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answer).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(answer).toMatchObject({ status: 202, body: { detail: 'it is busy; ask again' } });
  });

  it('is read for four people at a time, whoever has looked before', async () => {
    const { operator } = desk();
    await operator.config();
    await operator.config();
    const answers = await Promise.all(Array.from({ length: 6 }, () => operator.config()));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});

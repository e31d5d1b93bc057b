import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import { Secret } from '../../../src/domain/secret.ts';
import type { Timers, UnixMs } from '../../../src/domain/time.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { StateView } from '../../../src/domain/view.ts';
import { StateBoard } from '../../../src/telemetry/board.ts';
import { type HttpServer, startHttp } from '../../../src/telemetry/http.ts';
import { isKnownHost, isOwnPage } from '../../../src/telemetry/http-guard.ts';
import type { EditAsk, Outcome } from '../../../src/telemetry/http-operator.ts';
import { accessOf, partsOf, ROUTE_NAMES } from '../../../src/telemetry/http-table.ts';
import type { TokensGiven } from '../../../src/telemetry/http-tokens.ts';
import { consolePage } from '../../support/console-page.ts';
import { show } from '../../support/shown-board.ts';
import { marketView, stateView } from './views.ts';

const TOKEN = 'a-control-token-of-this-test';
const BEARER = { authorization: `Bearer ${TOKEN}` };

let server: HttpServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Setup = {
  readonly token?: string | undefined;
  readonly roleTokens?: TokensGiven['roleTokens'];
  readonly view?: StateView | undefined;
  /** Absent: the loop has not turned. */
  readonly tickAgeMs?: number | undefined;
  readonly kill?: (isProofPending: boolean) => Promise<Outcome>;
  readonly allowedHosts?: readonly string[];
  readonly timers?: Timers;
  readonly host?: string | undefined;
};

/** An address of this machine that is not its own inner one: a caller from there is one of another host. */
const OUTER = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** What the operator asked for, in order. */
const asked: string[] = [];
/** How long the last wrong token waited for its answer. */
const delaysMs: number[] = [];
let nowMs = 0;

const SOON: Timers = {
  after: (delayMs, task) => {
    delaysMs.push(delayMs);
    const handle = setImmediate(task);
    return () => clearImmediate(handle);
  },
};

const answered = async (text: string, status = 200): Promise<Outcome> => {
  asked.push(text);
  return await Promise.resolve({ status, body: { accepted: text } });
};

async function start(setup: Setup = {}): Promise<HttpServer & { readonly board: StateBoard }> {
  asked.length = 0;
  delaysMs.length = 0;
  nowMs = 100_000;
  const clock = { nowMs: (): UnixMs => unixMs(nowMs) };
  const board = new StateBoard(clock);
  if (setup.view !== undefined) {
    board.onConnected();
    show(board, setup.view, 'tickAgeMs' in setup ? setup.tickAgeMs : 20);
  }
  server = await startHttp({
    host: setup.host ?? '127.0.0.1',
    port: 0,
    allowedHosts: setup.allowedHosts ?? [],
    journal: '/data/maker 1.db',
    controlToken: setup.token === undefined ? undefined : new Secret(setup.token),
    roleTokens: setup.roleTokens,
    clock,
    timers: setup.timers ?? SOON,
    board,
    console: consolePage(clock, systemClock().background),
    operator: {
      kill: async (by, isProofPending) => {
        const outcome = await answered(`kill ${by}${isProofPending ? ' proof' : ''}`, 202);
        return await (setup.kill?.(isProofPending) ?? outcome);
      },
      pause: async (by) => await answered(`pause ${by}`),
      resume: async (by) => await answered(`resume ${by}`),
      ofMarket: async ({ order, market, by }) => await answered(`${order} of ${market} ${by}`),
      sets: async ({ by, action, amount }) => await answered(`${action} ${amount} ${by}`),
      preview: async (next) =>
        await answered(`preview ${typeof next === 'string' ? next : pathsOf(next)}`),
      config: async () => await answered('config'),
      edit: async (ask, by) => await answered(`edit ${pathsOf(ask)} ${by}`),
    },
  });
  return { ...server, board };
}

type Answer = {
  readonly status: number;
  readonly body: string;
  readonly cookie: string | undefined;
  readonly retryAfter: string | undefined;
};

/** `node:http` and not fetch, since fetch does not let a caller choose the Host header. */
async function call(
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly agent?: Agent;
  } = {},
): Promise<Answer> {
  const url = new URL(path, server?.address);
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: options.method ?? 'GET',
      headers: { ...options.headers },
      ...(options.agent === undefined ? {} : { agent: options.agent }),
    });
    outgoing.on('response', (response) => {
      let body = '';
      const isEndless = response.headers['content-type']?.startsWith('text/event-stream');
      response.on('data', (chunk) => {
        body += String(chunk);
        if (isEndless !== true) return;
        resolve({
          status: response.statusCode ?? 0,
          body,
          cookie: undefined,
          retryAfter: undefined,
        });
        response.destroy();
      });
      response.on('end', () => {
        const retryAfter = response.headers['retry-after'];
        const cookie = response.headers['set-cookie']?.[0]?.split(';')[0];
        resolve({ status: response.statusCode ?? 0, body, cookie, retryAfter });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

const control = (path: string, token: string): Promise<Answer> =>
  call(path, { method: 'POST', headers: { authorization: `Bearer ${token}` } });

function edit(path: readonly unknown[], value: unknown = 4): string {
  return JSON.stringify({ revision: 'a'.repeat(64), edits: [{ path, value }] });
}

function pathsOf({ edits }: EditAsk): string {
  return edits.map(({ path, value }) => `${path.join('.')}=${value}`).join(' ');
}

const BODIES: Readonly<Record<string, string>> = {
  '/api/preview': '{"config":"x"}',
  '/control/config': edit(['markets', 0, 'params', 'size']),
  '/control/sets': '{"id":"a","action":"merge","market":"m","amount":"2"}',
};

describe('each route of the table', () => {
  const routes = ROUTE_NAMES.map((name) => ({ name, ...partsOf(name), ...accessOf(name) }));
  const closed = routes.filter(({ right }) => right !== 'open' && right !== 'page');
  const page = routes.filter(({ right }) => right === 'page');
  const open = routes.filter(({ right }) => right === 'open');
  const of = (url: string, method: string, headers: Readonly<Record<string, string>>) => {
    const body = BODIES[url];
    return call(url.replace(':file', 'main.js'), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };

  it('is open for probes and scrapers alone', () => {
    expect(open.map(({ name }) => name)).toEqual(['GET /healthz', 'GET /readyz', 'GET /metrics']);
  });

  it.each(closed)('$name answers 401 without a token', async ({ url, method }) => {
    await start({ token: TOKEN, view: stateView() });
    expect((await of(url, method, {})).status).toBe(401);
    expect(asked).toEqual([]);
  });

  it.each(closed)('$name answers 401 to a wrong token', async ({ url, method }) => {
    await start({ token: TOKEN, view: stateView() });
    const answer = await of(url, method, { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(401);
    expect(answer.body).not.toContain(TOKEN);
    expect(asked).toEqual([]);
  });

  it.each(closed)('$name answers 403 where no token is configured', async ({ url, method }) => {
    await start({ view: stateView() });
    expect((await of(url, method, BEARER)).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it.each(closed)('$name is open to the right token', async ({ url, method }) => {
    await start({ token: TOKEN, view: stateView() });
    expect([200, 202]).toContain((await of(url, method, BEARER)).status);
  });

  it('gives the page to everybody, and nothing else', () => {
    expect(page.map(({ name }) => name)).toEqual(['GET /', 'GET /console/:file']);
  });

  it.each(page)('$name needs a token to be configured, and none to be shown', async ({ url }) => {
    await start({ view: stateView() });
    expect((await of(url, 'GET', BEARER)).status).toBe(403);
    await server?.stop();
    await start({ token: TOKEN, view: stateView() });
    expect((await of(url, 'GET', {})).status).toBe(200);
  });

  it.each(open)('$name needs none', async ({ url, method }) => {
    await start({ token: TOKEN, view: { ...stateView(), notReady: [] } });
    expect((await of(url, method, {})).status).toBe(200);
  });

  it.each(routes)('$name answers 403 to the page of another site', async ({ url, method }) => {
    await start({ token: TOKEN, view: stateView() });
    const pages = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const page of pages) {
      expect((await of(url, method, { ...BEARER, ...page })).status).toBe(403);
    }
    expect(asked).toEqual([]);
  });

  it.each(routes)(
    '$name: a link on another site leads to the page, and to nothing else',
    async (it) => {
      await start({ token: TOKEN, view: stateView() });
      const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
      const isPage = it.url === '/';
      const arrival = await of(it.url, it.method, {
        ...BEARER,
        ...link,
        'sec-fetch-dest': 'document',
      });
      expect(arrival.status).toBe(isPage ? 200 : 403);
      const framed = await of(it.url, it.method, {
        ...BEARER,
        ...link,
        'sec-fetch-dest': 'iframe',
      });
      expect(framed.status).toBe(403);
      expect(asked).toEqual([]);
    },
  );

  it.each(routes)('$name answers 403 to a wrong name', async ({ url, method }) => {
    await start({ token: TOKEN, view: stateView() });
    const answer = await of(url, method, { ...BEARER, host: 'evil.example' });
    expect(answer.status).toBe(403);
    expect(asked).toEqual([]);
  });

  it.each(closed)('$name is not done for who means another daemon', async ({ url, method }) => {
    await start({ token: TOKEN, view: stateView() });
    const other = await of(url, method, { ...BEARER, 'x-bookend-journal': '%2Fdata%2Flive.db' });
    expect(other.status).toBe(409);
    expect(other.body).toContain('the journal /data/maker 1.db, and another is meant');
    expect(asked).toEqual([]);
    const unknown = await of(url, method, { 'x-bookend-journal': '%2Fdata%2Flive.db' });
    expect([401, 403]).toContain(unknown.status);
    const own = { ...BEARER, 'x-bookend-journal': encodeURIComponent('/data/maker 1.db') };
    expect([200, 202]).toContain((await of(url, method, own)).status);
  });

  it.each(closed.filter(({ right }) => right !== 'token'))(
    '$name is open to a session, with the token of its page where it changes something',
    async ({ url, method }) => {
      await start({ token: TOKEN, view: stateView() });
      const { cookie = '', body } = await of('/session', 'POST', BEARER);
      const { csrf } = JSON.parse(body);
      const isReading = method === 'GET';
      expect((await of(url, method, { cookie })).status).toBe(isReading ? 200 : 403);
      const own = { cookie, 'x-csrf-token': csrf };
      expect((await of(url, method, { ...own, 'x-csrf-token': 'other' })).status).toBe(
        isReading ? 200 : 403,
      );
      expect([200, 202]).toContain((await of(url, method, own)).status);
    },
  );

  it('has no other method', async () => {
    await start({ token: TOKEN });
    for (const { url, method } of routes.filter((each) => each.url.startsWith('/control'))) {
      expect(method).toBe('POST');
      expect((await call(url, { headers: BEARER })).status).toBe(404);
    }
    expect(asked).toEqual([]);
  });
});

/** What each role is for, beside the table of the code. */
const ROLES = {
  full: { token: TOKEN, opens: ['token', 'view', 'trade', 'kill'] },
  view: { token: 'a-view-token-of-this-test', opens: ['token', 'view'] },
  trade: { token: 'a-trade-token-of-this-test', opens: ['token', 'view', 'trade'] },
  kill: { token: 'a-kill-token-of-this-test', opens: ['token', 'view', 'kill'] },
} as const;
const ROLE_TOKENS = {
  view: new Secret(ROLES.view.token),
  trade: new Secret(ROLES.trade.token),
  kill: new Secret(ROLES.kill.token),
};

describe('each role at each route', () => {
  const routes = ROUTE_NAMES.map((name) => ({ name, ...partsOf(name), ...accessOf(name) }));
  const pairs = Object.entries(ROLES).flatMap(([role, { token, opens }]) =>
    routes
      .filter(({ right }) => right !== 'open' && right !== 'page')
      .map((route) => ({ role, token, opens, ...route })),
  );
  const send = async (
    { url, method }: { readonly url: string; readonly method: string },
    headers: Readonly<Record<string, string>>,
  ) => {
    const body = BODIES[url];
    return await call(url, { method, headers, ...(body === undefined ? {} : { body }) });
  };

  it.each(pairs)('the $role token at $name, which needs $right', async (pair) => {
    const isOpen = pair.opens.some((right) => right === pair.right);
    await start({ token: TOKEN, roleTokens: ROLE_TOKENS, view: stateView() });
    const bearer = { authorization: `Bearer ${pair.token}` };
    const answer = await send(pair, bearer);
    expect(isOpen ? [200, 202] : [403]).toContain(answer.status);
    if (pair.right === 'token') return;
    // A session gives what its token gave, and no more.
    const begun = await send({ url: '/session', method: 'POST' }, bearer);
    const { csrf, role, rights } = JSON.parse(begun.body);
    expect(role).toBe(pair.role);
    expect(['token', ...rights]).toEqual(pair.opens);
    asked.length = 0;
    const own = { cookie: begun.cookie ?? '', 'x-csrf-token': csrf };
    expect(isOpen ? [200, 202] : [403]).toContain((await send(pair, own)).status);
    if (!isOpen) expect(asked).toEqual([]);
  });

  // The pairs above follow the table: this is what the table itself has to say.
  it('gives what stands here by hand', () => {
    const of = (right: string) =>
      routes.filter((route) => route.right === right).map(({ name }) => name);
    expect(of('token')).toEqual(['POST /session']);
    expect(of('view')).toEqual([
      ...['GET /session', 'DELETE /session', 'GET /api/state', 'GET /api/stream'],
      ...['GET /api/history', 'GET /api/config', 'POST /api/preview'],
    ]);
    expect(of('trade')).toEqual([
      ...['POST /control/pause', 'POST /control/resume', 'POST /control/sets'],
      'POST /control/config',
    ]);
    expect(of('kill')).toEqual(['POST /control/kill']);
  });

  it('is named where it asks for something', async () => {
    await start({ token: TOKEN, roleTokens: ROLE_TOKENS });
    await control('/control/pause', ROLES.trade.token);
    await control('/control/kill', ROLES.kill.token);
    expect(asked).toEqual([
      'pause http 127.0.0.1 with the trade token',
      'kill http 127.0.0.1 with the kill token',
    ]);
  });

  it('is open without a control token, too', async () => {
    await start({ roleTokens: { view: ROLE_TOKENS.view }, view: stateView() });
    const bearer = { authorization: `Bearer ${ROLES.view.token}` };
    expect((await call('/api/state', { headers: bearer })).status).toBe(200);
    expect((await control('/control/pause', ROLES.trade.token)).status).toBe(401);
  });
});

describe('a change of the configuration', () => {
  const send = async (body: string, token = TOKEN, route = '/control/config') =>
    await call(route, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });

  it('is passed on with who asked for it', async () => {
    await start({ token: TOKEN, roleTokens: ROLE_TOKENS });
    const size = edit(['markets', 0, 'params', 'size'], 40);
    expect((await send(size, ROLES.trade.token)).status).toBe(200);
    expect((await send(edit(['risk', 'loss', 'dayUsdc'], 9))).status).toBe(200);
    expect(asked).toEqual([
      'edit markets.0.params.size=40 http 127.0.0.1 with the trade token',
      'edit risk.loss.dayUsdc=9 http 127.0.0.1',
    ]);
  });

  it('of a limit needs the control token', async () => {
    await start({ token: TOKEN, roleTokens: ROLE_TOKENS });
    const answer = await send(edit(['risk', 'maxLossUsdc'], 9), ROLES.trade.token);
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('control token') });
    expect(asked).toEqual([]);
  });

  it('is previewed in the same form', async () => {
    await start({ token: TOKEN, roleTokens: ROLE_TOKENS });
    const size = edit(['markets', 0, 'params', 'size'], 40);
    expect((await send(size, ROLES.view.token, '/api/preview')).status).toBe(200);
    expect(asked).toEqual(['preview markets.0.params.size=40']);
  });

  it.each([
    'x',
    '{}',
    '{"revision":"a","edits":[]}',
    edit([]),
    edit(['markets', -1, 'params', 'size']),
    edit(['markets', 0, 'params', 'size'], null),
    edit(['markets', 0, 'params', 'size'], { $: 1 }),
    edit(['markets', 0, 'params', 'size'], 'x'.repeat(101)),
    edit(['markets', 0, 'params', 'size']).replace('"edits"', '"by":"you","edits"'),
    edit(['markets', 0, 'params', 'size']).replace(/a{64}/, '../../etc/passwd'),
  ])('that is not in the form is refused: %s', async (body) => {
    await start({ token: TOKEN });
    expect((await send(body)).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('is bounded in length', async () => {
    await start({ token: TOKEN });
    expect((await send(`${edit(['a', 'b'])}${' '.repeat(20_000)}`)).status).toBe(413);
  });
});

describe('an order about one market', () => {
  it.each(['pause', 'resume', 'kill'])('is a %s with its id or slug in the query', async (name) => {
    await start({ token: TOKEN });
    expect((await control(`/control/${name}?market=rain%20day`, TOKEN)).status).toBe(200);
    expect(asked).toEqual([`${name} of rain day http 127.0.0.1`]);
  });

  it.each([
    'market=',
    'markets=rain',
    'market=rain&market=sun',
    `market=${'x'.repeat(201)}`,
    'all=true',
  ])('never means the whole account where the query is wrong: %s', async (query) => {
    await start({ token: TOKEN });
    for (const name of ['pause', 'resume', 'kill']) {
      const answer = await control(`/control/${name}?${query}`, TOKEN);
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('market');
    }
    expect(asked).toEqual([]);
  });
});

describe('a session', () => {
  const begin = async () => await call('/session', { method: 'POST', headers: BEARER });

  it('is a cookie that no script reads and no page of another site sends', async () => {
    const { address } = await start({ token: TOKEN });
    const response = await fetch(`${address}/session`, { method: 'POST', headers: BEARER });
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^bookend_session_\d+=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; /);
    expect(cookie).toContain('SameSite=Strict');
    expect(cookie).not.toContain(TOKEN);
  });

  it('goes over TLS alone where its page came by TLS, as through a proxy', async () => {
    const { address } = await start({ token: TOKEN });
    const { host } = new URL(address);
    const cookieOf = async (scheme: string, method: string) => {
      const headers = { ...BEARER, origin: `${scheme}://${host}` };
      const response = await fetch(`${address}/session`, { method, headers });
      return response.headers.get('set-cookie') ?? '';
    };
    for (const method of ['POST', 'DELETE']) {
      expect(await cookieOf('https', method)).toMatch(/; Secure$/);
      expect(await cookieOf('http', method)).toMatch(/; SameSite=Strict$/);
    }
  });

  it('goes on beside one at another port of the same host, whose cookies a browser sends along', async () => {
    await start({ token: TOKEN, view: stateView() });
    const at = async (host: string) =>
      await call('/session', { method: 'POST', headers: { ...BEARER, host } });
    const [one, other] = [await at('127.0.0.1:9464'), await at('127.0.0.1:9465')];
    // As a browser keeps them: a name has one value, whatever port gave it.
    const jar = new Map([one, other].map(({ cookie = '' }) => [cookie.split('=')[0], cookie]));
    const cookie = [...jar.values()].join('; ');
    for (const [host, { body }] of [
      ['127.0.0.1:9464', one],
      ['127.0.0.1:9465', other],
    ] as const) {
      const headers = { host, cookie, 'x-csrf-token': JSON.parse(body).csrf };
      expect((await call('/control/kill', { method: 'POST', headers })).status).toBe(202);
    }
  });

  it('begins no other session', async () => {
    await start({ token: TOKEN });
    const { cookie = '', body } = await begin();
    const headers = { cookie, 'x-csrf-token': JSON.parse(body).csrf };
    expect((await call('/session', { method: 'POST', headers })).status).toBe(401);
  });

  it('ends when it is ended, and after half a day', async () => {
    await start({ token: TOKEN, view: stateView() });
    const one = await begin();
    const headers = { cookie: one.cookie ?? '', 'x-csrf-token': JSON.parse(one.body).csrf };
    expect((await call('/session', { method: 'DELETE', headers })).status).toBe(200);
    expect((await call('/api/state', { headers })).status).toBe(401);
    const { cookie = '' } = await begin();
    nowMs += 12 * 3_600_000 - 1;
    expect((await call('/session', { headers: { cookie } })).status).toBe(200);
    nowMs += 1;
    expect((await call('/session', { headers: { cookie } })).status).toBe(401);
  });

  it('goes when there are too many, the oldest first', async () => {
    await start({ token: TOKEN, view: stateView() });
    const first = await begin();
    const second = await begin();
    for (let count = 0; count < 15; count += 1) await begin();
    const status = async ({ cookie = '' }: Answer) =>
      (await call('/session', { headers: { cookie } })).status;
    expect([await status(first), await status(second)]).toEqual([401, 200]);
  });

  it('goes for none of another role', async () => {
    await start({ token: TOKEN, roleTokens: ROLE_TOKENS, view: stateView() });
    const { cookie = '' } = await begin();
    const headers = { authorization: `Bearer ${ROLES.view.token}` };
    for (let count = 0; count < 40; count += 1) await call('/session', { method: 'POST', headers });
    expect((await call('/session', { headers: { cookie } })).status).toBe(200);
  });
});

describe('wrong tokens', () => {
  it('are answered the later the more there are, within a bound', async () => {
    await start({ token: TOKEN });
    for (let count = 0; count < 8; count += 1) await control('/control/pause', 'wrong');
    expect(delaysMs).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
  });

  it('never slow the right one, and only so many wait at once', async () => {
    const held: (() => void)[] = [];
    const timers: Timers = {
      after: (_, task) => {
        held.push(task);
        return () => {};
      },
    };
    await start({ token: TOKEN, view: stateView(), timers });
    let answered = 0;
    const many = Array.from({ length: 40 }, async () => {
      const answer = await control('/control/pause', 'wrong');
      answered += 1;
      return answer;
    });
    const first = await Promise.race(many);
    expect(first.status).toBe(429);
    expect((await control('/control/pause', TOKEN)).status).toBe(200);
    await expect.poll(() => answered).toBe(8);
    for (const each of held.splice(0)) each();
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(32);
  });

  it('of this host never bar anybody of it, however many there are', async () => {
    await start({ token: TOKEN, view: stateView() });
    for (let count = 0; count < 80; count += 1) await control('/control/pause', 'wrong');
    expect((await control('/control/kill', TOKEN)).status).toBe(202);
  });

  it.runIf(OUTER)('of another host are compared 60 times a minute: then no token is', async () => {
    await start({ token: TOKEN, view: stateView(), host: OUTER });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { authorization: `Bearer ${TOKEN}` };
    // Whoever has shown the token on a connection goes on with it.
    expect((await call('/api/state', { headers, agent })).status).toBe(200);
    const statuses = new Set<number>();
    for (let count = 0; count < 60; count += 1) {
      statuses.add((await control('/control/pause', 'wrong')).status);
    }
    expect([...statuses]).toEqual([401]);
    const refused = await control('/control/pause', TOKEN);
    expect(refused).toMatchObject({ status: 429, retryAfter: '60' });
    expect((await call('/metrics')).status).not.toBe(429);
    expect((await call('/api/state', { headers, agent })).status).toBe(200);
    nowMs += 60_000;
    expect((await control('/control/pause', TOKEN)).status).toBe(200);
    agent.destroy();
  });

  it.runIf(OUTER)(
    'are as bounded on a connection that showed a right one: who views tries no kill',
    async () => {
      await start({ token: TOKEN, view: stateView(), host: OUTER });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, agent });
      const compared: number[] = [];
      for (let count = 0; count < 100; count += 1) {
        await call('/api/state', as(TOKEN));
        compared.push((await call('/api/state', as('wrong'))).status);
      }
      expect(compared.filter((status) => status === 401)).toHaveLength(60);
      expect(compared.at(-1)).toBe(429);
      agent.destroy();
    },
  );
});

describe('connections', () => {
  const open: Socket[] = [];
  const port = () => server?.port ?? 0;
  const halfOpen = async (text = ''): Promise<Socket> =>
    await new Promise((resolve, reject) => {
      const socket = connect(port(), '127.0.0.1', () => {
        if (text !== '') socket.write(text);
        resolve(socket);
      });
      socket.on('error', reject);
      open.push(socket);
    });

  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });

  it('that say nothing shut nobody out: 500 of them, and a kill is answered at once', async () => {
    await start({ token: TOKEN });
    for (let count = 0; count < 250; count += 1) {
      const sockets = [await halfOpen(), await halfOpen('POST /control/kill HTTP/1.1\r\nHo')];
      for (const socket of sockets) socket.on('error', () => {});
    }
    const beganMs = performance.now();
    expect((await control('/control/kill', TOKEN)).status).toBe(202);
    expect(performance.now() - beganMs).toBeLessThan(250);
    // Each is a descriptor of the process, of which a system gives a thousand or so.
    expect(server?.connections()).toBeLessThanOrEqual(64);
  });

  it('that say nothing end within five seconds', { timeout: 20_000 }, async () => {
    await start({ token: TOKEN });
    const beganMs = performance.now();
    const socket = await halfOpen();
    const slow = await halfOpen('GET /healthz HTTP/1.1\r\n');
    const used = await halfOpen('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const ended = [socket, slow, used].map(
      async (each) =>
        await new Promise<number>((resolve) => {
          each.on('data', () => {});
          each.on('close', () => resolve(performance.now() - beganMs));
        }),
    );
    for (const tookMs of await Promise.all(ended)) expect(tookMs).toBeLessThan(5_000);
  });

  it('that do not read what they asked for end, too', { timeout: 20_000 }, async () => {
    const { board } = await start({ view: stateView() });
    board.apply({ kind: 'names', names: ['x'] });
    board.apply({ kind: 'series', name: 'x', text: 'x'.repeat(30_000_000) });
    const beganMs = performance.now();
    const socket = await halfOpen('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server?.connections()).toBe(1);
    while (server?.connections() !== 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(performance.now() - beganMs).toBeLessThan(8_000);
  });

  it('that ask a thousand times at once are cut off, and hold up nobody', async () => {
    await start({ token: TOKEN });
    const ask = `POST /control/pause HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    const socket = await halfOpen(ask.repeat(1_000));
    socket.on('error', () => {});
    await new Promise<void>((resolve) => {
      socket.on('data', () => {});
      socket.on('close', () => resolve());
    });
    expect(asked.length).toBeLessThan(10);
    expect((await control('/control/kill', TOKEN)).status).toBe(202);
  });

  it.each([
    ['ask for nothing more', 'GET /api/state'],
    ['wait for their answers', 'POST /control/kill?wait=proof'],
  ])('that have all shown a token and %s shut nobody out', async (_, route) => {
    const kill = async (isProofPending: boolean): Promise<Outcome> =>
      isProofPending ? await new Promise<never>(() => {}) : { status: 202, body: {} };
    await start({ token: TOKEN, view: stateView(), kill });
    const ask = `${route} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    for (let count = 0; count < 64; count += 1) (await halfOpen(ask)).on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(server?.connections()).toBe(64);
    expect((await control('/control/kill', TOKEN)).status).toBe(202);
  });

  it('that have shown the token outlast a crowd that has not', async () => {
    await start({ token: TOKEN, view: stateView() });
    const trusted = await halfOpen();
    const said: string[] = [];
    trusted.on('data', (part) => said.push(String(part)));
    const ask = `GET /api/state HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`;
    const untilSaid = async (count: number) => {
      while (said.join('').split('HTTP/1.1 200').length <= count) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    trusted.write(ask);
    await untilSaid(1);
    for (let count = 0; count < 200; count += 1) (await halfOpen()).on('error', () => {});
    trusted.write(ask);
    await untilSaid(2);
    expect(trusted.destroyed).toBe(false);
  });
});

describe('health', () => {
  it('is starting before a trader has said anything', async () => {
    await start();
    const { status, body } = await call('/healthz');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: 'starting' });
  });

  it('is alive while the loop turns', async () => {
    await start({ view: stateView(), tickAgeMs: 50 });
    nowMs += 30;
    const { status, body } = await call('/healthz');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: 'alive', tickAgeMs: 80, stateAgeMs: 30 });
  });

  it.each([
    [5_000, []],
    [90_000, ["90 s behind the venue's"]],
    [-90_000, ["90 s ahead of the venue's"]],
  ])('warns of a clock that is %i ms off, and is alive', async (clockOffsetMs, warned) => {
    const view = stateView();
    await start({ view: { ...view, connection: { ...view.connection, clockOffsetMs } } });
    const { status, body } = await call('/healthz');
    const { warnings } = JSON.parse(body);
    expect([status, warnings]).toEqual([200, warned.map((text) => expect.stringContaining(text))]);
  });

  it('is lost when the loop stands still', async () => {
    await start({ view: stateView(), tickAgeMs: 10_000 });
    const { status, body } = await call('/healthz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ status: 'stuck', tickAgeMs: 10_000 });
  });

  it('is lost when the trader says nothing more, and says for how long', async () => {
    await start({ view: stateView() });
    nowMs += 7_000;
    const { status, body } = await call('/healthz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ status: 'stuck', stateAgeMs: 7_000 });
    expect((await call('/metrics')).status).toBe(503);
  });

  it('is lost when the trader is gone', async () => {
    const { board } = await start({ view: stateView() });
    board.onGone();
    const { status, body } = await call('/healthz');
    expect([status, JSON.parse(body).status]).toEqual([503, 'down']);
    board.onConnected();
    expect((await call('/healthz')).status).toBe(200);
  });
});

describe('readiness', () => {
  it('says why while there is no core', async () => {
    await start();
    const { status, body } = await call('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({ ready: false, reasons: ['the daemon is starting'] });
  });

  it('gives the reasons of the core', async () => {
    await start({ view: { ...stateView(), notReady: ['the socket is lost'] } });
    const { status, body } = await call('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({ ready: false, reasons: ['the socket is lost'] });
  });

  it('is there when nothing stands in the way', async () => {
    await start({ view: { ...stateView(), notReady: [] } });
    expect((await call('/readyz')).status).toBe(200);
  });

  it('is gone when what is known is old', async () => {
    await start({ view: { ...stateView(), notReady: [] } });
    nowMs += 6_000;
    const { status, body } = await call('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(body).reasons).toEqual([
      'the trader does not turn; its last word is 6.0 s old',
    ]);
  });
});

describe('state and metrics', () => {
  it('shows the view as it is', async () => {
    await start({ token: TOKEN, view: stateView() });
    nowMs += 300;
    const { status, body } = await call('/api/state', { headers: BEARER });
    expect(status).toBe(200);
    const age = { trader: 'alive', stateMs: 300, oldestMs: 300 };
    expect(JSON.parse(body)).toEqual({ ...JSON.parse(JSON.stringify(stateView())), age });
  });

  it('has no state before the core has', async () => {
    await start({ token: TOKEN });
    expect((await call('/api/state', { headers: BEARER })).status).toBe(503);
    expect((await call('/api/state?limit=10', { headers: BEARER })).status).toBe(503);
  });

  it('says that the trader is gone whose last state it shows', async () => {
    const { board } = await start({ token: TOKEN, view: stateView() });
    board.onGone();
    nowMs += 9_000;
    const { status, body } = await call('/api/state', { headers: BEARER });
    expect([status, JSON.parse(body).age]).toEqual([
      200,
      { trader: 'down', stateMs: 9_000, oldestMs: 9_000 },
    ]);
  });

  const many = { ...stateView(), markets: ['a', 'b', 'c', 'd', 'e'].map(marketView) };
  const shown = async (query: string) => {
    const { status, body } = await call(`/api/state?${query}`, { headers: BEARER });
    const { markets, page, error, phase } = JSON.parse(body);
    const ids = markets?.map(({ marketId }: { marketId: string }) => marketId);
    return { status, ids, page, error, phase };
  };

  it('gives the markets in pages, each with all the rest of the state', async () => {
    await start({ token: TOKEN, view: many });
    expect(await shown('limit=2')).toEqual({
      status: 200,
      ids: ['market-a', 'market-b'],
      page: { markets: 5, next: 'market-c' },
      error: undefined,
      phase: 'quoting',
    });
    expect(await shown('limit=2&cursor=market-c')).toMatchObject({
      ids: ['market-c', 'market-d'],
      page: { markets: 5, next: 'market-e' },
    });
    const last = await shown('limit=2&cursor=market-e');
    expect(last).toMatchObject({ ids: ['market-e'], page: { markets: 5 } });
    expect(last.page).not.toHaveProperty('next');
    expect(await shown('limit=5')).toMatchObject({ page: { markets: 5 } });
  });

  it('gives no market where none is asked for, and one by its id', async () => {
    await start({ token: TOKEN, view: many });
    expect(await shown('limit=0')).toMatchObject({ status: 200, ids: [] });
    expect((await shown('limit=0')).page).toEqual({ markets: 5 });
    expect(await shown('market=market-d')).toMatchObject({ status: 200, ids: ['market-d'] });
    expect(await shown('market=nobody')).toMatchObject({ status: 404, error: 'no such market' });
  });

  it.each(['limit=-1', 'limit=1001', 'limit=x', 'limit=', 'limit=1&limit=2', 'cursor=gone'])(
    'refuses %s and says why',
    async (query) => {
      await start({ token: TOKEN, view: many });
      const { status, error } = await shown(query);
      expect(status).toBe(400);
      expect(error).toMatch(/limit must be|begin anew/);
    },
  );

  it('serves metrics in the text form of Prometheus', async () => {
    await start({ view: stateView() });
    const { status, body } = await call('/metrics');
    expect(status).toBe(200);
    expect(body).toContain('bookend_phase_info{phase="quoting"} 1');
    expect(body).toContain('bookend_settings_reloads_total{result="applied"} 0');
  });

  it('serves no metrics until all that is counted has been told: a counter that comes late has risen unseen', async () => {
    const { board } = await start({});
    const status = async () => {
      nowMs += 1_000;
      return (await call('/metrics')).status;
    };
    const series = (name: string) => board.apply({ kind: 'series', name, text: `${name} 0\n` });
    board.onConnected();
    expect(await status()).toBe(503);
    board.apply({ kind: 'names', names: ['a', 'b'] });
    series('a');
    expect(await status()).toBe(503);
    series('b');
    expect(await status()).toBe(200);
    // One that is new much later keeps nobody from the others.
    board.apply({ kind: 'names', names: ['a', 'b', 'c'] });
    expect(await status()).toBe(200);
  });
});

describe('control', () => {
  it.each([
    { name: 'no header', headers: {} },
    { name: 'a wrong token', headers: { authorization: 'Bearer wrong' } },
    { name: 'a longer token', headers: { authorization: `Bearer ${TOKEN}x` } },
    { name: 'an empty token', headers: { authorization: 'Bearer ' } },
    { name: 'another scheme', headers: { authorization: `Basic ${TOKEN}` } },
  ])('answers 401 to $name', async ({ headers }) => {
    await start({ token: TOKEN });
    const answer = await call('/control/kill', { method: 'POST', headers });
    expect(answer.status).toBe(401);
    expect(answer.body).not.toContain(TOKEN);
    expect(asked).toEqual([]);
  });

  it('passes on who asked for a pause and a resume', async () => {
    await start({ token: TOKEN });
    expect((await control('/control/pause', TOKEN)).status).toBe(200);
    expect((await control('/control/resume', TOKEN)).status).toBe(200);
    expect(asked).toEqual(['pause http 127.0.0.1', 'resume http 127.0.0.1']);
    const { cookie = '', body } = await call('/session', { method: 'POST', headers: BEARER });
    const own = { cookie, 'x-csrf-token': JSON.parse(body).csrf };
    await call('/control/pause', { method: 'POST', headers: own });
    expect(asked.at(-1)).toBe('pause console 127.0.0.1');
  });

  it('answers a kill at once, or where that is wanted when it is confirmed', async () => {
    await start({ token: TOKEN });
    expect((await control('/control/kill', TOKEN)).status).toBe(202);
    await control('/control/kill?wait=proof', TOKEN);
    expect(asked).toEqual(['kill http 127.0.0.1', 'kill http 127.0.0.1 proof']);
    expect((await control('/control/kill?wait=long', TOKEN)).status).toBe(400);
  });

  it('says what came of a kill as it was told', async () => {
    const body = { error: 'not confirmed', kind: 'unconfirmed', left: [], detail: 'no list' };
    await start({ token: TOKEN, kill: async () => ({ status: 500, body }) });
    const answer = await control('/control/kill', TOKEN);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toEqual(body);
  });

  it('keeps the text of an error inside', async () => {
    const kill = (): Promise<Outcome> => Promise.reject(new Error(`key ${TOKEN}`));
    await start({ token: TOKEN, kill });
    const answer = await control('/control/kill', TOKEN);
    expect(answer.status).toBe(500);
    expect(answer.body).toBe('{"error":"internal error"}');
  });

  it('ignores a body, whatever its type', async () => {
    await start({ token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await call('/control/pause', { method: 'POST', headers, body: '{broken' });
    expect(answer.status).toBe(200);
  });

  it('refuses a body beyond its bound', async () => {
    await start({ token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/plain' };
    const answer = await call('/control/pause', {
      method: 'POST',
      headers,
      body: 'x'.repeat(5_000),
    });
    expect(answer.status).toBe(413);
    expect(asked).toEqual([]);
  });
});

describe('a Host header', () => {
  it.each([undefined, '', ':80', '[::1', '127.0.0.1:', 'localhost:port', '127.0.0.1.evil.example'])(
    'that is %j names nobody',
    (header) => {
      expect(isKnownHost(header, ['127.0.0.1', 'bookend'])).toBe(false);
    },
  );
});

describe('a page', () => {
  const host = 'bookend:9464';

  it.each([
    {},
    { origin: 'http://bookend:9464' },
    { origin: 'https://bookend:9464', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('of ours sends %j', (headers) => {
    expect(isOwnPage({ host, ...headers })).toBe(true);
  });

  it.each([
    { origin: 'http://bookend' },
    { origin: 'http://bookend:9464.evil.example' },
    { origin: '' },
    { origin: 'http://bookend:9464', 'sec-fetch-site': 'cross-site' },
  ])('of others sends %j', (headers) => {
    expect(isOwnPage({ host, ...headers })).toBe(false);
  });
});

describe('names under which the server may be called', () => {
  it.each(['evil.example', 'evil.example:9464', 'localhost.evil.example', 'a b'])(
    'refuses %j, since a page could have rebound it',
    async (host) => {
      await start({ token: TOKEN, view: stateView() });
      const answer = await call('/api/state', { headers: { ...BEARER, host } });
      expect([400, 403]).toContain(answer.status);
      expect(answer.body).not.toContain('markets');
    },
  );

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:9464', '[::1]:9464', '10.0.0.7', 'bookend:9464'])(
    'takes %s',
    async (host) => {
      await start({ token: TOKEN, view: stateView(), allowedHosts: ['bookend'] });
      expect((await call('/api/state', { headers: { ...BEARER, host } })).status).toBe(200);
    },
  );

  it.each([
    ['two of them', 'GET /api/state HTTP/1.1', 'Host: localhost\r\nHost: evil.example\r\n'],
    ['the same one twice', 'GET /api/state HTTP/1.1', 'Host: localhost\r\nHost: localhost\r\n'],
    ['none', 'GET /api/state HTTP/1.0', ''],
    [
      'another one as the target',
      'GET http://evil.example/api/state HTTP/1.1',
      'Host: localhost\r\n',
    ],
  ])('refuses %s', async (_, line, hosts) => {
    await start({ token: TOKEN, view: stateView() });
    const socket = connect(server?.port ?? 0, '127.0.0.1');
    socket.write(`${line}\r\n${hosts}Authorization: Bearer ${TOKEN}\r\n\r\n`);
    const [said] = await once(socket, 'data');
    expect(String(said)).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  it('refuses before it looks at a token', async () => {
    await start({ token: TOKEN });
    const headers = { host: 'evil.example', authorization: `Bearer ${TOKEN}` };
    expect((await call('/control/kill', { method: 'POST', headers })).status).toBe(403);
    expect(asked).toEqual([]);
  });
});

describe('the server', () => {
  it('answers unknown routes in JSON', async () => {
    await start();
    expect(await call('/etc/passwd')).toEqual({ status: 404, body: '{"error":"no such route"}' });
  });

  it('says which address is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { board } = await start();
    const refused = async () => await Promise.reject(new Error('not asked here'));
    const options = {
      host: '127.0.0.1',
      port,
      allowedHosts: [],
      journal: '/data/bookend.db',
      controlToken: undefined,
      clock: { nowMs: () => unixMs(0) },
      timers: SOON,
      board,
      console: consolePage({ nowMs: () => unixMs(0) }, SOON),
      operator: {
        kill: refused,
        pause: refused,
        resume: refused,
        ofMarket: refused,
        sets: refused,
        preview: refused,
        config: refused,
        edit: refused,
      },
    };
    await expect(startHttp(options)).rejects.toThrow(
      expect.objectContaining({
        code: 'http.listen',
        message: expect.stringContaining(`127.0.0.1:${port} is in use by another process`),
      }),
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it('stops although a client keeps its connection', async () => {
    const { address, stop } = await start();
    await fetch(`${address}/healthz`);
    await stop();
    await expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed');
  });
});

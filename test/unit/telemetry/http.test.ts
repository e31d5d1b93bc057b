import { createServer, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import type { PickMarkets, StateView } from '../../../src/domain/view.ts';
import { type ControlKillResult, type HttpServer, startHttp } from '../../../src/telemetry/http.ts';
import { isKnownHost } from '../../../src/telemetry/http-guard.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { marketView, picked, stateView } from './views.ts';

const TOKEN = 'a-control-token-of-this-test';

let server: HttpServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Setup = {
  readonly token?: string | undefined;
  readonly view?: StateView | undefined;
  readonly tickAtMs?: number | undefined;
  readonly kill?: () => Promise<ControlKillResult>;
  readonly allowedHosts?: readonly string[];
};

/** What the operator asked for, in order. */
const asked: string[] = [];

async function start(setup: Setup = {}): Promise<HttpServer> {
  asked.length = 0;
  const view = (pick?: PickMarkets): StateView | undefined =>
    setup.view && picked(setup.view, pick);
  server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: setup.allowedHosts ?? [],
    controlToken: setup.token === undefined ? undefined : new Secret(setup.token),
    clock: { nowMs: () => unixMs(100_000) },
    metrics: createMetrics({ view, version: '0.0.0' }),
    view,
    lastTickAtMs: () => (setup.tickAtMs === undefined ? undefined : unixMs(setup.tickAtMs)),
    controls: {
      kill: async (by) => {
        asked.push(`kill ${by}`);
        return await (setup.kill?.() ?? Promise.resolve(PROVEN));
      },
      pause: (by) => {
        asked.push(`pause ${by}`);
      },
      resume: (by) => {
        asked.push(`resume ${by}`);
      },
      sets: async ({ id, by, action, marketId, amount }) => {
        asked.push(`${action} ${amount} ${by}`);
        return await Promise.resolve({
          ...{ id, by, action, marketId, amount: String(amount) },
          ...{ state: 'sent' as const, detail: '' },
        });
      },
    },
  });
  return server;
}

const PROVEN: ControlKillResult = { kind: 'proven', cancelled: 3, tookMs: 12 };

type Answer = { readonly status: number; readonly body: string };

/** `node:http` and not fetch, since fetch does not let a caller choose the Host header. */
async function call(
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Answer> {
  const url = new URL(path, server?.address);
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: options.method ?? 'GET',
      headers: { ...options.headers },
    });
    outgoing.on('response', (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

const control = (path: string, token: string): Promise<Answer> =>
  call(path, { method: 'POST', headers: { authorization: `Bearer ${token}` } });

describe('health', () => {
  it('is starting before the loop has turned', async () => {
    await start();
    const { status, body } = await call('/healthz');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: 'starting' });
  });

  it('is alive while the loop turns', async () => {
    await start({ tickAtMs: 99_950 });
    const { status, body } = await call('/healthz');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: 'alive', tickAgeMs: 50 });
  });

  it('is lost when the loop stands still', async () => {
    await start({ tickAtMs: 90_000 });
    const { status, body } = await call('/healthz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ status: 'stuck', tickAgeMs: 10_000 });
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
});

describe('state and metrics', () => {
  it('shows the view as it is', async () => {
    await start({ view: stateView() });
    const { status, body } = await call('/api/state');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(stateView())));
  });

  it('has no state before the core has', async () => {
    await start();
    expect((await call('/api/state')).status).toBe(503);
    expect((await call('/api/state?limit=10')).status).toBe(503);
  });

  const many = { ...stateView(), markets: ['a', 'b', 'c', 'd', 'e'].map(marketView) };
  const shown = async (query: string) => {
    const { status, body } = await call(`/api/state?${query}`);
    const { markets, page, error, phase } = JSON.parse(body);
    const ids = markets?.map(({ marketId }: { marketId: string }) => marketId);
    return { status, ids, page, error, phase };
  };

  it('gives the markets in pages, each with all the rest of the state', async () => {
    await start({ view: many });
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
    await start({ view: many });
    expect(await shown('limit=0')).toMatchObject({ status: 200, ids: [] });
    expect((await shown('limit=0')).page).toEqual({ markets: 5 });
    expect(await shown('market=market-d')).toMatchObject({ status: 200, ids: ['market-d'] });
    expect(await shown('market=nobody')).toMatchObject({ status: 404, error: 'no such market' });
  });

  it.each(['limit=-1', 'limit=1001', 'limit=x', 'limit=', 'limit=1&limit=2', 'cursor=gone'])(
    'refuses %s and says why',
    async (query) => {
      await start({ view: many });
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
  });
});

describe('control', () => {
  it('answers 403 while no token is configured', async () => {
    await start();
    for (const path of ['/control/kill', '/control/pause', '/control/resume']) {
      expect((await control(path, TOKEN)).status).toBe(403);
    }
    expect(asked).toEqual([]);
  });

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
  });

  it('answers a kill when it is proven', async () => {
    await start({ token: TOKEN });
    const answer = await control('/control/kill', TOKEN);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual(PROVEN);
  });

  it('says what is left when a kill is not proven', async () => {
    const result: ControlKillResult = {
      kind: 'unproven',
      cancelled: 1,
      tookMs: 20_000,
      left: [],
      detail: 'the list of open orders cannot be read',
    };
    await start({ token: TOKEN, kill: async () => result });
    const answer = await control('/control/kill', TOKEN);
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.body)).toEqual({ error: 'not proven', ...result });
  });

  it('tells in the words of the daemon what its state does not allow', async () => {
    await start({
      token: TOKEN,
      kill: () =>
        Promise.reject(Object.assign(new Error('the daemon is killing'), { statusCode: 409 })),
    });
    const { status, body } = await control('/control/kill', TOKEN);
    expect([status, JSON.parse(body)]).toEqual([409, { error: 'the daemon is killing' }]);
  });

  it('keeps the text of an error inside', async () => {
    const kill = (): Promise<ControlKillResult> => Promise.reject(new Error(`key ${TOKEN}`));
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

  it('is never reached by reading', async () => {
    await start({ token: TOKEN });
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await call('/control/kill', { headers })).status).toBe(404);
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

describe('names under which the server may be called', () => {
  it.each(['evil.example', 'evil.example:9464', 'localhost.evil.example', 'a b'])(
    'refuses %j, since a page could have rebound it',
    async (host) => {
      await start({ token: TOKEN, view: stateView() });
      const answer = await call('/api/state', { headers: { host } });
      expect([400, 403]).toContain(answer.status);
      expect(answer.body).not.toContain('markets');
    },
  );

  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1:9464', '[::1]:9464', '10.0.0.7', 'bookend:9464'])(
    'takes %s',
    async (host) => {
      await start({ view: stateView(), allowedHosts: ['bookend'] });
      expect((await call('/api/state', { headers: { host } })).status).toBe(200);
    },
  );

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
    await start();
    const options = {
      host: '127.0.0.1',
      port,
      allowedHosts: [],
      controlToken: undefined,
      clock: { nowMs: () => unixMs(0) },
      metrics: createMetrics({ view: () => undefined, version: '0.0.0' }),
      view: () => undefined,
      lastTickAtMs: () => undefined,
      controls: {
        kill: async () => PROVEN,
        pause: () => {},
        resume: () => {},
        sets: async () => await Promise.reject(new Error('not asked here')),
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

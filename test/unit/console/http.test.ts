// The page, its stream and its history, as the real server gives them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import { Console } from '../../../src/console/console.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { StateBoard } from '../../../src/telemetry/board.ts';
import { type HttpServer, startHttp } from '../../../src/telemetry/http.ts';
import { marketView, stateView } from '../telemetry/views.ts';

const PAGE = join(import.meta.dirname, '../../../src/console/page');
const TOKEN = 'a-control-token-of-this-test';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const HOSTILE = '</script><img src=x onerror=alert(1)>\u2028\n\nevent: head\ndata: {}\n\n';

/** What the trader was asked to tell more often. */
const looked: (readonly string[])[] = [];
let server: HttpServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
  looked.length = 0;
});

async function start() {
  const clock = systemClock();
  const board = new StateBoard(clock.steady());
  const page = new Console({
    ...{ clock, timers: clock.background, pulse: () => board.pulse() },
    onLook: (marketIds) => looked.push(marketIds),
  });
  const unused = async () => await Promise.resolve({ status: 200, body: {} });
  server = await startHttp({
    ...{ host: '127.0.0.1', port: 0, allowedHosts: [], clock, timers: clock.background },
    ...{ board, console: page, controlToken: new Secret(TOKEN), journal: '/data/bookend.db' },
    operator: {
      kill: unused,
      pause: unused,
      resume: unused,
      ofMarket: unused,
      sets: unused,
      preview: unused,
      config: unused,
      edit: unused,
    },
  });
  return { page, address: server.address };
}

/** The text of a stream until it has a part. */
async function until(response: Response, part: string): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(part)) break;
  }
  return text;
}

describe('the page', () => {
  it('comes with a policy that allows its own origin alone, and nothing inline', async () => {
    const { address } = await start();
    const response = await fetch(`${address}/`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('names no other host, and has no script, style or handler in its markup', async () => {
    const { address } = await start();
    const html = await (await fetch(`${address}/`)).text();
    expect(html).not.toMatch(/https?:|\sstyle=|\son\w+=|<style/);
    expect([...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="module" src="/console/main.js">',
    ]);
  });

  it('gets every file that it and its modules ask for', async () => {
    const { address } = await start();
    const html = await (await fetch(`${address}/`)).text();
    const wanted = new Set([...html.matchAll(/"\/console\/([^"]+)"/g)].map(([, name]) => name));
    for (const name of readdirSync(PAGE).filter((each) => each.endsWith('.js'))) {
      const text = readFileSync(join(PAGE, name), 'utf8');
      for (const [, file] of text.matchAll(/from '\.\/([^']+)'/g)) wanted.add(file);
    }
    expect(wanted.size).toBeGreaterThan(15);
    for (const name of wanted) {
      expect((await fetch(`${address}/console/${name}`)).status, name).toBe(200);
    }
  });

  it('has no file but its own', async () => {
    const { address } = await start();
    for (const name of ['..%2f..%2fmain.ts', '%2e%2e/files.ts', 'files.ts', 'nothing.js', '']) {
      expect((await fetch(`${address}/console/${name}`)).status, name).toBe(404);
    }
  });

  it('makes text of strings and never markup', () => {
    const scripts = readdirSync(PAGE).filter((name) => name.endsWith('.js'));
    const making = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b/;
    const wrong = scripts.filter((name) => making.test(readFileSync(join(PAGE, name), 'utf8')));
    expect(scripts.length).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  });
});

describe('the stream', () => {
  it('is for those with the token or a session, and for no page of another site', async () => {
    const { address } = await start();
    const url = `${address}/api/stream`;
    expect((await fetch(url)).status).toBe(401);
    const evil = { ...BEARER, origin: 'http://evil.example' };
    expect((await fetch(url, { headers: evil })).status).toBe(403);
    const session = await fetch(`${address}/session`, { method: 'POST', headers: BEARER });
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
    const response = await fetch(url, { headers: { cookie } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await until(response, 'pulse')).toContain('event: pulse\ndata: {"status":"starting"}');
  });

  it('tells what the trader says, and a hostile text is one line of data', async () => {
    const { address, page } = await start();
    const { markets: _, ...head } = stateView();
    page.apply({ kind: 'order', marketIds: ['a'] });
    const response = await fetch(`${address}/api/stream`, { headers: BEARER });
    page.apply({ kind: 'head', json: JSON.stringify({ ...head, phaseReason: HOSTILE }) });
    const hostile = { ...marketView('a'), marketId: 'a', title: HOSTILE };
    page.apply({ kind: 'market', marketId: 'a', json: JSON.stringify(hostile) });
    const text = await until(response, 'event: markets');
    const data = text.split('\n').filter((line) => line.startsWith('data: '));
    const names = text.split('\n').filter((line) => line.startsWith('event: '));
    expect(names.filter((name) => name === 'event: head')).toHaveLength(1);
    const told = data.map((line) => JSON.parse(line.slice('data: '.length)));
    expect(told.find((each) => each.phase === 'quoting')).toMatchObject({ phaseReason: HOSTILE });
    expect(told.at(-1)).toMatchObject([{ title: HOSTILE }]);
  });
});

describe('the history', () => {
  it('is of a market or of the account, and of nothing else', async () => {
    const { address, page } = await start();
    const get = async (query: string) => {
      const response = await fetch(`${address}/api/history${query}`, { headers: BEARER });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    page.apply({ kind: 'market', marketId: 'a', json: JSON.stringify(marketView('a')) });
    expect(await get('?market=a')).toMatchObject({ status: 200, body: { mid: [0.5] } });
    expect(await get('')).toMatchObject({ status: 200, body: { at: [] } });
    expect(looked).toEqual([['a']]);
    expect((await get('?market=b')).status).toBe(404);
    expect((await get('?market=a&market=b')).status).toBe(400);
    expect((await fetch(`${address}/api/history`)).status).toBe(401);
  });
});

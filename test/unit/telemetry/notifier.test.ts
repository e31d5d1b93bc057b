import { createSocket } from 'node:dgram';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { REPORT_SEVERITY } from '../../../src/domain/report.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { createLog, type Log } from '../../../src/telemetry/logs.ts';
import { withNotices } from '../../../src/telemetry/notices.ts';
import { Notifier, type NotifierOptions } from '../../../src/telemetry/notifier.ts';
import { REAL_TIME } from '../../support/http-double-fixtures.ts';

type Post = { readonly path: string; readonly body: Record<string, unknown> };
const KEY = 'T0-very-secret-part-of-an-address';

const open: Server[] = [];
const made: Notifier[] = [];
afterEach(async () => {
  for (const each of made.splice(0)) each.stop();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A chat that answers with these in turn, the last one for ever; 0 is no answer at all. */
async function chat(...statuses: number[]): Promise<{ url: Secret; posts: Post[] }> {
  const posts: Post[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      posts.push({ path: request.url ?? '', body: JSON.parse(text) as Post['body'] });
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      if (status) response.writeHead(status).end('ok');
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: Secret.ofAddress(`http://127.0.0.1:${port}/hook/${KEY}`), posts };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

type Failure = { readonly place: number; readonly detail: string };

function notifying(urls: readonly Secret[], over: Partial<NotifierOptions> = {}) {
  const failures: Failure[] = [];
  const notifier = new Notifier({
    ...{ urls, clock: REAL_TIME, timers: REAL_TIME, timeoutMs: 100, pausesMs: [5, 5] },
    onFailed: (failure) => failures.push(failure),
    ...over,
  });
  made.push(notifier);
  const lines: string[] = [];
  const plain = createLog({
    level: 'error',
    format: 'json',
    sink: { write: (line) => lines.push(line) },
  });
  const log: Log = withNotices(plain, (notice) => notifier.send(notice));
  return { notifier, log, failures, lines };
}

describe('somebody without Prometheus', () => {
  it('hears at the other addresses where no request can be made of one', async () => {
    const { url, posts } = await chat(200);
    const wrong = Secret.ofAddress('http://me:50%off@127.0.0.1:9/x');
    const { notifier, log, failures } = notifying([wrong, url], { timeoutMs: 5_000 });
    log.error('guard.kill');
    await notifier.flush(2_000);
    log.error('guard.trader_died', { reason: 'exit', detail: 'x' });
    await notifier.flush(2_000);
    expect(posts).toHaveLength(2);
    expect(failures).toEqual([1, 2].map(() => ({ place: 1, detail: 'URIError' })));
  });

  it.each([
    ['a kill', { from: 'quoting', to: 'killing', reason: 'operator' }, 'KILL'],
    ['a halt', { from: 'quoting', to: 'halted', reason: 'day_loss' }, 'HALTED'],
  ] as const)(
    'is notified of %s in words, whatever the level of the log',
    async (_, phase, word) => {
      const { url, posts } = await chat(200);
      // The first request of a process on a busy machine takes longer than those behind it.
      const { notifier, log, lines } = notifying([url], { timeoutMs: 2_000 });
      log.report({ event: 'phase.changed', ...phase });
      await notifier.flush(2_000);
      expect(lines).toEqual([]);
      expect(posts).toHaveLength(1);
      expect(posts[0]?.body).toMatchObject({ event: 'phase.changed', repeats: 0 });
      expect(posts[0]?.body['text']).toContain(word);
      expect(posts[0]?.body['content']).toBe(posts[0]?.body['text']);
    },
  );

  it('is notified of a death by the watchdog, at every address', async () => {
    const [one, other] = [await chat(200), await chat(204)];
    const { notifier, log } = notifying([one.url, other.url]);
    log.error('guard.trader_died', { reason: 'signal', detail: 'SIGKILL' });
    await notifier.flush(2_000);
    expect(one.posts[0]?.body['text']).toContain('DEATH: the trader died (signal, SIGKILL)');
    expect(other.posts).toHaveLength(1);
  });

  it('is notified of a kill that the venue has not confirmed', async () => {
    const { url, posts } = await chat(200);
    const { notifier, log } = notifying([url]);
    const [event] = Object.keys(REPORT_SEVERITY).filter((name) => /^kill\.un/.test(name));
    log.error(String(event), { stillOpen: 2, detail: 'the list cannot be read' });
    await notifier.flush(2_000);
    expect(posts[0]?.body['text']).toContain('NOT CONFIRMED: 2 orders may rest');
  });

  it.each(['latch.failed', 'guard.latch_failed'])(
    'is told that a kill is on no disk: %s',
    async (event) => {
      const { url, posts } = await chat(200);
      const { notifier, log } = notifying([url]);
      log.error(event, { detail: 'ENOSPC' });
      await notifier.flush(2_000);
      expect(posts[0]?.body['text']).toContain('A kill is on no disk');
    },
  );

  it('is not told what is no kill, halt or death', async () => {
    const { url, posts } = await chat(200);
    const { notifier, log } = notifying([url]);
    log.report({ event: 'phase.changed', from: 'starting', to: 'quoting', reason: 'ready' });
    log.warn('settings.refused', {});
    await notifier.flush(500);
    expect(posts).toEqual([]);
  });

  it('gets a notice that failed at first, and one of a death that repeats itself', async () => {
    const { url, posts } = await chat(503, 200);
    const { notifier, log, failures } = notifying([url]);
    for (let death = 0; death < 100; death += 1) log.error('guard.trader_died', { reason: 'exit' });
    await notifier.flush(2_000);
    expect(posts).toHaveLength(2);
    expect(failures).toEqual([]);
  });

  it('is told at once what an event says anew, a few times', async () => {
    const { url, posts } = await chat(200);
    const { notifier, log } = notifying([url]);
    for (const limit of ['market_loss', 'market_loss', 'account_loss', 'day_loss', 'drawdown']) {
      log.report({ event: 'risk.halted', limit, detail: 'beyond it' });
    }
    await notifier.flush(2_000);
    const texts = posts.map(({ body }) => /HALT by (\w+)/.exec(String(body['text']))?.[1]);
    expect(texts).toEqual(['market_loss', 'account_loss', 'day_loss']);
    expect(posts.map(({ body }) => body['repeats'])).toEqual([0, 0, 0]);
  });

  it('is told in the end of a halt that followed the resume of another one', async () => {
    const { url, posts } = await chat(200);
    const clock = new VirtualClock({ startMs: Date.parse('2026-11-30T00:00:00Z') });
    const { notifier, log } = notifying([url], { clock, timers: clock });
    const halt = () =>
      log.report({ event: 'phase.changed', from: 'quoting', to: 'halted', reason: 'day_loss' });
    halt();
    clock.advance(20_000);
    halt();
    clock.advance(5_000);
    halt();
    await notifier.flush(2_000);
    expect(posts.map(({ body }) => body['at'])).toEqual(['2026-11-30T00:00:00.000Z']);
    clock.advance(3_600_000);
    await notifier.flush(2_000);
    const told = posts.map(({ body: { at, repeats } }) => ({ at, repeats }));
    expect(told.slice(1)).toEqual([{ at: '2026-11-30T00:00:25.000Z', repeats: 1 }]);
    // By now somebody may have resumed it: it says of when it is.
    const texts = posts.map(({ body }) => String(body['text']));
    expect(texts[0]).not.toContain('2026-11-30');
    expect(texts[1]).toMatch(/day_loss\), at 2026-11-30T00:00:25.000Z \(and 1 times before\)$/);
  });

  it('is called by no text of a strategy, misled by no address behind a word, and shown all of it', async () => {
    const { url, posts } = await chat(200);
    const { notifier, log } = notifying([url]);
    const hostile = `@everyone <!channel> <@U1> <http://a.example|ok> [log in](http://a.example)\n\u202e\u001b[2J`;
    log.error('guard.trader_died', { reason: 'failed', detail: hostile });
    await notifier.flush(2_000);
    const text = String(posts[0]?.body['text']);
    expect(text).not.toMatch(/[<>@]|\]\(|[\p{Cc}\p{Cf}]/u);
    expect(text).toContain(
      'everyone ‹!channel› ‹＠U1› ‹http://a.example|ok› [log in] (http://a.example)',
    );
    expect(text).toContain('\\u202e');
  });

  it('reads no secret of the venue', async () => {
    const { url, posts } = await chat(200);
    const { notifier, log } = notifying([url]);
    const secret = new Secret('a-key-that-the-venue-repeats');
    log.report({ event: 'risk.halted', limit: 'x', detail: `refused ${secret.reveal()}` });
    await notifier.flush(2_000);
    expect(JSON.stringify(posts)).toContain('[secret]');
    expect(JSON.stringify(posts)).not.toContain(secret.reveal());
  });
});

describe('an address that does not answer', () => {
  it('delays nobody, is given up within its bounds, and is named by its place alone', async () => {
    const [dead, good] = [await chat(0), await chat(200)];
    const { notifier, log, failures } = notifying([dead.url, good.url]);
    const beganMs = performance.now();
    log.report({ event: 'phase.changed', from: 'quoting', to: 'killing', reason: 'operator' });
    expect(performance.now() - beganMs).toBeLessThan(50);
    await notifier.flush(2_000);
    expect(good.posts).toHaveLength(1);
    expect(dead.posts).toHaveLength(3);
    expect(failures).toEqual([{ place: 1, detail: 'no answer in 100 ms' }]);
  });

  it('is not waited for at the end of a process', async () => {
    const { url } = await chat(0);
    const { notifier, log } = notifying([url], { timeoutMs: 60_000 });
    log.error('guard.staying_down', { why: 'x' });
    const beganMs = performance.now();
    await notifier.flush(50);
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });

  it('keeps the latest twenty notices and no more', async () => {
    const { url, posts } = await chat(0, 200);
    let nowMs = 0;
    const clock = {
      ...REAL_TIME,
      nowMs: () => {
        nowMs += 60_000;
        return unixMs(nowMs);
      },
    };
    const { notifier, log } = notifying([url], { clock, pausesMs: [] });
    for (let death = 0; death < 50; death += 1)
      log.error('guard.trader_died', { reason: 'exit', death });
    await notifier.flush(3_000);
    expect(posts).toHaveLength(20);
    expect(posts.at(-1)?.body['fields']).toMatchObject({ death: 49 });
  });

  it.each([404, 410])('and one that answers %i is not asked again', async (status) => {
    const { url, posts } = await chat(status);
    const { notifier, log, failures } = notifying([url]);
    log.error('guard.staying_down', { why: 'x' });
    await notifier.flush(2_000);
    expect(posts).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain(KEY);
    expect(failures).toEqual([{ place: 1, detail: `HTTP ${status}` }]);
  });

  it('is not there: the code of the system says so, without the address', async () => {
    const { notifier, log, failures } = notifying([Secret.ofAddress(`http://127.0.0.1:1/${KEY}`)]);
    log.error('guard.staying_down', { why: 'x' });
    await notifier.flush(2_000);
    expect(failures).toEqual([{ place: 1, detail: 'ECONNREFUSED' }]);
  });

  it('whose name no server answers for keeps no thread, by which the end of the process would wait', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    const asked = new Promise((resolve) => silent.once('message', resolve));
    const nameServers = [`127.0.0.1:${silent.address().port}`];
    const urls = [Secret.ofAddress(`http://chat.example/${KEY}`)];
    const { notifier, log } = notifying(urls, { nameServers, timeoutMs: 60_000 });
    log.error('guard.staying_down', { why: 'x' });
    await asked;
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    notifier.stop();
    await notifier.flush(2_000);
    silent.close();
  });

  it('is found by the file of hosts, too', async () => {
    const { url, posts } = await chat(200);
    const named = new Secret(url.reveal().replace('127.0.0.1', 'localhost'));
    const { notifier, log } = notifying([named], { timeoutMs: 3_000 });
    log.error('guard.staying_down', { why: 'x' });
    await notifier.flush(4_000);
    expect(posts).toHaveLength(1);
  });
});

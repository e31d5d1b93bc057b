// An alert reaches people: Debian's Alertmanager with our routes and messages, and small doubles of the four that it tells.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/processes.ts';
import { freeAddress, openReceivers, type Receivers } from '../support/receivers.ts';

const START = join(ROOT, 'ops/alertmanager/start');
const runs = (name: string) => spawnSync(name, ['--version']).status === 0;
/** Debian's reads its own templates there, and does not start without them. */
const DEBIANS = '/usr/share/prometheus/alertmanager/default.tmpl';
const IS_HERE = runs('alertmanager') || (runs('prometheus-alertmanager') && existsSync(DEBIANS));
if (!IS_HERE) console.warn('SKIPPED: Alertmanager is not installed, so that no alert is delivered');

type Rule = {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
};
const RULES = (
  parse(readFileSync(join(ROOT, 'ops/prometheus/alerts.yml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  }
).groups.flatMap(({ rules }) => rules);

/** An alert as Prometheus hands it over. */
function raised(name: string, target: Readonly<Record<string, string>>) {
  const rule = RULES.find(({ alert }) => alert === name);
  if (rule === undefined) throw new Error(`${name}: there is no such alert`);
  const { labels, annotations } = rule;
  return { labels: { alertname: name, ...labels, ...target }, annotations };
}

const TARGET = { job: 'bookend', instance: 'here:9464' };
const DOWN = raised('BookendDown', TARGET);
/** As where a market or an instance is called like that. */
const HOSTILE = {
  ...DOWN,
  annotations: {
    ...DOWN.annotations,
    summary: `${DOWN.annotations['summary']} <!channel>\n@here [log in](http://a.example)`,
  },
};

describe.skipIf(!IS_HERE)('Alertmanager', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bookend-alertmanager-'));
  let receivers: Receivers | undefined;
  let child: ChildProcess | undefined;
  let api = '';
  const posted = (path: string) => (receivers?.posted ?? []).filter((one) => one.path === path);

  beforeAll(async () => {
    receivers = await openReceivers();
    const address = await freeAddress();
    api = `http://${address}/api/v2/alerts`;
    const options = [`--web.listen-address=${address}`, `--storage.path=${folder}`];
    child = spawn(START, [...options, '--cluster.listen-address='], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], TMPDIR: folder, ...told(receivers) },
    });
    await vi.waitFor(async () => expect((await fetch(api)).status).toBe(200), { timeout: 30_000 });
    const alerts = [raised('BookendWatchdog', {}), HOSTILE, raised('BookendTraderDied', TARGET)];
    const sent = await fetch(api, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    });
    expect(sent.status).toBe(200);
    const all = () => expect([posted('/slack'), posted('/hook'), posted('/bot1:a/sendMessage')]);
    await vi.waitFor(() => all().toEqual([[one], [one], [one]]), { timeout: 30_000 });
    await vi.waitFor(() => expect(receivers?.mails).toHaveLength(1), { timeout: 30_000 });
  });
  const one = expect.objectContaining({ body: expect.any(String) });

  afterAll(() => {
    child?.kill('SIGKILL');
    receivers?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('tells Slack, Telegram, mail and a webhook of a page, each in words to act on', () => {
    const slack = JSON.parse(posted('/slack')[0]?.body ?? '{}').attachments[0];
    const telegram = JSON.parse(posted('/bot1:a/sendMessage')[0]?.body ?? '{}');
    const mail = unfolded(receivers?.mails[0] ?? '');
    const hook = JSON.parse(posted('/hook')[0]?.body ?? '{}').alerts[0].annotations;
    const { summary, effect, action, runbook_url: runbook } = DOWN.annotations;
    const texts = [slack.text, telegram.text, mail, Object.values(hook).join('\n')];
    for (const text of texts)
      for (const part of [summary, effect, action, runbook]) expect(text).toContain(part);
    for (const text of texts.slice(0, 3))
      expect(text).toContain(`${summary} ‹!channel› ＠here [log in] (http://a.example)`);
    const title = 'PAGE: BookendDown on here:9464';
    expect([slack.title, telegram.text.split('\n')[0]]).toEqual([title, title]);
    expect(mail).toContain(`Subject: ${title}`);
    expect([telegram.chat_id, telegram.parse_mode ?? '']).toEqual(['-7', '']);
  });

  it('tells the dead man’s switch that it delivers, and nobody else', async () => {
    await vi.waitFor(() => expect(posted('/watchdog').length).toBeGreaterThan(0));
    expect(posted('/watchdog')[0]?.body).toContain('BookendWatchdog');
    const others = receivers?.posted.filter(({ path }) => path !== '/watchdog') ?? [];
    expect(others.filter(({ body }) => body.includes('BookendWatchdog'))).toEqual([]);
  });

  it('holds back the ticket of a daemon that is down', async () => {
    const listed = (await (await fetch(api)).json()) as readonly {
      readonly labels: { readonly alertname: string };
      readonly status: { readonly state: string };
    }[];
    const states = listed.map(({ labels, status }) => [labels.alertname, status.state]);
    expect(Object.fromEntries(states)).toEqual({
      BookendWatchdog: 'active',
      BookendDown: 'active',
      BookendTraderDied: 'suppressed',
    });
  });
});

describe('receivers that are set by halves', () => {
  it.each([
    [{ BOOKEND_ALERT_TELEGRAM_TOKEN: '1:a' }, 'BOOKEND_ALERT_TELEGRAM_CHAT is not'],
    [
      { BOOKEND_ALERT_TELEGRAM_TOKEN: '1:a', BOOKEND_ALERT_TELEGRAM_CHAT: 'us' },
      'BOOKEND_ALERT_TELEGRAM_CHAT is a number, like -1001234567890, not us',
    ],
    [{ BOOKEND_ALERT_MAIL_TO: 'a@b.c' }, 'BOOKEND_ALERT_MAIL_FROM is not'],
    [{ BOOKEND_ALERT_SLACK_URL: 'a\nb' }, 'more than one line'],
  ])('are refused by name: %j', (env, words) => {
    const { status, stderr } = printed(env);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  it('are no fault when none is set, and the log says that nobody is told', () => {
    const { status, stdout, stderr } = printed({});
    expect([status, stderr]).toEqual([0, expect.stringContaining('nobody is told')]);
    expect(parse(stdout).receivers.map(({ name }: { name: string }) => name)).toEqual([
      'pages',
      'tickets',
      'watchdog',
    ]);
  });

  it('reach the configuration as they are, quotes and dollars too', () => {
    const url = `http://a.test/it's "$HOME" \\n`;
    const { stdout } = printed({ BOOKEND_ALERT_WEBHOOK_URL: url });
    expect(parse(stdout).receivers[0].webhook_configs[0].url).toBe(url);
  });
});

function printed(env: Readonly<Record<string, string>>) {
  return spawnSync(START, ['print'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
}

function told({ http, smtp }: Receivers): Readonly<Record<string, string>> {
  return {
    BOOKEND_ALERT_SLACK_URL: `${http}/slack`,
    BOOKEND_ALERT_TELEGRAM_API: http,
    BOOKEND_ALERT_TELEGRAM_TOKEN: '1:a',
    BOOKEND_ALERT_TELEGRAM_CHAT: '-7',
    BOOKEND_ALERT_MAIL_TO: 'a@example.org',
    BOOKEND_ALERT_MAIL_FROM: 'b@example.org',
    BOOKEND_ALERT_SMTP_HOST: smtp,
    BOOKEND_ALERT_SMTP_TLS: 'false',
    BOOKEND_ALERT_WEBHOOK_URL: `${http}/hook`,
    BOOKEND_ALERT_WATCHDOG_URL: `${http}/watchdog`,
  };
}

/** Quoted-printable made plain. */
function unfolded(mail: string): string {
  const lines = mail.replaceAll('=\r\n', '');
  return lines.replaceAll(/(?:=[0-9A-F]{2})+/g, (codes) =>
    Buffer.from(codes.replaceAll('=', ''), 'hex').toString('utf8'),
  );
}

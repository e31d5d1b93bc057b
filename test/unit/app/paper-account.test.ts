// The play account that a paper run leaves for the commands of a second terminal.

import { statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leaveAccount, paperAccount } from '../../../src/app/paper-account.ts';

const FACTS = {
  baseUrl: 'http://127.0.0.1:39999/api',
  wsUrl: 'ws://127.0.0.1:39999/ws',
  account: { apiKey: 'k', apiSecret: 's', apiPassphrase: 'p' },
  eventSlugs: [],
  isRecorded: false,
};

let folder = '';
const configured = (baseUrl = 'http://127.0.0.1:8787/api', name = 'paper.db') => ({
  venue: { baseUrl },
  journal: { path: join(folder, name) },
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-account-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

it('leads from the configuration to where the embedded venue listens, and to its account', async () => {
  const file = await leaveAccount(FACTS, configured());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const found = paperAccount(configured('http://127.0.0.1:8787/api/'));
  expect(found?.venue).toEqual({ baseUrl: FACTS.baseUrl, wsUrl: FACTS.wsUrl });
  expect(found?.credentials.apiKey.reveal()).toBe('k');
});

it('is not taken for the account of another venue, or of another journal', async () => {
  await leaveAccount(FACTS, configured());
  expect(paperAccount(configured('https://venue.example/api'))).toBeUndefined();
  expect(paperAccount(configured(undefined, 'other.db'))).toBeUndefined();
});

it('is none where no paper run left one, or where what it left is broken', async () => {
  expect(paperAccount(configured())).toBeUndefined();
  writeFileSync(await leaveAccount(FACTS, configured()), '{"apiKey":"k"');
  expect(paperAccount(configured())).toBeUndefined();
});

it('that no disk takes is told in words, as a journal that cannot be written', async () => {
  writeFileSync(join(folder, 'file'), '');
  const left = leaveAccount(FACTS, configured(undefined, 'file/run.db'));
  await expect(left).rejects.toMatchObject({ code: 'journal.write' });
});

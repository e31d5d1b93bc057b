// Where the process that serves HTTP has its socket for the trader.

import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { folderIn, HttpParent } from '../../../src/app/http-parent.ts';
import { VirtualClock } from '../../../src/clock/virtual.ts';
import { PartDouble } from '../../support/part-double.ts';

const folder = mkdtempSync(join(tmpdir(), 'bookend-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('has it in the first place that takes a folder', () => {
  const made = folderIn([join(folder, 'none'), folder], join(folder, 'data'));
  expect(dirname(made)).toBe(folder);
  expect(statSync(made).mode & 0o777).toBe(0o700);
});

it('has it in no place from which its path would be longer than that of a socket may be', () => {
  const place = join(folder, 'x'.repeat(100));
  mkdirSync(place);
  const made = folderIn([place, folder], join(folder, 'data'));
  expect(dirname(made)).toBe(folder);
});

it('has it beside the journal where a container may write nowhere else', () => {
  const beside = join(folder, 'data');
  const made = folderIn([join(folder, 'none'), '/proc'], beside);
  expect(dirname(made)).toBe(beside);
  expect(statSync(beside).mode & 0o777).toBe(0o700);
});

it('says that the journal cannot be written where nothing can', () => {
  writeFileSync(join(folder, 'file'), '');
  const beside = join(folder, 'file', 'data');
  expect(() => folderIn([], beside)).toThrow(`${beside} (ENOTDIR)`);
});

it('looks at the configuration once, however often its process begins', async () => {
  const parts: PartDouble[] = [];
  const looks: string[] = [];
  const clock = new VirtualClock();
  const parent = new HttpParent({
    ...{ http: { host: '127.0.0.1', port: 0, allowedHosts: [] }, env: {}, timers: clock },
    ...{ configFile: join(folder, 'run.yaml'), journal: join(folder, 'run.db') },
    ...{ controlToken: undefined, proofMsMax: 1_000, log: { warn: () => {}, error: () => {} } },
    start: () => {
      const part = new PartDouble();
      parts.push(part);
      return part;
    },
    readsOf: ({ configFile }) => {
      looks.push(configFile);
      return [configFile];
    },
  });
  await vi.waitFor(() => expect(parts).toHaveLength(1));
  parts[0]?.end({ code: null, signal: 'SIGKILL' });
  await vi.waitFor(() => {
    clock.advance(1_000);
    expect(parts).toHaveLength(2);
  });
  expect(looks).toEqual([join(folder, 'run.yaml')]);
  parent.close();
});

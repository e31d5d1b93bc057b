// Where the process that serves HTTP has its socket for the trader.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

it.each(['gone', "somebody else's, or open to others"])(
  'has its process listen again where the socket is gone and its folder is %s',
  async (what) => {
    const parts: PartDouble[] = [];
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
      readsOf: () => [],
    });
    await vi.waitFor(() => expect(parts).toHaveLength(1));
    writeFileSync(parent.path, '');
    const look = async () => {
      parts[0]?.say({ kind: 'beat' });
      clock.advance(5_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    };
    for (let count = 0; count < 3; count += 1) await look();
    expect(parts[0]?.signals).toEqual([]);
    rmSync(dirname(parent.path), { recursive: true });
    if (what !== 'gone') {
      mkdirSync(dirname(parent.path));
      chmodSync(dirname(parent.path), 0o755);
    }
    for (let count = 0; count < 3; count += 1) await look();
    if (what !== 'gone') expect(parts[0]?.signals).toEqual([]);
    else {
      expect(parts[0]?.signals[0]).toBe('SIGKILL');
      expect(statSync(dirname(parent.path)).mode & 0o777).toBe(0o700);
    }
    parent.close();
  },
);

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

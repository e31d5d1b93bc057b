// Files on a disk that hangs: what they hold of the process has a bound.

import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/system.ts';
import type { FeedChoice } from '../../../src/domain/feed.ts';
import { unixMs } from '../../../src/domain/time.ts';
import { readFileSource } from '../../../src/feeds/file-source.ts';
import { eventually } from '../../support/processes.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const clock = systemClock();

type Look = NonNullable<Parameters<typeof readFileSource>[1]>;

function sourceOf(from: string, look: Look, texts: string[]) {
  const choice: FeedChoice = {
    ...{ name: from, target: { kind: 'event', event: 'match', market: undefined }, from },
    ...{ fields: { price: '/price', uncertainty: undefined, time: undefined }, only: undefined },
    ...{ subscribe: undefined, pollMs: 20, timeoutMs: 500, ageMsMax: 5_000, jumpMax: 0.2 },
    ...{ jumpReadings: 3, auth: undefined },
  };

  const sink = {
    onText: () => void texts.push(from),
    onFailure: () => {},
    onTrouble: () => {},
    isRefused: () => true,
  };

  const lookup = () => {};
  const tools = {
    choice,
    clock,
    timers: clock,
    fromTimeOfDay: unixMs,
    random: () => 0,
    lookup,
    sink,
  };

  return readFileSource(tools, look);
}

it('hold two threads at the most, and other folders are read meanwhile', async () => {
  const folder = tempFolder('feeds');
  mkdirSync(`${folder}/hung`);
  let goOn = (): void => {};
  const disk = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let hanging = 0;
  let hangingMax = 0;
  const texts: string[] = [];
  const found = { signature: '1', statement: '0.4', changedAtMs: 0 };
  const look = async (file: string) => {
    if (!file.includes('hung')) return found;
    hanging += 1;
    hangingMax = Math.max(hanging, hangingMax);
    await disk;
    hanging -= 1;
    return found;
  };
  const hung = [1, 2, 3, 4].map((name) => sourceOf(`${folder}/hung/${name}`, look, texts));
  const well = sourceOf(`${folder}/well`, look, texts);
  try {
    await eventually('reads beside it', () => (texts.length > 3 ? true : undefined));
    expect(new Set(texts)).toEqual(new Set([`${folder}/well`]));
    const others = [5, 6, 7].map((name) => sourceOf(`${folder}/hung${name}/price`, look, texts));
    await sleep(100);
    expect(hangingMax).toBe(2);
    goOn();
    await eventually('reads of all', () => (new Set(texts).size === 8 ? true : undefined));
    for (const source of others) source.stop();
  } finally {
    for (const source of [well, ...hung]) source.stop();
  }
});

it('on one disk hold one thread in whatever folders they are, once the disk has answered', async () => {
  const folder = tempFolder('feeds');
  let goOn = (): void => {};
  const disk = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let hanging = 0;
  let isHung = false;
  const texts: string[] = [];
  const look: Look = async (file) => {
    const found = { signature: '1', statement: '0.4', changedAtMs: 0 };
    if (!file.includes('far')) return { ...found, disk: 1 };
    if (isHung) hanging += 1;
    if (isHung) await disk;
    return { ...found, disk: 2 };
  };
  const froms = [1, 2, 3].map((name) => `${folder}/far${name}/price`);
  const sources = [...froms, `${folder}/near`].map((from) => sourceOf(from, look, texts));
  try {
    await eventually('reads of all', () => (new Set(texts).size === 4 ? true : undefined));
    isHung = true;
    await eventually('a disk that hangs', () => (hanging > 0 ? true : undefined));
    await sleep(100);
    expect(hanging).toBe(1);
    texts.length = 0;
    await eventually('reads beside it', () => (texts.length > 3 ? true : undefined));
  } finally {
    goOn();
    for (const source of sources) source.stop();
  }
});

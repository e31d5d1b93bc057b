// The commands of the runbook as they stand there, against a daemon that quotes at the embedded venue: a page that people
// read at three in the morning must not lie.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CONTROL_TOKEN, type LiveDaemon } from '../support/live-daemon.ts';
import { ROOT } from '../support/processes.ts';
import { it, type Scene } from '../support/scene.ts';

const PAGE = readFileSync(join(ROOT, 'ops/RUNBOOK.md'), 'utf8');
const COMMANDS = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  String(block)
    .split('\n')
    .filter((line) => line !== ''),
);
/** What the page shows in a line of its text: `bookend check --config new.yaml`. */
const NAMED = [...PAGE.matchAll(/`bookend (\w+)[^`]*`/g)].map(([, name]) => String(name));

const ADDRESS = 'http://127.0.0.1:9464';

function portOf(daemon: LiveDaemon): number {
  return Number(new URL(daemon.address).port);
}

/** @returns The exit code of a command, or the status of an answer. */
async function run(scene: Scene, daemon: LiveDaemon, line: string): Promise<unknown> {
  if (line.startsWith('curl ')) return await asked(daemon, line);
  const [program, ...args] = line.split(' ');
  expect(program).toBe('bookend');
  expect(args.slice(-2)).toEqual(['--config', 'F']);
  const command = scene.command(...args.slice(0, -2));
  const { code } = await command.ended;
  return code === 0 ? 0 : `${code}: ${command.stdout()} ${command.stderr()}`;
}

/** What curl would do. */
async function asked(daemon: LiveDaemon, line: string): Promise<number> {
  const [, method = '', name = '', value = '', path = ''] =
    /^curl -X (\w+) -H "([\w-]+): ([^"]+)" http:\/\/127\.0\.0\.1:9464(\/\S+)$/.exec(line) ?? [];
  const headers = { [name]: value.replace('$BOOKEND_CONTROL_TOKEN', CONTROL_TOKEN) };
  return (await fetch(`${daemon.address}${path}`, { method, headers })).status;
}

describe('a command of the runbook', () => {
  it('does what the page says, in the order of an emergency after the start', async ({ scene }) => {
    const daemon = await scene.quoting();
    await scene.listenAt(portOf(daemon));
    const isLook = (line: string) => /bookend (check|markets|status) /.test(line);
    const looks = COMMANDS.filter(isLook);
    const acts = COMMANDS.filter((line) => !isLook(line));
    expect(looks).toHaveLength(3);
    expect(acts.length).toBeGreaterThanOrEqual(4);
    for (const line of [...looks, ...acts]) {
      const expected = line.includes(ADDRESS) ? 202 : 0;
      expect([line, await run(scene, daemon, line)]).toEqual([line, expected]);
      if (line.includes('kill')) expect(await scene.venue.openOrders()).toEqual([]);
    }
  });

  it('is one that the program has', async ({ scene }) => {
    const help = scene.command('--help');
    await help.ended;
    const known = [...help.stdout().matchAll(/^ {2}(\w+)/gm)].map(([, name]) => String(name));
    expect(known.length).toBeGreaterThan(10);
    expect([...new Set(NAMED)].filter((name) => !known.includes(name))).toEqual([]);
  });
});

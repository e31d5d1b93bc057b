// Completion is made of the commands themselves; bash runs its script here, since it is everywhere.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const run = promisify(execFile);

async function bookend(args: readonly string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await runCli(args, { stdout, stderr, env: {} });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

/** Names as the help lists them, of the program or of one command. */
async function helpOf(args: readonly string[], line: RegExp): Promise<readonly string[]> {
  const { stdout } = await bookend([...args, '--help']);
  return [...stdout.matchAll(line)].map(([, name]) => String(name));
}

describe('the script for bash', async () => {
  const folder = tempFolder('completion');
  const script = join(folder, 'completion.bash');
  writeFileSync(script, (await bookend(['completion', 'bash'])).stdout);
  writeFileSync(join(folder, 'some.yaml'), '');

  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const ask = `source "$1"; shift; COMP_WORDS=(bookend "$@"); COMP_CWORD=$#; _bookend; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', ask, 'bash', script, ...words], { cwd: folder });
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('offers every command that the help lists', async () => {
    const commands = await helpOf([], /^ {2}([a-z]+) /gm);
    expect(commands.length).toBeGreaterThan(20);
    expect(await offered('')).toEqual(expect.arrayContaining([...commands]));
    expect(await offered('re')).toEqual(
      ['record', 'report', 'replay', 'redeem', 'resume'].sort(inHelp(commands)),
    );
  });

  it.each(['check', 'kill', 'init'])('offers every option of %s', async (name) => {
    const options = await helpOf([name], /^ {2}(?:-\w, )?(--[a-z-]+)/gm);
    expect(options.length).toBeGreaterThan(3);
    expect(await offered(name, '--')).toEqual(expect.arrayContaining([...options]));
  });

  it('offers files behind an option that takes one, and nothing behind a number', async () => {
    expect(await offered('check', '--config', 'so')).toEqual(['some.yaml']);
    expect(await offered('venue', '--port', '')).toEqual([]);
  });

  it('offers words where there are only a few, and no command behind a command', async () => {
    expect(await offered('completion', '')).toEqual(
      expect.arrayContaining(['bash', 'zsh', 'fish']),
    );
    expect(await offered('completion', 'z')).toEqual(['zsh']);
    expect(await offered('status', 'ch')).toEqual([]);
  });
});

function inHelp(commands: readonly string[]): (one: string, other: string) => number {
  return (one, other) => commands.indexOf(one) - commands.indexOf(other);
}

describe.each(['zsh', 'fish'])('the script for %s', (shell) => {
  it('has every command and what it is for, quotes of its own kept', async () => {
    const { code, stdout } = await bookend(['completion', shell]);
    expect(code).toBe(0);
    for (const name of await helpOf([], /^ {2}([a-z]+) /gm))
      expect(stdout).toMatch(new RegExp(`\\b${name}\\b`));
    expect(stdout).toContain('prints the JSON Schema of the configuration');
    expect(stdout).not.toContain('paper-venue');
  });
});

describe('a slip of the keyboard', () => {
  it.each([
    [['chek'], 'Did you mean check?'],
    [['check', '--config', 'a', '--jso'], 'Did you mean --json?'],
    [['check', '--cofnig', 'a'], 'Did you mean --config by --cofnig?'],
    [['completion', 'bsh'], 'Allowed choices are bash, zsh, fish'],
  ])('%s is answered with the nearest', async (args, hint) => {
    const { code, stderr } = await bookend(args);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  it('is shown harmless', async () => {
    const { stderr } = await bookend(['check', '--con\u001b[2Jfig', 'a']);
    expect(stderr).toContain('required option');
    expect(stderr).not.toContain('\u001b');
    expect((await bookend(['\u001b]0;evil\u0007'])).stderr).not.toContain('\u001b');
  });
});

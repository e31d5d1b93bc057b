import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';

async function backtest(...args: readonly string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const code = await runCli(['backtest', ...args], { stdout, stderr, env: {} });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

describe('the command `backtest`', () => {
  it.each(['2026-11-23T10:00:00', '2026-11-23 10:00', '2026-13-45', 'noon'])(
    'takes no time that would mean another moment on another machine: %s',
    async (time) => {
      const { code, stderr } = await backtest('--world', 'calm', '--from', time);
      expect(code).toBe(2);
      expect(stderr).toContain('a day, or a time as 2026-11-23T10:00:00Z');
    },
  );

  it('says before the first run that its page cannot be written', async () => {
    const { code, stdout, stderr } = await backtest(
      '--world',
      'calm',
      '--html',
      '/no/folder/a.html',
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--html \/no\/folder\/a\.html: cannot be written \(ENOENT/);
    expect(stderr).not.toContain('    at ');
  });
});

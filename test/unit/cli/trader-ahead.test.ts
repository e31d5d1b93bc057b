import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CliIo } from '../../../src/cli/io.ts';
import { withTraderAhead } from '../../../src/cli/trader-ahead.ts';
import type { PartOptions } from '../../../src/guard/child.ts';
import { PartDouble } from '../../support/part-double.ts';

const OPTIONS = { config: 'quotes.yaml', logFile: 'log.ndjson' };
const ENV = { PATH: '/bin', VENUE_API_KEY: 'key', BOOKEND_CONTROL_TOKEN: 'token' };

function ioOf(isTTY: boolean): CliIo {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  return { stdout, stderr: new PassThrough(), env: ENV };
}

function starting() {
  const started: { readonly part: PartDouble; readonly options: PartOptions }[] = [];
  const start = (options: PartOptions) => {
    const part = new PartDouble();
    started.push({ part, options });
    return part;
  };
  return { started, start };
}

describe('the first trader of a daemon', () => {
  it('is started with the options of the command, and without the tokens of HTTP, before anything else is loaded', async () => {
    const { started, start } = starting();
    const given = await withTraderAhead(ioOf(false), OPTIONS, async (ahead) => ahead, start);
    expect(started).toHaveLength(1);
    expect(given).toBe(started[0]?.part);
    const { args, env, hasMarks } = started[0]?.options ?? {};
    expect(args).toEqual(['trader', '--config', 'quotes.yaml', '--log-file', 'log.ndjson']);
    expect(env).toEqual({ PATH: '/bin', VENUE_API_KEY: 'key' });
    expect(hasMarks).toBe(true);
  });

  it('is left to the guard at a terminal, whose keys somebody has to read', async () => {
    const { started, start } = starting();
    const given = await withTraderAhead(ioOf(true), OPTIONS, async (ahead) => ahead, start);
    expect(started).toEqual([]);
    expect(given).toBeUndefined();
  });

  it('is ended where the daemon does not come to be, as by a configuration that is wrong', async () => {
    const { started, start } = starting();
    const run = async () => await Promise.reject(new Error('the file is wrong'));
    await expect(withTraderAhead(ioOf(false), OPTIONS, run, start)).rejects.toThrow('is wrong');
    expect(started[0]?.part.signals).toEqual(['SIGKILL']);
  });
});

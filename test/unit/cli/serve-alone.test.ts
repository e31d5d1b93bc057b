import { describe, expect, it } from 'vitest';
import { LaterLog } from '../../../src/cli/serve-alone.ts';
import { createLog } from '../../../src/telemetry/logs.ts';

function opened() {
  const lines: { readonly level: string; readonly event: string }[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog({ level: 'debug', format: 'json', sink });
  return { log, said: () => lines.map(({ level, event }) => `${level} ${event}`) };
}

describe('a log that opens later', () => {
  it('says first what was said before it was open, in that order, and then each line at once', () => {
    const later = new LaterLog();
    const { log, said } = opened();
    later.warn('http.no_token', { file: 'x.token' });
    later.error('http.died', { code: 1 });
    expect(said()).toEqual([]);
    later.sayTo(log);
    expect(said()).toEqual(['warn http.no_token', 'error http.died']);
    later.warn('http.reads_all');
    expect(said()).toHaveLength(3);
  });

  it('keeps the first hundred lines where it never opens', () => {
    const later = new LaterLog();
    const { log, said } = opened();
    for (let at = 0; at < 1_000; at += 1) later.warn(`line.${at}`);
    later.sayTo(log);
    expect(said()).toHaveLength(100);
    expect(said().at(-1)).toBe('warn line.99');
  });
});

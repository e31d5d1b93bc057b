import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { attachVenue } from '../../../src/cli/attached-venue.ts';

it('an embedded venue that the machine does not start is said to be none, and why', async () => {
  const stderr = new PassThrough();
  const io = { stdout: new PassThrough(), stderr, env: {} };
  // No machine takes so long an argument.
  const options = { config: 'x'.repeat(4_000_000) };
  expect(await attachVenue(io, options, () => undefined)).toBe(3);
  expect(String(stderr.read())).toContain('the embedded venue could not be started: E2BIG');
});

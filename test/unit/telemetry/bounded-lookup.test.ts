// Names that hang, and those that the machine itself knows.

import { createSocket } from 'node:dgram';
import { describe, expect, it } from 'vitest';
import { boundedLookup } from '../../../src/telemetry/bounded-lookup.ts';
import { freePort } from '../../support/free-port.ts';

async function found(name: string, servers: readonly string[]): Promise<string> {
  const names = boundedLookup(servers);
  return await new Promise((resolve) => {
    names.lookup(name, {}, (error, address) => resolve(error?.code ?? String(address)));
  });
}

describe('a name that is looked up without a thread', () => {
  it('is given up where one name server is silent, also where another one has refused', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    const servers = [`127.0.0.1:${silent.address().port}`, `127.0.0.1:${await freePort()}`];
    // In the words of the name server: nobody else was asked.
    expect(await found('odds.invalid', servers)).toMatch(/^(?:ECONNREFUSED|ETIMEOUT)$/);
    silent.close();
  });

  it('is known where it is this machine, whatever name servers do', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    expect(await found('localhost', [`127.0.0.1:${silent.address().port}`])).toMatch(
      /^(?:127|::1)/,
    );
    silent.close();
  });
});

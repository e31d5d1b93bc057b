// Names of hosts, looked up without a thread: one that hangs in the system's own look-up holds a thread that files
// need, and holds the end of the process until the name server has been given up.

import { type LookupAddress, lookup, promises } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Asked twice, each for so long at first. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;
/** Later than this one of them was silent. */
const ANSWERED_MS_MAX = 900;

export type BoundedLookup = {
  readonly lookup: LookupFunction;
  /** Whoever still waits gets an error. */
  readonly stop: () => void;
};

/** Of the name servers of this machine, or of those given. */
export function boundedLookup(servers?: readonly string[]): BoundedLookup {
  const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return {
    stop: () => resolver.cancel(),
    lookup: (name, options, done) => {
      // No name server knows it better than the file of hosts, which is there when none of them answers.
      if (name === 'localhost') {
        lookup(name, options, done);
        return;
      }
      const beganMs = performance.now();
      void addressesOf(resolver, name).then(
        (found) => {
          const [first] = found;
          if (options.all === true) done(null, found);
          else done(null, first?.address ?? '', first?.family);
        },
        (error: NodeJS.ErrnoException) => {
          // Servers that answered do not hang: the file of hosts and the domains to search are the system's. It would
          // wait for a silent one also where another has refused.
          const tookMs = performance.now() - beganMs;
          if (isSilent(error) || tookMs >= ANSWERED_MS_MAX) done(error, '');
          else lookup(name, options, done);
        },
      );
    },
  };
}

async function addressesOf(resolver: promises.Resolver, name: string): Promise<LookupAddress[]> {
  const addresses = await resolver.resolve4(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENODATA') throw error;
    return [];
  });
  if (addresses.length > 0) return addresses.map((address) => ({ address, family: 4 }));
  return (await resolver.resolve6(name)).map((address) => ({ address, family: 6 }));
}

function isSilent({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ETIMEOUT' || code === 'ECANCELLED';
}

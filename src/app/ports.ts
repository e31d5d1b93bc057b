// A free port where the wanted one is taken, for commands that may move.

import { createServer } from 'node:net';

/** The wanted port, or 0 for any when another process listens there. */
export async function wantedOrAnyPort(host: string, port: number): Promise<number> {
  if (port === 0) return 0;
  return (await isFree(host, port)) ? port : 0;
}

/** Nobody else listens there, so that whoever is started next can. */
export async function isFree(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

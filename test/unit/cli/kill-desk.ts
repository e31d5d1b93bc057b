// What a kill meets: a real venue with an account in two markets, a folder for a journal, and small daemons.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { accountMark } from '../../../src/app/account-mark.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { shares } from '../../../src/domain/shares.ts';
import { ticks } from '../../../src/domain/ticks.ts';
import type { PaperOptions } from '../../../src/paper/options.ts';
import { type PaperVenue, startPaperVenue } from '../../../src/paper/server.ts';
import { isMeant } from '../../../src/telemetry/http-guard.ts';

export const TOKEN = 'a-token-of-thirty-two-characters';

type Asked = { readonly url: string | undefined; readonly token: string | undefined };
export type SmallDaemon = { readonly asked: readonly Asked[]; readonly port: number };

export class KillDesk {
  readonly folder: string;
  readonly venue: PaperVenue;
  readonly #servers: Server[] = [];

  private constructor(folder: string, venue: PaperVenue) {
    this.folder = folder;
    this.venue = venue;
  }

  static async open(dialect: PaperOptions['dialect'] = {}): Promise<KillDesk> {
    const folder = await mkdtemp(join(tmpdir(), 'bookend-kill-'));
    const markets = [
      { slug: 'one', title: 'One?' },
      { slug: 'two', title: 'Two?' },
    ];
    const event = { slug: 'e', title: 'E', category: 'c', tickSize: '0.01', markets } as const;
    return new KillDesk(folder, await startPaperVenue({ events: [event], dialect }));
  }

  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
    await this.venue.stop();
    // A latch that a disk held back may be written at this very moment.
    await rm(this.folder, { recursive: true, maxRetries: 20, retryDelay: 50 });
  }

  get journal(): string {
    return join(this.folder, 'kill.db');
  }

  /** By which a daemon says of which account it is. */
  get accountMark(): string | undefined {
    const { apiKey, apiSecret, apiPassphrase } = this.venue.account;
    return accountMark(this.venue.baseUrl, {
      apiKey: new Secret(apiKey),
      apiSecret: new Secret(apiSecret),
      apiPassphrase: new Secret(apiPassphrase),
    });
  }

  /** Credentials of the account as an environment has them. */
  get credentials() {
    const { apiKey, apiSecret, apiPassphrase } = this.venue.account;
    return {
      VENUE_API_KEY: apiKey,
      VENUE_API_SECRET: apiSecret,
      VENUE_API_PASSPHRASE: apiPassphrase,
    };
  }

  marketAt(index: number) {
    const [event] = this.venue.desk.events();
    const market = event?.markets[index];
    if (event === undefined || market === undefined) throw new Error('two markets are listed');
    return { event, market };
  }

  /** An order of the account rests in each of two markets. */
  restInBoth(): void {
    for (const index of [0, 1]) this.rest(index);
  }

  rest(index: number): void {
    const { event, market } = this.marketAt(index);
    const asked = { side: 'BUY', timeInForce: 'GTC', quantity: shares(10) } as const;
    const price = ticks(event.grid, 40);
    const { tokenId } = market.yes;
    const { kind } = this.venue.desk.place('maker', { ...asked, tokenId, price });
    expect(kind).toBe('accepted');
  }

  openTokens(): readonly string[] {
    const { exchange } = this.venue;
    const open = exchange.openOrders(exchange.accounts.named('maker'));
    return open.map(({ terms }) => terms.outcome.tokenId);
  }

  /** A daemon of which there is nothing but its control routes. */
  async daemonThatSays(status: number, body: unknown): Promise<SmallDaemon> {
    return await this.daemonThat((response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  }

  /** One of that journal: who means another is refused, and nothing is done. */
  async daemonOf(journal: string, body: unknown): Promise<SmallDaemon> {
    return await this.daemonThat((response) => {
      const status = isMeant(response.req.headers, journal) ? 200 : 409;
      response.writeHead(status).end(JSON.stringify(status === 200 ? body : {}));
    });
  }

  async daemonThat(answer: (response: ServerResponse) => void): Promise<SmallDaemon> {
    const asked: Asked[] = [];
    const server = createServer((request, response) => {
      asked.push({ url: request.url, token: request.headers.authorization });
      answer(response);
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { asked, port: (server.address() as AddressInfo).port };
  }
}

// A small venue of its own, written from the interface document, to judge a bot from outside: one event,
// a few markets, one account, and the switches of `options.ts`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Exchange } from './exchange.ts';
import { Hub } from './hub.ts';
import { DOUBLE_DEFAULTS, type DoubleOptions, type Switches, usualSwitches } from './options.ts';
import { Routes } from './routes.ts';
import { isFresh } from './terms.ts';

const API_KEY = 'double-key';
const EXPIRY_MS = 500;
const PUBLIC = /^\/api\/(ok|time|events|orderbook)/;

export class VenueDouble {
  readonly exchange: Exchange;
  readonly options: DoubleOptions;
  readonly credentials = { apiKey: API_KEY, apiSecret: 'c2VjcmV0', apiPassphrase: 'a passphrase' };
  readonly #hub: Hub;
  readonly #routes: Routes;
  readonly #server: Server;
  readonly #expiry: NodeJS.Timeout;

  private constructor(options: DoubleOptions, switches: Switches) {
    this.options = options;
    this.#hub = new Hub(options.grid, API_KEY);
    this.exchange = new Exchange(options, switches, this.#hub);
    this.#routes = new Routes(this.exchange, options.grid);
    this.#server = createServer((request, response) => this.#serve(request, response));
    this.#hub.serve(this.#server, this.exchange);
    this.#expiry = setInterval(() => this.exchange.expire(this.exchange.nowMs()), EXPIRY_MS);
  }

  static async start(
    options: Partial<DoubleOptions> = {},
    switches: Partial<Switches> = {},
  ): Promise<VenueDouble> {
    const venue = new VenueDouble(
      { ...DOUBLE_DEFAULTS, ...options },
      { ...usualSwitches(), ...switches },
    );
    await new Promise<void>((done) => venue.#server.listen(0, '127.0.0.1', done));
    return venue;
  }

  get switches(): Switches {
    return this.exchange.switches;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/api`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#port}/ws`;
  }

  pause(): void {
    this.switches.isPaused = true;
    for (const market of this.exchange.markets) this.#hub.tellPause(market);
  }

  dropSockets(): void {
    this.#hub.dropSockets();
  }

  async stop(): Promise<void> {
    clearInterval(this.#expiry);
    this.#hub.stop();
    this.exchange.stop();
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  get #port(): number {
    // It listens on a port, so the address is no path of a pipe.
    const address: AddressInfo | string | null = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Why a request is not the account's; the signature itself is not looked at. */
  #refusalOf({ headers }: IncomingMessage): string | undefined {
    if (headers['service-api-key'] !== API_KEY) return 'unknown_api_key';
    const signedSec = Number(headers['service-timestamp']);
    return isFresh(signedSec, this.exchange.nowMs()) ? undefined : 'expired_timestamp';
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://double');
      const code = PUBLIC.test(url.pathname) ? undefined : this.#refusalOf(request);
      const answer =
        code === undefined
          ? this.#routes.answer({ method: request.method ?? 'GET', url, body })
          : { status: 401, body: { success: false, code, message: code } };
      const retry =
        'retryAfterSec' in answer ? { 'retry-after': String(answer.retryAfterSec) } : {};
      response.writeHead(answer.status, { 'content-type': 'application/json', ...retry });
      response.end(JSON.stringify(answer.body));
    });
  }
}

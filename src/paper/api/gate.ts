// The way of a request through the venue: route, caller, budget, body, answer.

import { addMs, type UnixMs } from '../../domain/time.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { VenueRefusal } from '../exchange/refusal.ts';
import { type Caller, callerOf } from './auth.ts';
import { type Budget, type Budgets, RateGate } from './budgets.ts';
import type { Dialect } from './dialect.ts';
import { failureAnswer, refusalAnswer, successAnswer } from './envelope.ts';
import type { FaultAction, FaultPlan } from './faults.ts';
import { decodedText, readJson } from './json.ts';
import type { ApiRequest, ApiResponse, Reply } from './message.ts';
import { type Call, findRoute, type Match, type Route } from './route.ts';
import { HISTORY_ROUTES } from './routes/history.ts';
import { MARKET_DATA_ROUTES } from './routes/market-data.ts';
import { ORDER_ROUTES } from './routes/orders.ts';
import { PORTFOLIO_ROUTES } from './routes/portfolio.ts';
import { POSITION_ROUTES } from './routes/positions.ts';

export type GateOptions = {
  readonly exchange: Exchange;
  readonly dialect: Dialect;
  readonly budgets: Budgets;
  readonly faults: FaultPlan;
  /** Budgets of single accounts, by name. @spec Limits, rule 3 */
  readonly accountBudgets: Readonly<Record<string, Partial<Budgets>>>;
  readonly bodyBytesMax: number;
};

/** Every endpoint of the interface. @spec Endpoints */
const ROUTES: readonly Route[] = [
  ...MARKET_DATA_ROUTES,
  ...ORDER_ROUTES,
  ...PORTFOLIO_ROUTES,
  ...POSITION_ROUTES,
  ...HISTORY_ROUTES,
];

/** The prefix that REST paths carry and signed paths leave out. @spec Versioning */
export const API_PREFIX = '/api';
const TARGET_MAX = 8_192;

export class Gate {
  readonly #options: GateOptions;
  readonly #rates: RateGate;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#rates = new RateGate(options.budgets.window);
  }

  /** The venue's own time, which faults may shift. */
  nowMs(): UnixMs {
    const { exchange, faults } = this.#options;
    return addMs(exchange.context.clock.nowMs(), faults.clockShiftMs);
  }

  /** Serves a request, faults included; the reply is given exactly once. */
  handle(request: ApiRequest, reply: Reply): void {
    const action = this.#options.faults.strike(request.method, pathOf(request.target));
    if (action) this.#fail(request, action, reply);
    else reply(this.answer(request));
  }

  /** Serves a request as the interface says. Never throws. */
  answer(request: ApiRequest): ApiResponse {
    try {
      return successAnswer(this.#serve(request));
    } catch (error) {
      return failureAnswer(error, this.#options.dialect);
    }
  }

  /** The answer to a request that could not even be read. */
  unreadable(message: string): ApiResponse {
    return refusalAnswer(new VenueRefusal('invalid_request', message), this.#options.dialect);
  }

  #serve(request: ApiRequest): unknown {
    const signed = signedPath(request.target);
    const [path = '', ...rest] = signed.split('?');
    const match = this.#match(request, path);
    const caller = this.#admit(request, signed, match.route);
    const call: Call = {
      exchange: this.#options.exchange,
      dialect: this.#options.dialect,
      nowMs: this.nowMs(),
      params: decodedParams(match.params),
      query: new URLSearchParams(rest.join('?')),
      body: match.route.method === 'POST' ? this.#bodyOf(request) : undefined,
    };
    const { route } = match;
    if (route.access === 'public' && (caller || !this.#isCallerNeeded(route, path))) {
      return route.run(call);
    }
    if (!caller) throw new VenueRefusal('missing_credentials', 'this endpoint needs credentials');
    return route.run({ ...call, account: caller.account });
  }

  #isCallerNeeded({ access }: Route, path: string): boolean {
    return access === 'auth' || (this.#options.dialect.publicReads === 'signed' && !isHealth(path));
  }

  #match(request: ApiRequest, path: string): Match {
    const found = findRoute(ROUTES, request.method, path);
    if ('route' in found) return found;
    this.#countPublic(request);
    if (found.methods.length > 0) {
      throw new VenueRefusal('invalid_request', 'method not allowed here', { status: 405 });
    }
    throw new VenueRefusal('invalid_request', 'no such endpoint', { status: 404 });
  }

  /** Identifies the caller where one is needed, and takes the request from a budget. */
  #admit(request: ApiRequest, signed: string, route: Route): Caller | undefined {
    if (route.access === 'public' && !hasCredentials(request)) {
      this.#countPublic(request);
      return undefined;
    }
    const caller = this.#identify(request, signed, route);
    if (!caller) this.#countPublic(request);
    else if (route.budget !== 'exempt') this.#countCaller(caller, route.budget);
    return caller;
  }

  /** Wrong credentials on an endpoint that needs none are no credentials. */
  #identify(request: ApiRequest, signed: string, route: Route): Caller | undefined {
    const venue = { accounts: this.#options.exchange.accounts, nowMs: this.nowMs() };
    try {
      return callerOf(request, signed, venue);
    } catch (error) {
      const isNeeded = this.#isCallerNeeded(route, signed.split('?')[0] ?? '');
      if (!isNeeded && error instanceof VenueRefusal) return undefined;
      this.#countPublic(request);
      throw error;
    }
  }

  #countCaller(caller: Caller, kind: 'write' | 'read'): void {
    const { name } = caller.account;
    const budgets = { ...this.#options.budgets, ...this.#options.accountBudgets[name] };
    const isKey = caller.credential === 'key';
    const writes = isKey ? budgets.keyWrites : budgets.bearerWrites;
    const reads = isKey ? budgets.keyReads : budgets.bearerReads;
    this.#count(`${caller.credential}:${kind}:${name}`, kind === 'write' ? writes : reads);
  }

  #countPublic(request: ApiRequest): void {
    this.#count(`address:${request.address}`, this.#options.budgets.publicReads);
  }

  #count(key: string, budget: Budget): void {
    // Budgets run on true time: a shifted clock must not refill them.
    const nowMs = this.#options.exchange.context.clock.nowMs();
    const waitMs = this.#rates.take(key, budget, nowMs);
    if (waitMs === undefined) return;
    const retryAfterSec = Math.max(1, Math.ceil(waitMs / 1_000));
    throw new VenueRefusal('rate_limited', 'over budget', { retryAfterSec });
  }

  #bodyOf(request: ApiRequest): unknown {
    if (request.body.length > this.#options.bodyBytesMax) {
      throw new VenueRefusal('invalid_request', 'the body is too large');
    }
    const read = readJson(request.body);
    if (read) return read.value;
    throw new VenueRefusal('invalid_request', 'the body is not JSON');
  }

  #fail(request: ApiRequest, action: FaultAction, reply: Reply): void {
    const { timers } = this.#options.exchange.context;
    switch (action.kind) {
      case 'dropRequest':
        reply('drop');
        return;
      case 'delayEffect':
        timers.after(action.ms, () => reply(this.answer(request)));
        return;
      case 'failBefore':
        reply(serverError(action.status));
        return;
      case 'refuse':
        reply(this.#refusal(action));
        return;
      default:
        this.#failAfter(this.answer(request), action, reply);
    }
  }

  /** Faults that strike when the request has taken effect. */
  #failAfter(answer: ApiResponse, action: FaultAction, reply: Reply): void {
    switch (action.kind) {
      case 'dropReply':
        reply('drop');
        return;
      case 'delayReply':
        this.#options.exchange.context.timers.after(action.ms, () => reply(answer));
        return;
      case 'failAfter':
        reply(serverError(action.status));
        return;
      case 'loseItems':
        reply(withoutItems(answer, action.indexes));
        return;
      default:
        reply({ ...answer, body: '<html>upstream said something</html>' });
    }
  }

  #refusal(action: FaultAction & { readonly kind: 'refuse' }): ApiResponse {
    const { code, retryAfterSec } = action;
    const extra = retryAfterSec === undefined ? {} : { retryAfterSec };
    const refusal = new VenueRefusal(code, `planned: ${code}`, extra);
    return refusalAnswer(refusal, this.#options.dialect);
  }
}

/** The path after the prefix, query included, exactly as it was sent and signed. */
function signedPath(target: string): string {
  const isKnown = target.startsWith(`${API_PREFIX}/`) && target.length <= TARGET_MAX;
  if (isKnown) return target.slice(API_PREFIX.length);
  throw new VenueRefusal('invalid_request', 'no such endpoint', { status: 404 });
}

/** @spec Endpoints › Health */
function isHealth(path: string): boolean {
  return path === '/ok' || path === '/time';
}

function pathOf(target: string): string {
  return target.startsWith(API_PREFIX) ? target.slice(API_PREFIX.length) : target;
}

function decodedParams(params: Match['params']): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const [name, text] of Object.entries(params)) {
    const plain = decodedText(text);
    if (plain === undefined) {
      throw new VenueRefusal('invalid_request', 'the path is not properly encoded');
    }
    decoded[name] = plain;
  }
  return decoded;
}

function hasCredentials({ headers }: ApiRequest): boolean {
  return headers['service-api-key'] !== undefined || headers['authorization'] !== undefined;
}

function serverError(status: number): ApiResponse {
  const body = JSON.stringify({
    success: false,
    code: status === 500 ? 'internal_error' : 'service_unavailable',
    message: 'planned failure',
  });
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

function withoutItems(answer: ApiResponse, indexes: readonly number[]): ApiResponse {
  const parsed = readJson(answer.body)?.value;
  const data = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : [];
  const kept = Array.isArray(data) ? data.filter((_, place) => !indexes.includes(place)) : data;
  return { ...answer, body: JSON.stringify({ success: true, data: kept }) };
}

// Routes: what is asked where, who may ask it, and which budget it takes from.

import type { UnixMs } from '../../domain/time.ts';
import type { Account } from '../exchange/account.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Dialect } from './dialect.ts';

/** One request that was let in. */
export type Call = {
  readonly exchange: Exchange;
  readonly dialect: Dialect;
  readonly nowMs: UnixMs;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; `undefined` without a body. */
  readonly body: unknown;
};

export type AuthCall = Call & { readonly account: Account };

/** `exempt`: bulk cancels are never rate limited. @spec Limits */
export type RouteBudget = 'write' | 'read' | 'exempt';

type RouteShape = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly segments: readonly string[];
  readonly budget: RouteBudget;
};

export type Route = RouteShape &
  (
    | { readonly access: 'public'; readonly run: (call: Call) => unknown }
    | { readonly access: 'auth'; readonly run: (call: AuthCall) => unknown }
  );

/** A public route; `path` has `:name` segments. */
export function publicRoute(path: string, run: (call: Call) => unknown): Route {
  return {
    method: 'GET',
    segments: path.split('/').slice(1),
    budget: 'read',
    access: 'public',
    run,
  };
}

/** A route for known callers, for example `POST /orders`. */
export function authRoute(
  method: RouteShape['method'],
  path: string,
  run: (call: AuthCall) => unknown,
  budget: RouteBudget = 'read',
): Route {
  return { method, segments: path.split('/').slice(1), budget, access: 'auth', run };
}

export type Match = {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
};

/** The first route that fits, or which methods the path has. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): Match | { readonly methods: readonly string[] } {
  const segments = path.split('/').slice(1);
  const methods: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route.segments, segments);
    if (!params) continue;
    if (route.method === method) return { route, params };
    methods.push(route.method);
  }
  return { methods };
}

function paramsOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [place, part] of pattern.entries()) {
    const given = segments[place] ?? '';
    if (!part.startsWith(':') && part !== given) return undefined;
    if (part.startsWith(':')) params[part.slice(1)] = given;
  }
  return params;
}

/** A parameter of the matched path. */
export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}

// Who has passed the gate: kept with the request, for the answer and for the record.

import type { FastifyRequest } from 'fastify';
import type { Role } from './http-table.ts';

/** By which door, and with which role. */
export type Caller = { readonly how: 'token' | 'session'; readonly role: Role };

/** A command says which it is and who runs it; it has shown a token, so its word is taken. */
const BY_HEADER = 'x-bookend-by';
const SAID_LENGTH_MAX = 100;

function saidBy(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > SAID_LENGTH_MAX) return undefined;
  return /^[\w ,.:@()-]+$/.test(header) ? header : undefined;
}

export class Callers {
  readonly #known = new WeakMap<FastifyRequest, Caller>();

  note(request: FastifyRequest, { how, role }: Caller): void {
    this.#known.set(request, { how, role });
  }

  /** @throws {Error} Of a request that came through no gate (a fault of ours). */
  of(request: FastifyRequest): Caller {
    const caller = this.#known.get(request);
    if (caller === undefined) throw new Error('nobody has been let in with this request');
    return caller;
  }

  /** As log, latch and record name who asked: a session is a browser's; the full role goes without saying. */
  nameOf(request: FastifyRequest): string {
    const { how, role } = this.of(request);
    const from = `${how === 'session' ? 'console' : 'http'} ${request.ip}`;
    const named = role === 'full' ? from : `${from} with the ${role} token`;
    const said = saidBy(request.headers[BY_HEADER]);
    return said === undefined ? named : `${named}, ${said}`;
  }
}

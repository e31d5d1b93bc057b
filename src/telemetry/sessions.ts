// Sessions of browsers, begun with the control token: a cookie that no script reads and no other site's
// page sends, and a second token that only a page of ours can send along.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock, UnixMs } from '../domain/time.ts';
import type { Role } from './http-table.ts';

export type Session = {
  /** Of the token that it was begun with. */
  readonly role: Role;
  /** In constant time. */
  hasCsrf(given: string): boolean;
  /** For the page after it was loaded again. */
  readonly csrf: string;
};

type Kept = { readonly role: Role; readonly csrf: string; readonly untilMs: UnixMs | number };

const COOKIE = 'bookend_session';
/** A day at the desk. */
const LIFE_MS = 12 * 3_600_000;
/** People with a browser; the oldest goes first. */
const SESSIONS_MAX = 16;
const BYTES = 32;
const COOKIES_LENGTH_MAX = 8_192;

export class Sessions {
  readonly #clock: Clock;
  /** By the digest of their cookie, so that to look one up tells nothing of it. */
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns The header that gives the cookie, and the token of the page. */
  open(role: Role): { readonly cookie: string; readonly csrf: string } {
    const id = randomBytes(BYTES).toString('base64url');
    const csrf = randomBytes(BYTES).toString('base64url');
    this.#kept.set(keyOf(id), { role, csrf, untilMs: this.#clock.nowMs() + LIFE_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > SESSIONS_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return { cookie: cookieText(id, LIFE_MS / 1_000), csrf };
  }

  of(cookies: string | undefined): Session | undefined {
    const key = keyIn(cookies);
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (key === undefined || kept === undefined) return undefined;
    if (kept.untilMs <= this.#clock.nowMs()) {
      this.#kept.delete(key);
      return undefined;
    }
    const { csrf, role } = kept;
    return { role, csrf, hasCsrf: (given) => timingSafeEqual(digestOf(given), digestOf(csrf)) };
  }

  /** @returns The header that takes the cookie away. */
  close(cookies: string | undefined): string {
    const key = keyIn(cookies);
    if (key !== undefined) this.#kept.delete(key);
    return cookieText('', 0);
  }
}

function cookieText(id: string, runSec: number): string {
  return `${COOKIE}=${id}; Path=/; Max-Age=${runSec}; HttpOnly; SameSite=Strict`;
}

function keyIn(cookies: string | undefined): string | undefined {
  if (cookies === undefined || cookies.length > COOKIES_LENGTH_MAX) return undefined;
  const prefix = `${COOKIE}=`;
  const found = cookies.split(';').find((each) => each.trim().startsWith(prefix));
  const id = found?.trim().slice(prefix.length) ?? '';
  return id === '' ? undefined : keyOf(id);
}

function keyOf(id: string): string {
  return digestOf(id).toString('hex');
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

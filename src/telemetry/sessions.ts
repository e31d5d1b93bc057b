// Sessions of browsers, begun with the control token: a cookie that no script reads and no other site's
// page sends, and a second token that only a page of ours can send along.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
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

/** What of a request says whose session it is. */
type Asking = Pick<IncomingHttpHeaders, 'cookie' | 'host' | 'origin'>;

const COOKIE = 'bookend_session';
/** A day at the desk. */
const LIFE_MS = 12 * 3_600_000;
/** People with a browser, of each role: nobody's token ends the sessions of another one's. The oldest goes first. */
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
  open(role: Role, { host, origin }: Asking): { readonly cookie: string; readonly csrf: string } {
    const id = randomBytes(BYTES).toString('base64url');
    const csrf = randomBytes(BYTES).toString('base64url');
    this.#kept.set(keyOf(id), { role, csrf, untilMs: this.#clock.nowMs() + LIFE_MS });
    const alike = [...this.#kept].filter(([, kept]) => kept.role === role);
    const [oldest] = alike[0] ?? [];
    if (alike.length > SESSIONS_MAX && oldest !== undefined) this.#kept.delete(oldest);
    return { cookie: `${nameFor(host)}=${id}; ${attributes(LIFE_MS / 1_000, origin)}`, csrf };
  }

  of(asking: Asking): Session | undefined {
    const key = keyIn(asking);
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
  close(asking: Asking): string {
    const key = keyIn(asking);
    if (key !== undefined) this.#kept.delete(key);
    return `${nameFor(asking.host)}=; ${attributes(0, asking.origin)}`;
  }
}

/** A browser gives its cookies to every port of a host: two daemons of one machine would end each other's sessions. */
function nameFor(host: string | undefined): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1];
  return port === undefined ? COOKIE : `${COOKIE}_${port}`;
}

/** Behind a proxy with TLS the page says so, and its cookie never goes without: not to an address typed with `http://`. */
function attributes(runSec: number, origin: string | undefined): string {
  const isTls = origin?.toLowerCase().startsWith('https://') === true;
  return `Path=/; Max-Age=${runSec}; HttpOnly; SameSite=Strict${isTls ? '; Secure' : ''}`;
}

function keyIn({ cookie: cookies, host }: Asking): string | undefined {
  if (cookies === undefined || cookies.length > COOKIES_LENGTH_MAX) return undefined;
  const prefix = `${nameFor(host)}=`;
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

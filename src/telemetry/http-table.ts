// Who may do what: one table, from which the routes are registered and from which the tests are made.

/**
 * What a caller must have. `open`: nothing, for probes and scrapers. `page`: nothing, where a control token is
 * configured; what it gives is the page that asks for it. `token`: a token itself, to begin a session.
 * The others are rights that a token gives by its role, or a session that was begun with it.
 */
export type Right = 'open' | 'page' | 'token' | 'view' | 'trade' | 'kill';

/** A right that is given by a role. */
export type GivenRight = Extract<Right, 'view' | 'trade' | 'kill'>;

/** Whose token it is: the control token has the full role, the others are configured beside it. */
export type Role = 'full' | GivenRight;

/** Nobody but the full role may both trade and kill. */
export const RIGHTS_OF: Readonly<Record<Role, readonly GivenRight[]>> = {
  full: ['view', 'trade', 'kill'],
  view: ['view'],
  trade: ['view', 'trade'],
  kill: ['view', 'kill'],
};

/** Whether a token of this role opens a route that needs this right. */
export function mayUse(role: Role, right: Right): boolean {
  return RIGHTS_OF[role].some((given) => given === right) || !isGiven(right);
}

function isGiven(right: Right): right is GivenRight {
  return right === 'view' || right === 'trade' || right === 'kill';
}

export type Access = {
  readonly right: Right;
  /** The body that is read, where it is more than a few words. */
  readonly bodyBytesMax?: number;
};

/** The longest file that is read as a configuration, each of its characters written as two, with room. */
const CONFIG_BYTES_MAX = 600_000;

/** As many values as one form has, each with its place. */
const EDIT_BYTES_MAX = 16_384;

export const ROUTES = {
  'GET /healthz': { right: 'open' },
  'GET /readyz': { right: 'open' },
  'GET /metrics': { right: 'open' },
  'GET /': { right: 'page' },
  'GET /console/:file': { right: 'page' },
  'POST /session': { right: 'token' },
  'GET /session': { right: 'view' },
  'DELETE /session': { right: 'view' },
  'GET /api/state': { right: 'view' },
  'GET /api/stream': { right: 'view' },
  'GET /api/history': { right: 'view' },
  'GET /api/config': { right: 'view' },
  'POST /api/preview': { right: 'view', bodyBytesMax: CONFIG_BYTES_MAX },
  'POST /control/pause': { right: 'trade' },
  'POST /control/resume': { right: 'trade' },
  'POST /control/sets': { right: 'trade' },
  'POST /control/config': { right: 'trade', bodyBytesMax: EDIT_BYTES_MAX },
  'POST /control/kill': { right: 'kill' },
} as const satisfies Readonly<Record<string, Access>>;

export type RouteName = keyof typeof ROUTES;

export const ROUTE_NAMES = Object.keys(ROUTES).filter(isRouteName);

export function accessOf(name: RouteName): Access {
  return ROUTES[name];
}

/** `GET /healthz` to its method and its path. */
export function partsOf(name: RouteName): {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
} {
  const [method, url = ''] = name.split(' ');
  return { method: method === 'POST' || method === 'DELETE' ? method : 'GET', url };
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(ROUTES, name);
}

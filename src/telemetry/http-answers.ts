// What each route answers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../domain/time.ts';
import { LIMIT_MAX, type StateBoard } from './board.ts';
import type { Callers } from './http-callers.ts';
import type { ConsolePage } from './http-console.ts';
import type { EditAsk, Operator, Outcome } from './http-operator.ts';
import { RIGHTS_OF, type RouteName } from './http-table.ts';
import { createStateMetrics, type StateMetrics } from './metrics.ts';
import type { Sessions } from './sessions.ts';
import { readSetsOrder } from './sets-body.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
export type Answers = Readonly<Record<RouteName, Handler>>;

type Needs = {
  readonly board: StateBoard;
  readonly operator: Operator;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly callers: Callers;
  readonly console: ConsolePage;
};

/** Answers with an error and its text. */
export function fail(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ error });
}

/** One for each route of the table. */
export function handlers(needs: Needs): Answers {
  const { board, operator, sessions, callers } = needs;
  const metrics = new Scrapes(needs);
  return {
    ...pageHandlers(needs),
    'GET /healthz': async (_request, reply) => {
      const pulse = board.pulse();
      const isWell = pulse.status === 'starting' || pulse.status === 'alive';
      const uptimeSec = Math.round(process.uptime());
      const warnings = board.warnings();
      return reply.code(isWell ? 200 : 503).send({ ...pulse, uptimeSec, warnings });
    },
    'GET /readyz': async (_request, reply) => {
      const reasons = board.notReady();
      const ready = reasons.length === 0;
      return reply.code(ready ? 200 : 503).send({ ready, reasons });
    },
    'GET /metrics': async (_request, reply) => {
      const text = await metrics.text();
      if (text === undefined)
        return fail(reply, 503, 'the trader says nothing, or not all of it yet');
      return reply.type(metrics.contentType).send(text);
    },
    'POST /session': async (request, reply) => {
      const { role } = callers.of(request);
      const { cookie, csrf } = sessions.open(role, request.headers);
      return reply.header('set-cookie', cookie).send({ csrf, role, rights: RIGHTS_OF[role] });
    },
    'GET /session': async (request) => {
      const { role } = callers.of(request);
      const csrf = sessions.of(request.headers)?.csrf;
      return { csrf, role, rights: RIGHTS_OF[role] };
    },
    'DELETE /session': async (request, reply) =>
      reply.header('set-cookie', sessions.close(request.headers)).send({ ended: true }),
    'GET /api/state': async (request, reply) => {
      const query = STATE_QUERY.safeParse(request.query);
      if (!query.success) {
        return fail(reply, 400, `limit must be 0 to ${LIMIT_MAX}, each given once`);
      }
      const answer = board.state(query.data);
      if (answer.kind === 'refused') return fail(reply, answer.status, answer.text);
      return reply.type('application/json; charset=utf-8').send(answer.json);
    },
    ...configHandlers(needs),
    'POST /control/kill': async (request, reply) => {
      const query = KILL_QUERY.safeParse(request.query);
      if (!query.success) {
        return fail(reply, 400, 'wait must be proof and market an id or a slug, or not be given');
      }
      const { wait, market } = query.data;
      const by = callers.nameOf(request);
      if (market !== undefined) {
        return send(reply, await operator.ofMarket({ order: 'kill', market, by }));
      }
      return send(reply, await operator.kill(by, wait === 'proof'));
    },
    'POST /control/pause': stopping(needs, 'pause'),
    'POST /control/resume': stopping(needs, 'resume'),
    // `{ id, action, market, amount }`; the same id twice is one target quote.
    'POST /control/sets': async (request, reply) => {
      const order = readSetsOrder(request.body, callers.nameOf(request));
      if (typeof order === 'string') return fail(reply, 400, order);
      return send(reply, await operator.sets(order));
    },
  };
}

type ConfigRoute = 'GET /api/config' | 'POST /api/preview' | 'POST /control/config';

/** The configuration: what can be changed in it, what that would do, and the change itself. */
function configHandlers({ operator, callers }: Needs): Pick<Answers, ConfigRoute> {
  return {
    'GET /api/config': async (_request, reply) => send(reply, await operator.config()),
    'POST /api/preview': async (request, reply) => {
      const next = configOf(request.body) ?? editOf(request.body);
      if (next === undefined) {
        return fail(reply, 400, `must be { "config": "text of a file" } or ${EDIT_SHAPE}`);
      }
      return send(reply, await operator.preview(next));
    },
    'POST /control/config': async (request, reply) => {
      const ask = editOf(request.body);
      if (ask === undefined) return fail(reply, 400, `must be ${EDIT_SHAPE}`);
      // Who trades within limits is not who sets them.
      const isOfLimits = ask.edits.some(({ path }) => path[0] !== 'markets');
      if (isOfLimits && callers.of(request).role !== 'full') {
        return fail(reply, 403, 'limits need the control token; a trade token changes parameters');
      }
      return send(reply, await operator.edit(ask, callers.nameOf(request)));
    },
  };
}

const EDIT_SHAPE =
  '{ "revision", "edits": [{ "path": ["markets", 0, "params", "size"], "value": 40 }] }';

/** Of the account; of one market where the query names one. A query that is mistyped must not mean the account. */
function stopping({ operator, callers }: Needs, order: 'pause' | 'resume'): Handler {
  return async (request, reply) => {
    const query = STOP_QUERY.safeParse(request.query);
    if (!query.success) return fail(reply, 400, 'market must be an id or a slug, or not be given');
    const { market } = query.data;
    const by = callers.nameOf(request);
    if (market === undefined) return send(reply, await operator[order](by));
    return send(reply, await operator.ofMarket({ order, market, by }));
  };
}

type PageRoute = 'GET /' | 'GET /console/:file' | 'GET /api/stream' | 'GET /api/history';

/** Those of the operator's page. */
function pageHandlers({ console: page }: Needs): Pick<Answers, PageRoute> {
  const file = (reply: FastifyReply, name: string): FastifyReply => {
    const found = page.file(name);
    if (found === undefined) return fail(reply, 404, 'the page has no such file');
    return reply.headers(page.headers).type(found.type).send(found.body);
  };
  return {
    'GET /': async (_request, reply) => file(reply, 'index.html'),
    'GET /console/:file': async (request, reply) => {
      const name = FILE_PARAMS.safeParse(request.params).data?.file;
      return file(reply, name ?? '');
    },
    'GET /api/stream': async (_request, reply) => {
      reply.raw.writeHead(200, STREAM_HEADERS);
      // Where too many are open it ends at once, and the page says so and asks again.
      if (!page.stream(reply.raw)) reply.raw.end('event: full\ndata: {}\n\n');
      return reply.hijack();
    },
    'GET /api/history': async (request, reply) => {
      const query = HISTORY_QUERY.safeParse(request.query);
      if (!query.success) return fail(reply, 400, 'market must be given once, or not at all');
      const json = page.history(query.data.market);
      if (json === undefined) return fail(reply, 404, 'no history of such a market');
      return reply.type('application/json; charset=utf-8').send(json);
    },
  };
}

const FILE_PARAMS = z.object({ file: z.string().max(100) });
const HISTORY_QUERY = z.object({ market: z.string().optional() });

/** It is written past the framework, which has no word for an answer without an end. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
};

const STATE_QUERY = z.object({
  /** This market alone. */
  market: z.string().optional(),
  /** So many markets at the most; none is an answer without them. */
  limit: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().max(LIMIT_MAX))
    .optional(),
  /** The first of them, by `page.next` of the answer before. */
  cursor: z.string().optional(),
});

const MARKET_LENGTH_MAX = 200;
const STOP_QUERY = z.strictObject({
  market: z.string().min(1).max(MARKET_LENGTH_MAX).optional(),
});
const KILL_QUERY = STOP_QUERY.extend({ wait: z.literal('proof').optional() });

/** However often somebody scrapes, who needs no token for it: in between the last text is told again. */
const SCRAPE_MS = 1_000;

class Scrapes {
  readonly #board: Needs['board'];
  readonly #clock: Needs['clock'];
  readonly #metrics: StateMetrics = createStateMetrics();
  #last: { readonly atMs: number; readonly text: Promise<string | undefined> } | undefined;

  constructor({ board, clock }: Pick<Needs, 'board' | 'clock'>) {
    this.#board = board;
    this.#clock = clock;
  }

  get contentType(): string {
    return this.#metrics.contentType;
  }

  /** `undefined` where all that is known is of another time, or is not all that there is. */
  async text(): Promise<string | undefined> {
    const nowMs = this.#clock.nowMs();
    if (this.#last === undefined || nowMs - this.#last.atMs >= SCRAPE_MS) {
      this.#last = { atMs: nowMs, text: this.#made() };
    }
    return await this.#last.text;
  }

  async #made(): Promise<string | undefined> {
    const { status } = this.#board.pulse();
    if (status === 'stuck' || status === 'down') return undefined;
    const counted = this.#board.counted();
    if (counted === undefined) return undefined;
    const view = this.#board.view();
    const gauges = view === undefined ? '' : await this.#metrics.text(view);
    return `${counted}${gauges}`;
  }
}

function send(reply: FastifyReply, { status, body }: Outcome): FastifyReply {
  return reply.code(status).send(body);
}

const EDITS_MAX = 50;
const VALUE_LENGTH_MAX = 100;
const EDIT_BODY = z.strictObject({
  revision: z.string().regex(/^[0-9a-f]{64}$/),
  edits: z
    .array(
      z.strictObject({
        path: z
          .array(z.union([z.string().min(1).max(VALUE_LENGTH_MAX), z.int().min(0)]))
          .min(2)
          .max(4),
        value: z.union([z.number(), z.boolean(), z.string().max(VALUE_LENGTH_MAX)]),
      }),
    )
    .min(1)
    .max(EDITS_MAX),
});

function editOf(body: unknown): EditAsk | undefined {
  return EDIT_BODY.safeParse(body).data;
}

function configOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('config' in body)) return undefined;
  return typeof body.config === 'string' ? body.config : undefined;
}

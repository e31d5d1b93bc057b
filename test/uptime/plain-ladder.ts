// A plain ladder to compare with: what a careful person writes in one file. It quotes a ladder around
// the middle of the others' book and keeps the safety that any bot with money needs: limits at the worst
// case, a placement of unknown outcome keeps its slot, nothing is placed twice, doubt counts in limits.
// It imports nothing of the core. Started as `node plain-ladder.js config.yaml` (JSON).

import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';

type Config = {
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly event: string;
  readonly halfSpreadTicks: number;
  readonly levels: number;
  readonly levelSpacingTicks: number;
  readonly size: number;
  readonly netSharesMax: number;
  readonly openOrdersMax: number;
};
type Json = { readonly [key: string]: unknown };
type AxisSide = 'bid' | 'ask';
type Place = { readonly market: Market; readonly axisSide: AxisSide; readonly axisTicks: number };
type Terms = Place & {
  readonly tokenId: string;
  readonly side: 'BUY' | 'SELL';
  readonly ticks: number;
  readonly shares: number;
};
type Own = Terms & {
  readonly hash: string;
  matched: number;
  state: 'live' | 'cancelling' | 'done';
  /** When it was placed, or changed last: lists asked before say nothing. */
  touchedMs: number;
  /** A refused cancel is tried again only then. */
  cancelAfterMs: number;
  /** Complete lists in a row that miss it. */
  missed: number;
};
/** Sent, and nobody reported what became of it. */
type Unknown = Terms & { readonly sinceMs: number; missed: number };
/** What may have happened to a net position besides what is known. */
type Doubt = {
  readonly low: number;
  readonly high: number;
  readonly sinceMs: number;
  isBust: boolean;
};
type Market = {
  readonly id: string;
  readonly yes: string;
  readonly no: string;
  net: number;
  doubts: Doubt[];
  readonly pausedUntilMs: Record<AxisSide, number>;
};
type Book = { readonly bids: Map<number, number>; readonly asks: Map<number, number> };

const TICK_MS = 50;
const LIST_MS = 1_000;
const BALANCES_MS = 2_000;
const TIMEOUT_MS = 5_000;
const UNKNOWN_MS = 10_000;
const RETRY_MS = 1_000;
const BATCH_MAX = 15;
const CANCELS_MAX = 100;
/** Whatever matched has settled by then, and the history shows it. */
const DOUBT_MS = 30_000;
const DONE_KEPT_MS = 60_000;
const BLIND_MS = 5_000;
const SIDES = ['bid', 'ask'] as const;
const EPSILON = 1e-6;

class Http {
  readonly #config: Config;
  readonly #agent = new Agent({
    connections: 8,
    bodyTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
  });

  constructor(config: Config) {
    this.#config = config;
  }

  /** @returns The payload, or a failure; `isUnknown` when the request may have taken effect. */
  async ask(method: 'GET' | 'POST' | 'DELETE', path: string, content?: object): Promise<Answer> {
    const body = content === undefined ? '' : JSON.stringify(content);
    try {
      const response = await request(`${this.#config.baseUrl}${path}`, {
        ...{ method, dispatcher: this.#agent, headers: signed(method, path, body) },
        ...(body === '' ? {} : { body }),
      });
      const answer: unknown = JSON.parse(await response.body.text());
      const envelope = record(answer);
      if (envelope['success'] === true) return { isOk: true, data: envelope['data'] };
      const text = `${envelope['code'] ?? ''} ${envelope['message'] ?? ''}`;
      return { isOk: false, isUnknown: response.statusCode >= 500, text };
    } catch (error) {
      return { isOk: false, isUnknown: true, text: String(error) };
    }
  }
}

type Answer =
  | { readonly isOk: true; readonly data: unknown }
  | { readonly isOk: false; readonly isUnknown: boolean; readonly text: string };

class PlainLadder {
  readonly #config: Config;
  readonly #http: Http;
  readonly #markets: Market[] = [];
  readonly #books = new Map<string, Book>();
  readonly #own = new Map<string, Own>();
  /** Reports that came before the answer of their placement. */
  readonly #early = new Map<string, Json>();
  #unknown: Unknown[] = [];
  readonly #sellable = new Map<string, number>();
  readonly #noSellUntilMs = new Map<string, number>();
  /** Matched by reports, and settled by the history, by token and side. */
  readonly #heard = new Map<string, number>();
  readonly #history = new Map<string, number>();
  readonly #tradeIds = new Set<string>();
  #ticksPerUnit = 100;
  #levelsMax: number;
  #levelsTriedMs = 0;
  #isPlacing = false;
  #isCancelling = false;
  #blindSinceMs: number | undefined = Date.now();

  constructor(config: Config) {
    this.#config = config;
    this.#http = new Http(config);
    this.#levelsMax = config.levels;
  }

  async start(): Promise<void> {
    await this.#readEvent();
    this.#connect();
    await this.#cancelEverything();
    await this.#readHistory(true);
    await this.#readBalances(true);
    this.#every(TICK_MS, () => this.#tick());
    this.#every(LIST_MS, () => this.#readList());
    this.#every(BALANCES_MS, () => this.#readBalances(false));
    this.#every(BALANCES_MS, () => this.#readHistory(false));
  }

  async stop(): Promise<void> {
    this.#isPlacing = true;
    await this.#cancelEverything();
    process.exit(0);
  }

  #every(periodMs: number, task: () => Promise<void>): void {
    let isRunning = false;
    setInterval(() => {
      if (isRunning) return;
      isRunning = true;
      void task()
        .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
        .finally(() => {
          isRunning = false;
        });
    }, periodMs);
  }

  async #readEvent(): Promise<void> {
    const answer = await this.#until('GET', `/events/${this.#config.event}`);
    const event = record(answer);
    this.#ticksPerUnit = Number(event['tickSize']) === 0.001 ? 1_000 : 100;
    for (const each of list(event['markets']).map(record)) {
      const tokens = new Map(
        list(each['outcomes']).map((outcome) => [
          Number(record(outcome)['outcomeIndex']),
          String(record(outcome)['tokenId']).toLowerCase(),
        ]),
      );
      const pausedUntilMs = { bid: 0, ask: 0 };
      const [yes, no] = [tokens.get(1) ?? '', tokens.get(0) ?? ''];
      this.#markets.push({ id: String(each['id']), yes, no, net: 0, doubts: [], pausedUntilMs });
    }
  }

  /** Asks until it is answered. */
  async #until(method: 'GET' | 'DELETE', path: string): Promise<unknown> {
    for (;;) {
      const answer = await this.#http.ask(method, path);
      if (answer.isOk) return answer.data;
      process.stderr.write(`${path}: ${answer.text}\n`);
      await sleep(200);
    }
  }

  /** What cannot be cancelled, since it was partly matched, stays and is counted. */
  async #cancelEverything(): Promise<void> {
    await this.#until('DELETE', '/orders');
    for (let round = 0; round < 5; round += 1) {
      const rows = rowsOf(await this.#until('GET', '/orders'));
      if (rows.every((row) => left(row) <= 0)) return;
      await sleep(50);
    }
  }

  #connect(): void {
    const socket = new WebSocket(this.#config.wsUrl);
    socket.on('open', () => this.#onOpen(socket));
    socket.on('message', (data) => {
      const frame: unknown = JSON.parse(String(data));
      for (const each of Array.isArray(frame) ? frame : [frame])
        this.#onFrame(socket, record(each));
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#books.clear();
      this.#blindSinceMs ??= Date.now();
      setTimeout(() => this.#connect(), 300);
    });
  }

  #onOpen(socket: WebSocket): void {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const { apiKey, passphrase } = credentials();
    const signature = sign(`${timestamp}GET/ws`);
    socket.send(JSON.stringify({ type: 'auth', apiKey, passphrase, timestamp, signature }));
    const markets = this.#markets.flatMap(({ yes, no }) => [yes, no]);
    socket.send(JSON.stringify({ type: 'subscribe', markets, depth: 50 }));
  }

  #onFrame(socket: WebSocket, frame: Json): void {
    const data = typeof frame['data'] === 'object' ? record(frame['data']) : frame;
    switch (frame['type']) {
      case 'ping':
        socket.send(JSON.stringify({ type: 'pong' }));
        return;
      case 'orderbook.snapshot':
        this.#onSnapshot(frame);
        return;
      case 'orderbook.delta':
        this.#onDelta(frame);
        return;
      case 'order.update':
        this.#onReport(data);
        return;
      case 'trade.failed':
        this.#onBust(data);
    }
  }

  #onSnapshot(frame: Json): void {
    const { bids, asks } = record(frame['levels']);
    const levels = (from: unknown) =>
      new Map(
        list(from).map((each) => [this.#ticks(record(each)['price']), num(record(each)['size'])]),
      );
    const book = { bids: levels(bids), asks: levels(asks) };
    this.#books.set(String(frame['marketId']).toLowerCase(), book);
    this.#blindSinceMs = undefined;
  }

  #onDelta(frame: Json): void {
    const book = this.#books.get(String(frame['marketId']).toLowerCase());
    const levels = frame['side'] === 'bid' ? book?.bids : book?.asks;
    const size = num(frame['size']);
    if (size > 0) levels?.set(this.#ticks(frame['price']), size);
    else levels?.delete(this.#ticks(frame['price']));
  }

  #ticks(price: unknown): number {
    return Math.round(num(price) * this.#ticksPerUnit);
  }

  #onReport(row: Json): void {
    const hash = String(row['orderHash']);
    const own = this.#own.get(hash) ?? this.#adopted(row);
    if (own === undefined) {
      this.#early.set(hash, row);
      if (this.#early.size > 1_000) this.#early.clear();
      return;
    }
    const status = String(row['status']);
    this.#matchedOf(own, num(row['filledQuantity']));
    if (['CANCELLED', 'EXPIRED', 'FILLED'].includes(status)) own.state = 'done';
    else if (own.shares - own.matched > EPSILON && own.state === 'done') own.state = 'live';
    else if (own.shares - own.matched <= EPSILON) own.state = 'done';
    own.touchedMs = Date.now();
  }

  /** Less than before counts only where a trade failed. */
  #matchedOf(own: Own, matched: number): void {
    const change = matched - own.matched;
    if (Math.abs(change) < EPSILON) return;
    if (change < 0 && !this.#clearBust(own.market)) return;
    own.matched = matched;
    own.market.net += own.axisSide === 'bid' ? change : -change;
    this.#heard.set(keyOf(own), (this.#heard.get(keyOf(own)) ?? 0) + change);
  }

  #clearBust(market: Market): boolean {
    const bust = market.doubts.find(({ isBust }) => isBust);
    market.doubts = market.doubts.filter((each) => each !== bust);
    return bust !== undefined;
  }

  /** It names no token, so that it may be of either outcome. */
  #onBust(row: Json): void {
    const shares = num(row['quantity']);
    for (const market of this.#markets) {
      if (row['marketId'] !== undefined && market.id !== String(row['marketId'])) continue;
      market.doubts.push({ low: -shares, high: shares, sinceMs: Date.now(), isBust: true });
    }
  }

  /** An order that we never got an answer for, by its terms. */
  #adopted(row: Json): Own | undefined {
    const found = this.#unknown.find(
      (each) =>
        each.tokenId === String(row['tokenId']).toLowerCase() &&
        each.side === row['side'] &&
        each.ticks === this.#ticks(row['price']),
    );
    if (found === undefined) return undefined;
    this.#unknown = this.#unknown.filter((each) => each !== found);
    return this.#keep(found, String(row['orderHash']));
  }

  #keep(terms: Terms, hash: string): Own {
    const { market, axisSide, axisTicks, tokenId, side, ticks, shares } = terms;
    const known = { market, axisSide, axisTicks, tokenId, side, ticks, shares };
    const fresh = { matched: 0, state: 'live', cancelAfterMs: 0, missed: 0 } as const;
    const own: Own = { ...known, hash, ...fresh, touchedMs: Date.now() };
    this.#own.set(hash, own);
    const early = this.#early.get(hash);
    this.#early.delete(hash);
    if (early !== undefined) this.#onReport(early);
    return own;
  }

  async #readList(): Promise<void> {
    const askedMs = Date.now();
    const answer = await this.#http.ask('GET', '/orders');
    if (!answer.isOk) return;
    const rows = new Map(rowsOf(answer.data).map((row) => [String(row['orderHash']), row]));
    for (const [hash, row] of rows) {
      const own = this.#own.get(hash) ?? this.#adopted(row);
      if (own !== undefined) this.#onListed(own, row, askedMs);
    }
    for (const own of this.#own.values()) {
      if (!rows.has(own.hash)) this.#onMissing(own, askedMs);
    }
    this.#unknown = this.#unknown.filter((each) => this.#isStillUnknown(each, askedMs));
  }

  #onListed(own: Own, row: Json, askedMs: number): void {
    own.missed = 0;
    if (own.touchedMs > askedMs) return;
    this.#matchedOf(own, num(row['filledQuantity']) + num(row['holdQuantity']));
    own.state = own.shares - own.matched > EPSILON ? 'live' : 'done';
  }

  /** Nobody reported how it ended: what was left of it may have filled. */
  #onMissing(own: Own, askedMs: number): void {
    if (own.state === 'done') {
      if (askedMs - own.touchedMs > DONE_KEPT_MS) this.#own.delete(own.hash);
      return;
    }
    if (own.touchedMs > askedMs) return;
    own.missed += 1;
    if (own.missed < 2) return;
    own.state = 'done';
    const rest = own.shares - own.matched;
    const isBid = own.axisSide === 'bid';
    const sinceMs = Date.now();
    own.market.doubts.push({
      ...{ low: isBid ? 0 : -rest, high: isBid ? rest : 0, sinceMs, isBust: false },
    });
  }

  #isStillUnknown(unknown: Unknown, askedMs: number): boolean {
    if (askedMs - unknown.sinceMs < UNKNOWN_MS) return true;
    unknown.missed += 1;
    return unknown.missed < 2;
  }

  async #readBalances(isFirst: boolean): Promise<void> {
    const data = isFirst ? await this.#until('GET', '/portfolio/balances') : undefined;
    const answer = isFirst ? undefined : await this.#http.ask('GET', '/portfolio/balances');
    if (answer?.isOk === false) return;
    const positions = list(record(data ?? (answer?.isOk ? answer.data : undefined))['positions']);
    this.#sellable.clear();
    for (const each of positions.map(record)) {
      const tokenId = String(each['tokenId']).toLowerCase();
      this.#sellable.set(tokenId, num(each['shareAmount']) - num(each['onHoldShareAmount']));
      if (!isFirst) continue;
      const yes = this.#markets.find((market) => market.yes === tokenId);
      const no = this.#markets.find((market) => market.no === tokenId);
      if (yes) yes.net += num(each['shareAmount']);
      if (no) no.net -= num(each['shareAmount']);
    }
  }

  /** Settled fills that no report reported, and doubts that would have settled by now. */
  async #readHistory(isFirst: boolean): Promise<void> {
    const answer = await this.#http.ask('GET', '/portfolio/trades?limit=100');
    if (!answer.isOk) return;
    for (const row of rowsOf(answer.data)) this.#onTrade(row, isFirst);
    for (const market of this.#markets) {
      market.doubts = market.doubts.filter(({ sinceMs }) => Date.now() - sinceMs < DOUBT_MS);
    }
  }

  #onTrade(row: Json, isFirst: boolean): void {
    const id = String(row['tradeId']);
    if (row['tradeId'] === undefined || this.#tradeIds.has(id)) return;
    this.#tradeIds.add(id);
    if (isFirst) return;
    const tokenId = String(row['tokenId']).toLowerCase();
    const key = `${tokenId} ${String(row['side'])}`;
    const settled = (this.#history.get(key) ?? 0) + num(row['quantity']);
    this.#history.set(key, settled);
    const missing = settled - (this.#heard.get(key) ?? 0);
    const market = this.#markets.find(({ yes, no }) => yes === tokenId || no === tokenId);
    if (missing < EPSILON || market === undefined) return;
    this.#heard.set(key, settled);
    const isBid = (row['side'] === 'BUY') === (tokenId === market.yes);
    market.net += isBid ? missing : -missing;
  }

  async #tick(): Promise<void> {
    const nowMs = Date.now();
    if (this.#blindSinceMs !== undefined && nowMs - this.#blindSinceMs > BLIND_MS) {
      this.#cancel([...this.#own.values()].filter(({ state }) => state === 'live'));
      return;
    }
    if (nowMs - this.#levelsTriedMs > DOUBT_MS) this.#levelsMax = this.#config.levels;
    const missing: Terms[] = [];
    const moved: Own[] = [];
    for (const market of this.#markets) {
      const targets = this.#targets(market);
      if (targets === undefined) continue;
      for (const side of SIDES) this.#planSide(market, side, targets[side], { missing, moved });
    }
    this.#cancel(moved);
    this.#place(missing);
  }

  /** Ticks of each side, nearest first; nothing while the others show no two-sided book. */
  #targets(market: Market): Record<AxisSide, number[]> | undefined {
    const bid = this.#best(market, 'bid');
    const ask = this.#best(market, 'ask');
    if (bid === undefined || ask === undefined || bid >= ask) return undefined;
    const { halfSpreadTicks, levelSpacingTicks } = this.#config;
    const middle = (bid + ask) / 2;
    const steps = Array.from({ length: this.#levelsMax }, (_, level) => level * levelSpacingTicks);
    const isInside = (ticks: number) => ticks >= 1 && ticks < this.#ticksPerUnit;
    return {
      bid: steps.map((step) => Math.floor(middle) - halfSpreadTicks - step).filter(isInside),
      ask: steps.map((step) => Math.ceil(middle) + halfSpreadTicks + step).filter(isInside),
    };
  }

  /** The best price of the others in the books of both tokens. */
  #best(market: Market, side: AxisSide): number | undefined {
    const yes = this.#books.get(market.yes);
    const no = this.#books.get(market.no);
    const prices: number[] = [];
    for (const [ticks, size] of (side === 'bid' ? yes?.bids : yes?.asks) ?? []) {
      if (size - this.#shown(market.yes, ticks) > EPSILON) prices.push(ticks);
    }
    for (const [ticks, size] of (side === 'bid' ? no?.asks : no?.bids) ?? []) {
      if (size - this.#shown(market.no, ticks) > EPSILON) prices.push(this.#ticksPerUnit - ticks);
    }
    if (prices.length === 0) return undefined;
    return side === 'bid' ? Math.max(...prices) : Math.min(...prices);
  }

  /** Our own at a level, those that ended a moment ago too: the book is behind by a flush. */
  #shown(tokenId: string, ticks: number): number {
    let sum = 0;
    for (const own of this.#own.values()) {
      const isGone = own.state === 'done' && Date.now() - own.touchedMs > 1_000;
      if (own.tokenId === tokenId && own.ticks === ticks && !isGone) sum += own.shares;
    }
    return sum;
  }

  #planSide(
    market: Market,
    axisSide: AxisSide,
    targets: readonly number[],
    plan: { readonly missing: Terms[]; readonly moved: Own[] },
  ): void {
    const isHere = (each: Place) => each.market === market && each.axisSide === axisSide;
    const open = [...this.#own.values()].filter((own) => isHere(own) && own.state !== 'done');
    const unknown = this.#unknown.filter(isHere);
    plan.moved.push(
      ...open.filter(
        (own) =>
          own.state === 'live' &&
          !targets.includes(own.axisTicks) &&
          Date.now() >= own.cancelAfterMs,
      ),
    );
    if (Date.now() < market.pausedUntilMs[axisSide]) return;
    const taken = new Set([...open, ...unknown].map(({ axisTicks }) => axisTicks));
    const kept = targets.filter((ticks) => taken.has(ticks)).length;
    const away = unknown.filter(({ axisTicks }) => !targets.includes(axisTicks)).length;
    const free = targets.filter((ticks) => !taken.has(ticks));
    for (const axisTicks of free.slice(0, Math.max(0, targets.length - kept - away))) {
      const terms = this.#terms({ market, axisSide, axisTicks }, plan.missing);
      if (this.#isAllowed(terms, plan.missing)) plan.missing.push(terms);
    }
  }

  /** A sell of settled shares where there are enough, else a buy of the other outcome. */
  #terms(place: Place, missing: readonly Terms[]): Terms {
    const { market, axisSide, axisTicks } = place;
    const shares = this.#config.size;
    const isBid = axisSide === 'bid';
    const sold = isBid ? market.no : market.yes;
    const bought = isBid ? market.yes : market.no;
    const mirrored = this.#ticksPerUnit - axisTicks;
    const used = missing.reduce(
      (sum, each) => sum + (each.side === 'SELL' && each.tokenId === sold ? shares : 0),
      0,
    );
    const maySell = Date.now() >= (this.#noSellUntilMs.get(sold) ?? 0);
    if (maySell && (this.#sellable.get(sold) ?? 0) - used >= shares) {
      return { ...place, tokenId: sold, side: 'SELL', ticks: isBid ? mirrored : axisTicks, shares };
    }
    return { ...place, tokenId: bought, side: 'BUY', ticks: isBid ? axisTicks : mirrored, shares };
  }

  /** The worst case: everything that may be live fills, and every doubt goes the wrong way. */
  #isAllowed(terms: Terms, missing: readonly Terms[]): boolean {
    const { market, axisSide } = terms;
    const sign = axisSide === 'bid' ? 1 : -1;
    let worst = sign * market.net + terms.shares;
    for (const { low, high } of market.doubts) worst += axisSide === 'bid' ? high : -low;
    const isSame = (each: Place) => each.market === market && each.axisSide === axisSide;
    for (const each of missing) if (isSame(each)) worst += each.shares;
    for (const each of this.#unknown) if (isSame(each)) worst += each.shares;
    let count = this.#unknown.length + missing.length;
    for (const own of this.#own.values()) {
      if (own.state === 'done') continue;
      count += 1;
      if (isSame(own)) worst += own.shares - own.matched;
    }
    return worst <= this.#config.netSharesMax && count < this.#config.openOrdersMax;
  }

  #cancel(orders: readonly Own[]): void {
    const some = orders.slice(0, CANCELS_MAX);
    if (this.#isCancelling || some.length === 0) return;
    this.#isCancelling = true;
    for (const own of some) own.state = 'cancelling';
    void this.#sendCancel(some).finally(() => {
      this.#isCancelling = false;
    });
  }

  /** Until a report or a list says that it ended, it counts as live. */
  async #sendCancel(orders: readonly Own[]): Promise<void> {
    const orderHashes = orders.map(({ hash }) => hash);
    const answer = await this.#http.ask('POST', '/orders/batch-cancel', { orderHashes });
    if (answer.isOk && num(record(answer.data)['failed']) === 0) return;
    for (const own of orders) {
      if (own.state === 'cancelling') own.state = 'live';
      own.cancelAfterMs = Date.now() + RETRY_MS;
    }
  }

  #place(missing: readonly Terms[]): void {
    const some = missing.slice(0, BATCH_MAX);
    if (this.#isPlacing || some.length === 0) return;
    this.#isPlacing = true;
    // Counted from before it is sent.
    const sent = some.map((terms): Unknown => ({ ...terms, sinceMs: Date.now(), missed: 0 }));
    this.#unknown.push(...sent);
    void this.#sendPlace(sent).finally(() => {
      this.#isPlacing = false;
    });
  }

  async #sendPlace(sent: readonly Unknown[]): Promise<void> {
    const orders = sent.map(({ tokenId, side, ticks, shares }) => ({
      ...{ tokenId, side, price: ticks / this.#ticksPerUnit, quantity: shares },
      orderType: 'GTC',
    }));
    const answer = await this.#http.ask('POST', '/orders/batch', { orders });
    if (!answer.isOk && answer.isUnknown) {
      process.stderr.write(`unknown: ${answer.text}\n`);
      return;
    }
    const items = answer.isOk ? list(answer.data).map(record) : [];
    for (const [index, terms] of sent.entries()) {
      const item = items[index];
      const hash = record(item?.['order'])['orderHash'];
      if (item !== undefined && item['success'] === true && typeof hash !== 'string') continue;
      // A report may have reported it before its answer.
      if (this.#unknown.includes(terms)) this.#settle(terms, hash);
      if (typeof hash !== 'string')
        this.#onRefused(terms, answer.isOk ? String(item?.['error']) : answer.text);
    }
  }

  #settle(terms: Unknown, hash: unknown): void {
    this.#unknown = this.#unknown.filter((each) => each !== terms);
    if (typeof hash === 'string' && !this.#own.has(hash)) this.#keep(terms, hash);
  }

  #onRefused(terms: Terms, text: string): void {
    process.stderr.write(`refused: ${text}\n`);
    if (/insufficient.*shares/i.test(text)) {
      this.#noSellUntilMs.set(terms.tokenId, Date.now() + RETRY_MS);
      return;
    }
    terms.market.pausedUntilMs[terms.axisSide] = Date.now() + RETRY_MS;
    if (!/open.orders/i.test(text)) return;
    // The ceiling is the venue's: fewer levels everywhere, the nearest ones.
    this.#levelsMax = Math.max(1, this.#levelsMax - 1);
    this.#levelsTriedMs = Date.now();
  }
}

function keyOf({ tokenId, side }: Terms): string {
  return `${tokenId} ${side}`;
}

function left(row: Json): number {
  return num(row['quantity']) - num(row['filledQuantity']) - num(row['holdQuantity']);
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A bare array, or a page. */
function rowsOf(data: unknown): readonly Json[] {
  return (Array.isArray(data) ? data : list(record(data)['items'])).map(record);
}

function num(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

function credentials() {
  const { VENUE_API_KEY = '', VENUE_API_PASSPHRASE = '', VENUE_API_SECRET = '' } = process.env;
  return { apiKey: VENUE_API_KEY, passphrase: VENUE_API_PASSPHRASE, secret: VENUE_API_SECRET };
}

function sign(message: string): string {
  return createHmac('sha256', credentials().secret).update(message).digest('base64');
}

function signed(method: string, path: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  return {
    'SERVICE-API-KEY': credentials().apiKey,
    'SERVICE-PASSPHRASE': credentials().passphrase,
    'SERVICE-TIMESTAMP': timestamp,
    'SERVICE-SIGNATURE': sign(`${timestamp}${method}${path}${body}`),
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
  };
}

async function sleep(durationMs: number): Promise<void> {
  await new Promise((done) => setTimeout(done, durationMs));
}

const ladder = new PlainLadder(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
process.on('SIGTERM', () => void ladder.stop());
await ladder.start();

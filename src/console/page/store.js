// What the page knows, and who draws what of it: a change marks its topic, and each topic is drawn once in the
// next frame, however much has changed until then.

/** @typedef {{ atMs: number, side: string, tokenId: string, price: string, quantity: string, after10sUsdc?: string | null, after60sUsdc?: string | null }} ShownFill */
/** @typedef {import('../../domain/view.ts').MarketView & { lastFills?: readonly ShownFill[] }} MarketView */
/** @typedef {Omit<import('../../domain/view.ts').StateView, 'markets'>} Head */
/** @typedef {{ status: 'starting' | 'alive' | 'stuck' | 'down', tickAgeMs?: number, stateAgeMs?: number }} Pulse */
/** @typedef {Record<string, unknown> & { atMs: number, event: string, level: string }} EventLine */
/** @typedef {'link' | 'head' | 'markets' | 'selected' | 'events'} Topic */

/** Lines that are kept; more than anybody scrolls through. */
const EVENTS_MAX = 1_000;

export class Store {
  /** @type {Head | undefined} */ head;
  /** @type {Pulse | undefined} */ pulse;
  /** When `pulse` was told, by the page's own clock. */
  pulseAtMs = 0;
  /** @type {readonly string[]} */ order = [];
  /** @type {Map<string, MarketView>} */ markets = new Map();
  /** Oldest first. @type {EventLine[]} */ events = [];
  /** @type {string | undefined} */ selectedId;
  /** @type {'connecting' | 'live' | 'dead' | 'full'} */ link = 'connecting';
  /** What the time of the daemon is beyond ours. */
  aheadMs = 0;

  /** @type {Map<Topic, (() => void)[]>} */ #drawers = new Map();
  /** @type {Set<Topic>} */ #due = new Set();
  #isArmed = false;

  /** @returns {MarketView | undefined} */
  get selected() {
    return this.selectedId === undefined ? undefined : this.markets.get(this.selectedId);
  }

  /** The time of the daemon, as far as it has told it. */
  get nowMs() {
    return Date.now() + this.aheadMs;
  }

  /**
   * @param {readonly Topic[]} topics
   * @param {() => void} draw
   */
  onChange(topics, draw) {
    for (const topic of topics) {
      this.#drawers.set(topic, [...(this.#drawers.get(topic) ?? []), draw]);
    }
  }

  /** @param {...Topic} topics */
  changed(...topics) {
    for (const topic of topics) this.#due.add(topic);
    if (this.#isArmed) return;
    this.#isArmed = true;
    requestAnimationFrame(() => this.#draw());
  }

  /** @param {Head} head */
  setHead(head) {
    this.head = head;
    this.aheadMs = head.atMs - Date.now();
    this.changed('head');
  }

  /** @param {Pulse} pulse */
  setPulse(pulse) {
    this.pulse = pulse;
    this.pulseAtMs = Date.now();
    this.changed('link');
  }

  /** @param {readonly string[]} order */
  setOrder(order) {
    this.order = order;
    const kept = new Set(order);
    for (const id of this.markets.keys()) if (!kept.has(id)) this.markets.delete(id);
    // A daemon that begins has named no market yet: the one that was chosen is chosen still when it has.
    const isLost = order.length > 0 && !kept.has(this.selectedId ?? '');
    if (isLost) this.select(order[0]);
    this.changed('markets', 'selected');
  }

  /** @param {readonly MarketView[]} markets */
  setMarkets(markets) {
    for (const market of markets) {
      this.markets.set(market.marketId, market);
      if (market.marketId === this.selectedId) this.changed('selected');
    }
    this.changed('markets');
  }

  /** @param {readonly EventLine[]} events */
  addEvents(events) {
    this.events.push(...events);
    if (this.events.length > EVENTS_MAX) this.events = this.events.slice(-EVENTS_MAX / 2);
    this.changed('events', 'selected');
  }

  /** A stream tells from its beginning: what was told before comes again. */
  begin() {
    this.events = [];
  }

  /** @param {string | undefined} marketId */
  select(marketId) {
    this.selectedId = marketId;
    this.changed('selected', 'markets', 'events');
  }

  /** @param {'connecting' | 'live' | 'dead' | 'full'} link */
  setLink(link) {
    if (this.link === link) return;
    this.link = link;
    this.changed('link');
  }

  #draw() {
    this.#isArmed = false;
    const due = [...this.#due];
    this.#due.clear();
    const drawers = new Set(due.flatMap((topic) => this.#drawers.get(topic) ?? []));
    for (const draw of drawers) draw();
  }
}

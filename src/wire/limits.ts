// The venue's published limits. @spec Limits

/** Order writes of one API-key account in a window. @spec Limits */
export const ORDER_WRITES_MAX = 300;
/** @spec Limits */
export const ORDER_WRITES_WINDOW_MS = 10_000;
/** Reads of one API-key account per second. @spec Limits */
export const READS_PER_SEC_MAX = 500;
/** Orders in one batch; the whole batch costs one write of the budget. @spec Limits */
export const BATCH_ORDERS_MAX = 15;
/** Hashes in one batch cancel. @spec Limits */
export const BATCH_CANCEL_MAX = 100;
/** Orders one account may have resting. @spec Limits */
export const OPEN_ORDERS_MAX = 2_000;
/** @spec Limits */
export const BOOK_DEPTH_MAX = 200;
/** @spec Limits */
export const BOOK_DEPTH_DEFAULT = 50;
/** @spec Limits */
export const EVENTS_PAGE_MAX = 100;
/** @spec Limits */
export const EVENTS_PAGE_DEFAULT = 20;
/** A request is refused when its timestamp is further than this from server time. @spec Limits */
export const TIMESTAMP_WINDOW_SEC = 30;
/** @spec Limits */
export const GTD_AHEAD_MIN_MS = 60_000;
/** The server pings this often. @spec Events › Connection */
export const PING_INTERVAL_MS = 30_000;
/** @spec Events › Order book channel (Public) */
export const DELTA_FLUSH_MS = 150;

// What follows is no limit of the venue but of what is read of it: everything beyond is one complaint.

/** Characters of a text of the socket; the whole of the deepest book has a third of this. */
export const FRAME_LENGTH_MAX = 262_144;
/** Frames in one such text; a venue that packs several sends them as a list. */
export const FRAMES_MAX = 200;
/** Characters of a response; the largest, a page of a hundred events with their markets, has a third of this. */
export const BODY_LENGTH_MAX = 4_194_304;
/** A side of a book has at most 999 legal prices. */
export const LEVELS_MAX = 2_000;
/** Items of any other list of a response: more than any account or page may have. */
export const ITEMS_MAX = 10_000;
/** What nobody redeems is a position for ever: more than a body of that length has room for. */
export const POSITIONS_MAX = 40_000;
/** Of one order, position or level; in USDC nobody has more. */
export const SHARES_MAX = 1e12;

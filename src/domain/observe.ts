// What an edge lets others observe of its I/O. Observers never influence what is observed.

/** How a request ended, as a closed set for labels. */
export const REQUEST_RESULTS = ['ok', 'refused', 'unknown', 'notSent'] as const;
export type RequestResult = (typeof REQUEST_RESULTS)[number];

export interface VenueObserver {
  /** `endpoint` is a method and route template, `POST /orders/batch`; `code` is the venue's. */
  onRequest(request: {
    readonly endpoint: string;
    readonly result: RequestResult;
    readonly code: string | undefined;
    readonly durationMs: number;
  }): void;
  /** A placement or cancel leaves, so long after it was decided on. */
  onLeft(kind: 'place' | 'cancel', waitedMs: number): void;
  /** A frame came in; `type` is from a closed set, `other` for the rest. */
  onFrame(type: string): void;
  onReconnect(reason: string): void;
}

export const SILENT_OBSERVER: VenueObserver = {
  onRequest() {},
  onLeft() {},
  onFrame() {},
  onReconnect() {},
};

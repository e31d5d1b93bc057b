// Requests and answers as the venue sees them, whatever carries them.

export type ApiRequest = {
  readonly method: string;
  /** Path and query exactly as sent, prefix included. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Where it came from, for budgets of unauthenticated requests. */
  readonly address: string;
};

export type ApiResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** `drop`: the connection ends without an answer. */
export type Reply = (answer: ApiResponse | 'drop') => void;

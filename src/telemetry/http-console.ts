// The operator's page as the server needs it; what it is made of is the business of another room.

import type { ServerResponse } from 'node:http';

export interface ConsolePage {
  /** For each file of the page. */
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined` where there is none of that name; `index.html` is the page. */
  file(name: string): { readonly type: string; readonly body: Buffer } | undefined;
  /** Begins to tell what changes; false where too many are told already. */
  stream(response: ServerResponse): boolean;
  /** Figures over time as JSON: of a market, or of the account. */
  history(marketId: string | undefined): string | undefined;
}

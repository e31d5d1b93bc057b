// Whether any placement may leave, and what keeps all of them from it.

/** The account, or all order writes, rest until then. */
export type AccountBackoff = { readonly untilMs: number; readonly code: string };

export class SendGate {
  /** Open only while the phase is `quoting`. */
  isOpen = false;
  /** Why nothing can be kept; while it stands nothing is placed. */
  ledgerFault: string | undefined;
  backoff: AccountBackoff | undefined;
}

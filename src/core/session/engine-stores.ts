// The whole of what the engine keeps: every store, and the session over them.

import type { Session } from './session.ts';
import type { SessionStores } from './stores.ts';

export interface EngineStores extends SessionStores {
  readonly session: Session;
}

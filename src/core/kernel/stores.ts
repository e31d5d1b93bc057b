// What every room of the core may look at. Each room has a `stores.ts`: it names the stores of the room, and takes in
// those of the rooms below. A function asks for the lowest of them that has all it needs, and sees nothing above.
// What is `readonly` here is written by a room above, which says so in its own `stores.ts`.

import type { MarketId } from '../../domain/ids.ts';
import type { CoreSettings } from '../../domain/input.ts';
import type { Event } from '../../domain/market.ts';
import type { UnixMs } from '../../domain/time.ts';
import type { Clock, Connection } from './connection.ts';
import type { ListedMarket } from './market.ts';
import type { Outbox } from './outbox.ts';
import type { WorkQueue } from './work-queue.ts';

export interface KernelStores<Market extends ListedMarket = ListedMarket> {
  /** The moment of this step. */
  readonly nowMs: UnixMs;
  readonly clock: Readonly<Clock>;
  readonly outbox: Outbox;
  readonly settings: CoreSettings | undefined;
  /** Short name of the settings in force. */
  readonly settingsVersion: string;
  readonly catalogue: readonly Event[] | undefined;
  readonly connection: Readonly<Connection>;
  readonly markets: ReadonlyMap<MarketId, Market>;
  /** Grows whenever a market comes or goes. */
  readonly marketsVersion: number;
  readonly workQueue: WorkQueue<Market>;
}

// Settlements that are not known to have paid the fee of a taker, for as long as cash may show that they did.

import type { MarketId } from '../../domain/ids.ts';
import type { UnixMs } from '../../domain/time.ts';

/** Cash that nothing explains is remembered for as long. */
const KEPT_MS = 300_000;
/** Settlements that a missing fee may be of, the newest; more of them would explain any amount. */
const UNPAID_MAX = 10;
/** Of them, as many may have paid between two reads of the balances. */
const TOGETHER_MAX = 3;
/** A venue may round each fee otherwise than we do. */
export const ROUNDING_NANO = 1_000;

type Unpaid = { readonly marketId: MarketId; readonly feeNano: number; readonly atMs: UnixMs };

/** What settled and is not known to have paid the fee of a taker. */
export class UnpaidFees {
  #unpaid: Unpaid[] = [];
  /** Those that cash showed to have paid: a match that is told of late pays no second time. */
  #shown: Unpaid[] = [];

  onSettled(unpaid: Unpaid): void {
    const { atMs } = unpaid;
    this.#unpaid = [...this.#unpaid, unpaid]
      .filter((each) => atMs - each.atMs < KEPT_MS)
      .slice(-UNPAID_MAX);
    this.#shown = this.#shown.filter((each) => atMs - each.atMs < KEPT_MS);
  }

  /**
   * Just those that a missing amount is the fees of, as few as will do and the newest first; they are known to
   * have paid then. By accident more amounts come to it sooner than fewer do.
   * @param byMs - What settled later has nothing to do with it.
   */
  takeMissing(missingNano: number, byMs: UnixMs): readonly Unpaid[] {
    const mayBe = this.#unpaid.filter(({ atMs }) => atMs <= byMs).toReversed();
    const found = fewestTo(mayBe, missingNano) ?? [];
    this.#unpaid = this.#unpaid.filter((each) => !found.includes(each));
    this.#shown = [...this.#shown, ...found].slice(-UNPAID_MAX);
    return found;
  }

  /** Whether cash showed just this fee before its match was told of. */
  takeShown(marketId: MarketId, feeNano: number): boolean {
    const found = this.#shown.find(
      (each) => each.marketId === marketId && each.feeNano === feeNano,
    );
    this.#shown = this.#shown.filter((each) => each !== found);
    return found !== undefined;
  }
}

function fewestTo(unpaid: readonly Unpaid[], missingNano: number): readonly Unpaid[] | undefined {
  for (let countMax = 1; countMax <= TOGETHER_MAX; countMax += 1) {
    const found = sumTo(unpaid, missingNano, countMax);
    if (found !== undefined) return found;
  }
  return undefined;
}

function sumTo(
  unpaid: readonly Unpaid[],
  missingNano: number,
  countMax: number,
): readonly Unpaid[] | undefined {
  if (countMax === 0 || missingNano <= ROUNDING_NANO) return undefined;
  for (const [at, each] of unpaid.entries()) {
    const left = missingNano - each.feeNano;
    if (Math.abs(left) <= ROUNDING_NANO) return [each];
    const others = sumTo(unpaid.slice(at + 1), left, countMax - 1);
    if (others !== undefined) return [each, ...others];
  }
  return undefined;
}

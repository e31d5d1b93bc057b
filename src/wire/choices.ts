// Where the interface is silent: what we take the silence to mean. README.md holds the whole table;
// here are the choices that a deployment may have to change.

export type WireChoices = {
  /**
   * Whether `filledQuantity` already counts the shares that `holdQuantity` shows as awaiting
   * settlement. The interface subtracts both from the quantity, so they do not overlap.
   */
  readonly filledIncludesHold: boolean;
  /**
   * Whether `shareAmount` counts the shares that `onHoldShareAmount` shows. Positions are indexed from the chain, which
   * knows of no hold.
   */
  readonly sharesIncludeHold: boolean;
  /** How `amount` of split and merge is written: its type and unit are not shown. */
  readonly chainAmount: 'decimalText' | 'number' | 'microText';
  /** Whether `unsubscribe` ends the trades of a token too, so that a renewal asks for both. */
  readonly unsubscribeEndsTrades: boolean;
};

export const WIRE_CHOICES: WireChoices = {
  filledIncludesHold: false,
  sharesIncludeHold: true,
  chainAmount: 'decimalText',
  unsubscribeEndsTrades: true,
};

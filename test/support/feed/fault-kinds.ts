// What may go wrong with the frames of one token.

export const FAULT_KINDS = [
  'dropped',
  'flushDropped',
  'duplicatedLate',
  'reordered',
  'sizeGarbled',
  'priceGarbled',
  'sideGarbled',
  'unreadable',
  'oldStamp',
  'stalled',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

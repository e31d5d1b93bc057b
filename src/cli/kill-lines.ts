// What a kill prints.

import type { CancelScope } from '../domain/message.ts';
import type { KillResult } from '../guard/kill.ts';
import type { Rest } from '../guard/rest.ts';

/** The result for people: confirmed or not, whose orders were meant, and what is left. */
export function killLines(result: KillResult, scope: CancelScope): readonly string[] {
  return [
    resultLine(result),
    ...settlingLines(result),
    ...leftAloneLines(result),
    ...leftLines(result),
    ...hintLines(result, scope),
  ];
}

function resultLine(result: KillResult): string {
  const seconds = (result.tookMs / 1_000).toFixed(1);
  if (result.kind === 'confirmed') {
    return `confirmed: ${noneLeft(result.scope)}; ${result.cancelled} cancelled in ${seconds} s`;
  }
  return `NOT CONFIRMED after ${seconds} s: ${result.detail}; ${result.cancelled} cancelled`;
}

/** Where only own orders are meant, those of others may rest. */
export function noneLeft(scope: KillResult['scope']): string {
  return `${scope === 'own' ? 'no open order of ours' : 'no open order'} is left`;
}

function leftAloneLines({ scope, leftAlone = 0 }: KillResult): readonly string[] {
  if (scope !== 'own') return [];
  return [`scope own: ${leftAlone} open orders were not sent from here and are left alone`];
}

/** Of a stop that ends beside them, when nobody is left who would cancel what rests again. */
export function unsettledText(orders: number): string {
  return `${orders} matched orders have not settled as far as is known, and one that fails may rest again: look later with \`bookend kill\``;
}

/** Of a stop that ends without proof: each order that may rest, and why. */
export function restLines(rests: readonly Rest[]): readonly string[] {
  return rests.map(({ what, why }) => `may rest: ${what}: ${why}`);
}

function settlingLines({ settling = 0 }: KillResult): readonly string[] {
  return settling === 0 ? [] : [`matched, waiting for settlement and off the book: ${settling}`];
}

function leftLines(result: KillResult): readonly string[] {
  if (result.kind === 'confirmed') return [];
  if (result.left === undefined) return ['no list of open orders could be read'];
  return [
    ...result.left.map((hash) => `open: ${hash}`),
    ...(result.inFlight ?? []).map((what) => `without an answer, may still arrive: ${what}`),
  ];
}

/** A narrow kill is no order to the daemon, which goes on quoting what is configured. */
function hintLines(result: KillResult, scope: CancelScope): readonly string[] {
  if (result.kind === 'confirmed' || scope.kind === 'account') return [];
  return [
    `if a daemon quotes this ${scope.kind}, take it out of the configuration first, or kill the account`,
  ];
}

/** Why nothing is known of what was sent before. */
export function unreadText(detail: string, horizonMs: number): string {
  const seconds = Math.ceil(horizonMs / 1_000);
  return `the ledger cannot be read (${detail}): orders sent before may arrive for up to ${seconds} s`;
}

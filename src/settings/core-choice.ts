// From a market as the file states it to what the core acts on: times become numbers.

import type { MarketChoice } from '../domain/input.ts';
import type { NewsWindow, OverlaySettings, QuietHours } from '../domain/overlays.ts';
import { unixMs } from '../domain/time.ts';
import type { MarketSettings, NamedMarket } from './markets.ts';

/** One market for the core. */
export function coreChoice(settings: NamedMarket): MarketChoice {
  const { exclusive, overlays, select: _, ...rest } = settings;
  return { ...rest, isExclusive: exclusive, overlays: coreOverlays(overlays) };
}

function coreOverlays(overlays: MarketSettings['overlays']): OverlaySettings {
  const { news, quiet } = overlays;
  return {
    ...overlays,
    news: { ...news, windows: news.windows.map(newsWindow) },
    quiet: { ...quiet, hours: quiet.hours.map(quietHours) },
  };
}

function newsWindow(stated: {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}): NewsWindow {
  return {
    name: stated.name,
    fromMs: unixMs(Date.parse(stated.from)),
    toMs: unixMs(Date.parse(stated.to)),
  };
}

function quietHours(stated: { readonly from: string; readonly to: string }): QuietHours {
  return { fromMinute: minuteOf(stated.from), toMinute: minuteOf(stated.to) };
}

function minuteOf(text: string): number {
  const [hours = '0', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

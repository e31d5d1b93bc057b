// A time as HTTP writes it: in today's form, and in the two older ones that whoever reads must take as well.

import { type UnixMs, unixMs } from '../../domain/time.ts';

/** Each form, and the places in it of day, month, year and time. RFC 9110, 5.6.7. */
const FORMS: readonly (readonly [RegExp, Places])[] = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  [/^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/, [1, 2, 3, 4]],
  // Sunday, 06-Nov-94 08:49:37 GMT
  [/^[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT$/, [1, 2, 3, 4]],
  // Sun Nov  6 08:49:37 1994
  [/^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/, [2, 1, 4, 3]],
];
type Places = readonly [number, number, number, number];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const YEAR_MS = 31_556_952_000;

/**
 * Reads a date of a header.
 * @param nowMs - Years of two digits are the nearest that is no more than fifty years ahead.
 * @returns `undefined` where it is none.
 */
export function httpDate(text: string, nowMs: UnixMs): UnixMs | undefined {
  for (const [form, places] of FORMS) {
    const parts = form.exec(text);
    if (parts === null) continue;
    const [day = '', month = '', year = '', time = ''] = places.map((place) => parts[place]);
    return timeOf({ day, month, year, time }, nowMs);
  }
  return undefined;
}

type Parts = Readonly<Record<'day' | 'month' | 'year' | 'time', string>>;

function timeOf({ day, month, year, time }: Parts, nowMs: UnixMs): UnixMs | undefined {
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  const monthIndex = MONTHS.indexOf(month);
  const isDay = Number(day) >= 1 && Number(day) <= 31 && monthIndex >= 0;
  if (!isDay || hour > 23 || minute > 59 || second > 60) return undefined;
  const at = (of: number) => Date.UTC(of, monthIndex, Number(day), hour, minute, second);
  if (year.length > 2) return unixMs(at(Number(year)));
  const thisCenturyMs = at(2_000 + Number(year));
  const centuries = Math.floor((nowMs + 50 * YEAR_MS - thisCenturyMs) / (100 * YEAR_MS));
  return unixMs(at(2_000 + Number(year) + 100 * centuries));
}

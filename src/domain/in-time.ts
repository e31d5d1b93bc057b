// Answers that nobody waits for without an end: a disk that hangs answers nobody.

import type { Timers } from './time.ts';

/** What is answered in time, or what is to be taken otherwise; what is thrown in time is thrown on. */
export async function inTime<Value>(
  answer: Promise<Value>,
  otherwise: Value,
  { timers, ms }: { readonly timers: Timers; readonly ms: number },
): Promise<Value> {
  let callOff = () => {};
  const late = new Promise<Value>((resolve) => {
    callOff = timers.after(ms, () => resolve(otherwise));
  });
  return await Promise.race([answer, late]).finally(() => callOff());
}

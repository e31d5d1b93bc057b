// Node writes to a terminal and waits until it has taken everything. One that takes nothing, as after
// Ctrl-S or behind a connection that hangs, would stop the process in the middle of a word: a trader that
// draws its screen, and a guard that says whose death it has seen, before its first cancel.

/** From here on what a terminal does not take waits, and nobody waits for it; pipes are so already. */
export function unblock(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY) return;
  const handle: unknown = Reflect.get(stream, '_handle');
  if (typeof handle !== 'object' || handle === null) return;
  const setBlocking: unknown = Reflect.get(handle, 'setBlocking');
  if (typeof setBlocking === 'function') Reflect.apply(setBlocking, handle, [false]);
}

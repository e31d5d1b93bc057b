// Which user of this machine listens at a port of it, as Linux tells: the token of a daemon is for nobody else.

import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';

/** Columns of a table of sockets, and the state of one that waits for connections. */
const [LOCAL, STATE, USER] = [1, 3, 7];
const LISTENS = '0A';

/** Addresses as the tables have them; whoever has the first of them gets a connection. */
const V6 = ['00000000000000000000000001000000', '00000000000000000000000000000000'];

function v4(address: string): readonly string[] {
  const own = Buffer.from(address.split('.').map(Number)).reverse().toString('hex').toUpperCase();
  return [own, '00000000', `0000000000000000FFFF0000${own}`, '00000000000000000000000000000000'];
}

/** By the name of a host as a URL writes it: `127.1` is `127.0.0.1` there. */
function familiesOf(host: string): readonly (readonly string[])[] {
  if (host === 'localhost' || host === '[::]') return [v4('127.0.0.1'), V6];
  if (host === '[::1]') return [V6];
  const mapped = /^\[::ffff:7f([0-9a-f]{2}):([0-9a-f]{1,4})\]$/.exec(host);
  if (mapped === null) return isIPv4(host) && host.startsWith('127.') ? [v4(host)] : [];
  const [second, rest] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [v4(`127.${second}.${(rest ?? 0) >> 8}.${(rest ?? 0) & 255}`)];
}

/** Users that a connection to this machine reaches; none for another host, and where nobody listens or none can say. */
export function usersAt(host: string, port: number): readonly number[] {
  const texts = ['/proc/net/tcp', '/proc/net/tcp6'].map(tableOf);
  const rows = texts.flatMap((text) => text.split('\n')).map((line) => line.trim().split(/\s+/));
  const at = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const userOf = (address: string) =>
    rows.find((cells) => cells[STATE] === LISTENS && cells[LOCAL] === address + at)?.[USER];
  return familiesOf(host).flatMap((addresses) => {
    const user = addresses.map(userOf).find((each) => each !== undefined);
    return user === undefined ? [] : [Number(user)];
  });
}

/** At once: on a disk that hangs, those who read files for us may all wait for it. */
function tableOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

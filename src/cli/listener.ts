// Which user of this machine listens at a port of it, as Linux tells: the token of a daemon is for nobody else.

import { readFileSync } from 'node:fs';

/** Columns of a table of sockets, and the state of one that waits for connections. */
const [LOCAL, STATE, USER] = [1, 3, 7];
const LISTENS = '0A';

/** Addresses as the tables have them; whoever has the first of them gets a connection. */
const V4 = [
  '0100007F',
  '00000000',
  '0000000000000000FFFF00000100007F',
  '00000000000000000000000000000000',
];
const V6 = ['00000000000000000000000001000000', '00000000000000000000000000000000'];
const FAMILIES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '127.0.0.1': [V4],
  '[::1]': [V6],
  localhost: [V4, V6],
};

/** Users that a connection to this machine reaches; none for another host, and where nobody listens or none can say. */
export function usersAt(host: string, port: number): readonly number[] {
  const texts = ['/proc/net/tcp', '/proc/net/tcp6'].map(tableOf);
  const rows = texts.flatMap((text) => text.split('\n')).map((line) => line.trim().split(/\s+/));
  const at = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const userOf = (address: string) =>
    rows.find((cells) => cells[STATE] === LISTENS && cells[LOCAL] === address + at)?.[USER];
  return (FAMILIES[host] ?? []).flatMap((addresses) => {
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

// Who may keep a connection: everybody is let in, and where there are too many the one that has waited
// longest without having shown the token goes; where all have shown one, the oldest that asks for nothing, or the
// oldest. Whoever comes next may be the operator who kills. Callers of this machine and those from elsewhere have
// their own room, so that no crowd outside shuts the door to the person inside.

import type { Server } from 'node:http';
import { isIPv4, type Socket } from 'node:net';

type Guest = {
  readonly socket: Socket;
  readonly isLocal: boolean;
  isTrusted: boolean;
  /** A request of it has come whole and is not answered yet. */
  isAnswered: boolean;
};

/** Of each of the two kinds. */
export const ROOM = 64;

export class Connections {
  /** The oldest first. */
  readonly #guests = new Map<Socket, Guest>();

  constructor(server: Server) {
    server.on('connection', (socket) => this.#onOpen(socket));
    server.on('request', (request, response) => {
      const guest = this.#guests.get(request.socket);
      if (guest === undefined) return;
      guest.isAnswered = false;
      response.once('close', () => {
        guest.isAnswered = true;
      });
    });
  }

  get count(): number {
    return this.#guests.size;
  }

  /** It has shown the token, or a session. */
  trust(socket: Socket): void {
    const guest = this.#guests.get(socket);
    if (guest !== undefined) guest.isTrusted = true;
  }

  /** It has shown a wrong token since: who may view must not try tokens of those who may kill. */
  doubt(socket: Socket): void {
    const guest = this.#guests.get(socket);
    if (guest !== undefined) guest.isTrusted = false;
  }

  isTrusted(socket: Socket): boolean {
    return this.#guests.get(socket)?.isTrusted === true;
  }

  #onOpen(socket: Socket): void {
    const isLocal = isLoopback(socket.remoteAddress ?? '');
    this.#guests.set(socket, { socket, isLocal, isTrusted: false, isAnswered: true });
    socket.once('close', () => this.#guests.delete(socket));
    const others = [...this.#guests.values()].filter(
      (guest) => guest.isLocal === isLocal && guest.socket !== socket,
    );
    if (others.length < ROOM) return;
    const goes = others.find(isExternal) ?? others.find(isIdle) ?? others[0];
    goes?.socket.destroy();
    if (goes !== undefined) this.#guests.delete(goes.socket);
  }
}

function isExternal({ isTrusted }: Guest): boolean {
  return !isTrusted;
}

function isIdle({ isAnswered }: Guest): boolean {
  return isAnswered;
}

export function isLoopback(ip: string): boolean {
  const plain = ip.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

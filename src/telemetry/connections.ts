// Who may keep a connection: everybody is let in, and where there are too many the one that has waited
// longest without having shown the token goes; where all have shown one, the oldest that asks for nothing, or the
// oldest. Whoever comes next may be the operator who kills. Callers of this machine and those from elsewhere have
// their own room, so that no crowd outside shuts the door to the person inside. One that asks a thousand times and
// waits for no answer goes at once: Node would work off all that it has read of it before it hears anybody else.

import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { isIPv4, type Socket } from 'node:net';

type Guest = {
  readonly socket: Socket;
  readonly isLocal: boolean;
  isTrusted: boolean;
  /** Requests that are not answered yet. */
  unanswered: number;
};

/** Of each of the two kinds. */
export const ROOM = 64;
/** Requests before the first of them is answered; browsers and programs of ours send one. */
const UNANSWERED_MAX = 8;

export class Connections {
  /** The oldest first. */
  readonly #guests = new Map<Socket, Guest>();

  /** A server that asks here first. */
  serverOf(options: ServerOptions, answer: RequestListener): Server {
    const server = createServer(options, (request, response) => {
      if (this.#admits(request.socket, response)) answer(request, response);
    });
    server.on('connection', (socket) => this.#onOpen(socket));
    return server;
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

  /** Of one that is gone Node still hands on what it has read. */
  #admits(socket: Socket, response: ServerResponse): boolean {
    const guest = this.#guests.get(socket);
    if (guest === undefined || socket.destroyed) return false;
    guest.unanswered += 1;
    response.once('close', () => {
      guest.unanswered -= 1;
    });
    if (guest.unanswered <= UNANSWERED_MAX) return true;
    socket.destroy();
    return false;
  }

  #onOpen(socket: Socket): void {
    const isLocal = isLoopback(socket.remoteAddress ?? '');
    this.#guests.set(socket, { socket, isLocal, isTrusted: false, unanswered: 0 });
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

function isIdle({ unanswered }: Guest): boolean {
  return unanswered === 0;
}

export function isLoopback(ip: string): boolean {
  const plain = ip.replace(/^::ffff:/i, '');
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

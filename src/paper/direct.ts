// The venue in process, without sockets: requests and frames are function calls, on any clock.

import type { Clock, Timers } from '../domain/time.ts';
import type { ApiRequest, Reply } from './api/message.ts';
import { assembleVenue, type PaperCore } from './assemble.ts';
import { type PaperOptions, paperSettings } from './options.ts';

/** What a client in process does with what it is told. */
export type DirectReceiver = {
  readonly onFrame: (text: string) => void;
  readonly onClosed: () => void;
  /** Whether native pings are answered; a test of half-open sockets says no. */
  readonly answersPings?: boolean;
};

export type DirectSocket = {
  send(text: string): void;
  close(): void;
};

export type DirectVenue = PaperCore & {
  /** Serves one request; the reply comes once, at once unless a fault delays it. */
  handle(request: ApiRequest, reply: Reply): void;
  /** Opens a socket; frames arrive in order, each in a turn of its own. */
  connect(receiver: DirectReceiver): DirectSocket;
  stop(): void;
};

/** Starts a venue without any I/O. */
export function openDirectVenue(
  options: PaperOptions & { readonly clock: Clock; readonly timers: Timers },
): DirectVenue {
  const { clock, timers } = options;
  const core = assembleVenue(paperSettings(options), { clock, timers });
  return {
    ...core,
    handle: (request, reply) => core.gate.handle(request, reply),
    connect: (receiver) => connect(core, receiver),
    stop() {
      core.hub.closeAll();
      core.exchange.stop();
    },
  };
}

function connect(core: PaperCore, receiver: DirectReceiver): DirectSocket {
  const { timers } = core.exchange.context;
  let isOpen = true;
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    timers.after(0, () => {
      core.hub.close(session);
      receiver.onClosed();
    });
  };
  const session = core.hub.open(
    {
      send: (text) => {
        timers.after(0, () => isOpen && receiver.onFrame(text));
      },
      ping: () => {
        if (receiver.answersPings !== false) timers.after(0, () => session.onPong());
      },
      terminate: end,
      bufferedBytes: () => 0,
    },
    'direct',
  );
  return {
    send: (text) => {
      if (isOpen) core.hub.receive(session, text);
    },
    close: end,
  };
}

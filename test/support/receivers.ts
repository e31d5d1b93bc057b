// Small doubles of those that Alertmanager posts to: an HTTP server and a mail server that remember what arrives.

import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export type Posted = { readonly path: string; readonly body: string };

export type Receivers = {
  readonly http: string;
  readonly smtp: string;
  readonly posted: readonly Posted[];
  readonly mails: readonly string[];
  close(): void;
};

/** Answers what Telegram would say too: the others only look at the status. */
const ANSWER = JSON.stringify({
  ok: true,
  result: { message_id: 1, date: 1, chat: { id: 1, type: 'group' } },
});

export async function openReceivers(): Promise<Receivers> {
  const posted: Posted[] = [];
  const mails: string[] = [];
  const http = createHttp(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    posted.push({ path: String(request.url), body });
    response.setHeader('content-type', 'application/json').end(ANSWER);
  });
  const smtp = createServer((socket) => takeMail(socket, mails));
  return {
    http: `http://${await listening(http)}`,
    smtp: await listening(smtp),
    posted,
    mails,
    close: () => {
      http.closeAllConnections();
      http.close();
      smtp.close();
    },
  };
}

/** A port of loopback that nobody listened at a moment ago. */
export async function freeAddress(): Promise<string> {
  const server = createServer();
  const address = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As much of RFC 5321 as a client needs that does not log in. */
function takeMail(socket: Socket, mails: string[]): void {
  let text = '';
  let inData = false;
  socket.setEncoding('utf8').on('error', () => socket.destroy());
  socket.write('220 double\r\n');
  socket.on('data', (part: string) => {
    text += part;
    for (;;) {
      const end = inData ? '\r\n.\r\n' : '\r\n';
      const at = text.indexOf(end);
      if (at < 0) return;
      const told = text.slice(0, at);
      text = text.slice(at + end.length);
      if (inData) mails.push(told);
      inData = !inData && told.toUpperCase() === 'DATA';
      if (told.toUpperCase() === 'QUIT') return void socket.end('221 bye\r\n');
      socket.write(inData ? '354 go on\r\n' : '250 ok\r\n');
    }
  });
}

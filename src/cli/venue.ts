// `venue`: the embedded venue alone, as a server, until it is told to end.

import type { Command } from 'commander';
import { type Embedded, startEmbedded } from '../app/embedded.ts';
import { EXIT } from '../app/exit.ts';
import { systemClock } from '../clock/system.ts';
import { CONFIG_DOC, CONFIG_FLAG, command, JSON_DOC, JSON_FLAG, parsePort } from './command.ts';
import { type CliIo, type Finish, printSecrets } from './io.ts';
import { configured } from './options.ts';
import { type ReplayOptions, replayChoice, withReplayOptions } from './replay-options.ts';
import { untilSignal } from './until-signal.ts';

type VenueOptions = ReplayOptions & {
  readonly config: string;
  readonly port?: number;
  readonly json?: boolean;
};

const CONFIG_DEFAULT = 'config/paper.yaml';

export function venueCommand(io: CliIo, finish: Finish): Command {
  const venue = command('venue', 'starts the embedded venue alone and prints its addresses')
    .option(CONFIG_FLAG, `${CONFIG_DOC}; its section \`paper\` counts`, CONFIG_DEFAULT)
    .option('--port <port>', 'port to listen on, 0 for a free one', parsePort);
  return withReplayOptions(venue)
    .option(JSON_FLAG, JSON_DOC)
    .action(async (options: VenueOptions) => {
      const { settings } = await configured(io, options.config);
      const clock = systemClock();
      const embedded = await startEmbedded({
        paper: settings.paper,
        port: options.port ?? settings.paper.port,
        clock,
        timers: clock.background,
        replay: replayChoice(options, settings),
      });
      printSecrets(io, described(embedded), options);
      await untilSignal().told;
      await embedded.stop();
      finish(EXIT.done);
    });
}

function described({ venue, events }: Embedded) {
  const { baseUrl, wsUrl, account } = venue;
  return {
    json: {
      baseUrl,
      wsUrl,
      account,
      events: events.map(({ id, slug, title }) => ({ id, slug, title })),
    },
    lines: [
      `VENUE_BASE_URL=${baseUrl}`,
      `VENUE_WS_URL=${wsUrl}`,
      `VENUE_API_KEY=${account.apiKey}`,
      `VENUE_API_SECRET=${account.apiSecret}`,
      `VENUE_API_PASSPHRASE=${account.apiPassphrase}`,
      ...events.map(({ slug, title }) => `# event ${slug}: ${title}`),
    ],
  };
}

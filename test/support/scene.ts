// A scene of real processes for one test alone: a folder, a venue with a book, and a daemon started
// against it. Scenes may run side by side: each ends what it started itself, and nothing else.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import {
  CONTROL_TOKEN,
  type DaemonConfig,
  LADDER,
  LiveDaemon,
  startDaemonProcess,
  writeConfig,
} from './live-daemon.ts';
import { LiveVenue } from './live-venue.ts';
import { endIn, eventually, type RunningProcess, startBookend } from './processes.ts';
import type { VenueRules } from './venue-host.ts';

/** Both levels of both sides. */
const QUOTES = 4;

export class Scene {
  readonly folder: string;
  readonly venue: LiveVenue;
  #daemon: LiveDaemon | undefined;

  private constructor(folder: string, venue: LiveVenue) {
    this.folder = folder;
    this.venue = venue;
  }

  static async open(rules?: VenueRules): Promise<Scene> {
    const folder = await mkdtemp(join(tmpdir(), 'bookend-scene-'));
    const venue = await LiveVenue.start(rules);
    const scene = new Scene(folder, venue);
    await venue.quoteBook(venue.market('rain'), { bid: 0.4, ask: 0.6 });
    await scene.configure();
    return scene;
  }

  /** Writes the configuration: two levels on both sides of `rain`, and what is told otherwise. */
  async configure(config: Partial<DaemonConfig> = {}): Promise<void> {
    const markets = [{ event: 'rain', strategy: 'ladder', params: LADDER }];
    await writeConfig(this.folder, this.venue, { markets, ...config });
  }

  /** Names the port in the configuration, for the commands that look for a daemon there. */
  async listenAt(port: number): Promise<void> {
    const file = join(this.folder, 'config.yaml');
    const config = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...config, http: { port } }));
  }

  async start(): Promise<LiveDaemon> {
    this.#daemon = await LiveDaemon.start(this.folder, this.venue);
    return this.#daemon;
  }

  /** A daemon whose four quotes rest, and who knows it. */
  async quoting(): Promise<LiveDaemon> {
    const daemon = await this.start();
    await this.untilOpen(QUOTES);
    await daemon.untilResting(QUOTES);
    return daemon;
  }

  /** `bookend run` without waiting for anything. */
  run(env: Readonly<Record<string, string>> = {}): RunningProcess {
    return startDaemonProcess(this.folder, this.venue, env);
  }

  /** Another command of the same user in the same folder. */
  command(...args: readonly string[]): RunningProcess {
    return startBookend([...args, '--config', 'config.yaml'], {
      cwd: this.folder,
      env: { ...this.venue.credentials(), BOOKEND_CONTROL_TOKEN: CONTROL_TOKEN },
    });
  }

  async untilOpen(count: number): Promise<void> {
    await eventually(
      `${count} orders on the venue`,
      async () => ((await this.venue.openOrders()).length === count ? true : undefined),
      { said: () => this.#daemon?.process.stderr() ?? '' },
    );
  }

  async end(): Promise<void> {
    await endIn(this.folder);
    await this.venue.stop();
    // Who was killed a moment ago may still write a last file.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A test with a scene of its own, which is cleared away behind it. */
export const it = sceneTest();

/** The same at a venue with these rules. */
export function sceneTest(rules?: VenueRules) {
  return test.extend<{ scene: Scene }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs.
    scene: async ({}, use) => {
      const scene = await Scene.open(rules);
      await use(scene);
      await scene.end();
    },
  });
}

// New settings while the daemon runs: applied where they can be, refused whole where they are wrong.

import type { Change, SettingsChange } from '../settings/diff.ts';
import { feedChoices } from '../settings/feed-choice.ts';
import { coreSettings } from '../settings/load.ts';
import { problemText } from '../settings/problems.ts';
import type { FileSettings, Settings } from '../settings/settings.ts';
import { watchSettings } from '../settings/watch.ts';
import type { EditAsk } from '../telemetry/http-operator.ts';
import { type DaemonOptions, type DaemonParts, eventNames } from './compose.ts';
import { ControlRefused } from './control-refused.ts';
import { ConfigEditor, type EditDone } from './edit-config.ts';
import { type ConfigPreview, previewSettings } from './preview.ts';

export type Reloading = {
  /** Reads the file, however still it holds, for SIGHUP. */
  reloadNow(): Promise<void>;
  /** Filters have chosen other markets: the core is told, and the settings stay. */
  reselect(): void;
  /** What these settings would change if the file said them; nothing is applied. */
  preview(next: FileSettings): Promise<ConfigPreview>;
  /** Writes values into the file and applies them. @throws {ControlRefused} */
  edit(ask: EditAsk, by: string): Promise<EditDone>;
  close(): void;
};

/**
 * Watches the configuration of a daemon and hands what changes to its parts.
 * @param onApplied - Called with settings that are in force by now.
 */
export function startReloading(
  options: DaemonOptions,
  parts: DaemonParts,
  onApplied: (settings: Settings) => void,
): Reloading {
  const { log, applied = [] } = options;
  if (applied.length > 0) {
    tell(options, { applied, needsRestart: [] });
    parts.metrics.onReload('applied');
  }
  const watch = watchSettings({
    ...options.source,
    initial: options.settings,
    text: options.text,
    waits: options.waits ?? false,
    onText: (text) => options.guarded?.config(text),
    ...(options.adjust === undefined ? {} : { adjust: options.adjust }),
    onChange: (settings, change) => {
      tell(options, change);
      parts.metrics.onReload(change.applied.length > 0 ? 'applied' : 'unchanged');
      if (change.applied.length > 0) apply(options, parts, settings);
      record(parts, options, change);
      onApplied(settings);
    },
    onUsable: () => parts.config.accept(),
    onRefused: (error) => {
      parts.metrics.onReload('refused');
      const problems = error.problems.map(problemText);
      parts.config.refuse(error.file, problems);
      log.error('settings.refused', { file: error.file, problems });
      const detail = problems.join('; ');
      parts.record.add({ ...RELOAD, target: error.file, result: 'refused', detail });
    },
  });
  const editor = new ConfigEditor({
    source: options.source,
    record: parts.record,
    inForce: () => watch.text(),
    reload: async () => await watch.reloadNow(),
  });
  let isPreviewing = false;
  return {
    edit: async (ask, by) => await editor.edit(ask, by),
    reloadNow: async () => {
      if ((await watch.reloadNow()).kind !== 'unchanged') return;
      parts.metrics.onReload('unchanged');
      log.info('settings.unchanged', { file: options.source.file });
    },
    reselect: () => applyMarkets(options, parts, watch.current()),
    preview: async (next) => {
      if (isPreviewing) throw new ControlRefused('a preview is being worked out; ask again');
      isPreviewing = true;
      try {
        return await previewSettings(options, parts, { next, current: watch.current() });
      } finally {
        isPreviewing = false;
      }
    },
    close: () => watch.close(),
  };
}

function apply(options: DaemonOptions, parts: DaemonParts, settings: Settings): void {
  options.log.setLevel(settings.logging.level);
  parts.own.setHorizon(settings.timing.unknownHorizonMs);
  parts.own.setScope(settings.orders.scope);
  parts.writer.setScope(settings.orders.scope);
  parts.selection.want(settings.markets);
  applyMarkets(options, parts, settings);
  // A filter that is new has no events yet; it tells when it has.
  void parts.selection.start();
}

function applyMarkets(options: DaemonOptions, parts: DaemonParts, settings: Settings): void {
  const named = parts.selection.applied(settings);
  parts.loop.post({ kind: 'settings', settings: coreSettings(named) });
  parts.feeds.apply(feedChoices(named, options.source.env));
  const wanted = eventNames(named);
  const isNewThere = wanted.some((name) => !parts.wantedEvents.includes(name));
  parts.wantedEvents.splice(0, parts.wantedEvents.length, ...wanted);
  // A market that was just added should not wait for the next refresh of the catalogue.
  if (isNewThere) parts.venue.send({ kind: 'readCatalogue' });
}

/** Who wrote the file no process can say: what changed is on record, by whom it may have been is in `edit`. */
const RELOAD = { by: 'file', action: 'reload' } as const;

function record(
  parts: DaemonParts,
  { source }: DaemonOptions,
  { applied, needsRestart }: SettingsChange,
): void {
  const detail = changeTexts([...applied, ...needsRestart]).join('; ');
  const result = applied.length > 0 ? 'done' : 'needs_restart';
  parts.record.add({ ...RELOAD, target: source.file, result, detail });
}

function tell({ log, source }: DaemonOptions, change: SettingsChange): void {
  if (change.applied.length > 0) {
    log.info('settings.reloaded', { file: source.file, changes: changeTexts(change.applied) });
  }
  if (change.needsRestart.length > 0) {
    const changes = changeTexts(change.needsRestart);
    log.warn('settings.needs_restart', { file: source.file, changes });
  }
}

function changeTexts(changes: readonly Change[]): readonly string[] {
  return changes.map(({ path, before, after }) => `${path}: ${text(before)} → ${text(after)}`);
}

/** A whole market with all its guards would drown the line. */
const TEXT_LENGTH_MAX = 200;

function text(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length <= TEXT_LENGTH_MAX ? json : `${json.slice(0, TEXT_LENGTH_MAX)}…`;
}

// Writes values that an operator changes in the console into the file of the configuration, on record, and has them
// applied as any other change of the file.

import { setImmediate } from 'node:timers/promises';
import { BotError } from '../domain/errors.ts';
import { changeText, editText, revisionOf } from '../settings/edit.ts';
import { readSettingsTextBehind } from '../settings/load.ts';
import { parseNext } from '../settings/next-run.ts';
import { type Problem, problemText, SettingsError } from '../settings/problems.ts';
import { replaceFile } from '../settings/replace-file.ts';
import type { SettingsSource } from '../settings/settings.ts';
import type { EditAsk } from '../telemetry/http-operator.ts';
import { ControlRefused } from './control-refused.ts';
import type { Recorded } from './operator-record.ts';

export type ConfigEditorOptions = {
  readonly source: SettingsSource;
  readonly record: { add(recorded: Recorded): void };
  /** The text of the configuration that is in force, which the file may not be. */
  readonly inForce: () => string;
  /** Reads the file at once. */
  readonly reload: () => Promise<unknown>;
};

/** What was written, and where the text before it is kept. */
export type EditDone = {
  readonly accepted: 'edit';
  readonly file: string;
  readonly backup: string | undefined;
  /** `markets[0].params.levels: 3 → 4` */
  readonly changes: readonly string[];
};

export class ConfigEditor {
  readonly #options: ConfigEditorOptions;
  #isBusy = false;

  constructor(options: ConfigEditorOptions) {
    this.#options = options;
  }

  /**
   * Changes the file, with a backup, and has it applied.
   *
   * @throws {ControlRefused} Where the file is another one than was shown, where the change is not right, and where it
   * cannot be written. The file is as before then.
   */
  async edit(ask: EditAsk, by: string): Promise<EditDone> {
    if (this.#isBusy) throw new ControlRefused('another change is being written; ask again');
    this.#isBusy = true;
    const target = this.#options.source.file;
    try {
      const done = await this.#write(ask);
      const detail = done.changes.join('; ');
      this.#options.record.add({ by, action: 'edit', target, result: 'done', detail });
      await this.#options.reload();
      return done;
    } catch (error) {
      const refusal = refusalOf(error);
      const { message: detail } = refusal;
      this.#options.record.add({ by, action: 'edit', target, result: 'refused', detail });
      throw refusal;
    } finally {
      this.#isBusy = false;
    }
  }

  async #write({ edits, revision }: EditAsk): Promise<EditDone> {
    const { source, inForce } = this.#options;
    const { file } = source;
    const before = await readSettingsTextBehind(file);
    if (revisionOf(before) !== revision) throw new ControlRefused(CHANGED);
    const edited = editText(before, edits);
    if (edited.kind === 'refused') throw new ControlRefused(textOf(edited.problems));
    // A configuration of a thousand markets takes its time: the loop turns in between.
    await setImmediate();
    // As it is read once it is written: after what is in force, and not after a file that was refused.
    parseNext(edited.text, inForce(), source);
    await setImmediate();
    const isAsBefore = async () => (await readSettingsTextBehind(file)) === before;
    const backup = await replaceFile(file, edited.text, isAsBefore);
    return { accepted: 'edit', file, backup, changes: edited.changes.map(changeText) };
  }
}

const CHANGED = 'the file has changed since it was shown; look at it again';

function refusalOf(error: unknown): ControlRefused {
  if (error instanceof ControlRefused) return error;
  if (error instanceof SettingsError) return new ControlRefused(textOf(error.problems));
  if (error instanceof BotError) return new ControlRefused(error.message);
  throw error;
}

function textOf(problems: readonly Problem[]): string {
  return problems.map(problemText).join('; ');
}

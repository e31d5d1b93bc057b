// Recordings of the flight recorder, read back: which runs a folder has, and the lines of one of them in order,
// with what is missing or damaged said where it is.

import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { BotError } from '../domain/errors.ts';
import { fileFault } from '../domain/file-fault.ts';
import type { Input } from '../domain/input.ts';
import type { UnixMs } from '../domain/time.ts';
import { Chain } from './chain.ts';
import { fileLines } from './file-lines.ts';
import { errorCode } from './files.ts';
import {
  decodeLine,
  type MarkLine,
  type PartLine,
  RECORDING_FORMAT,
  type RunFacts,
} from './recording-line.ts';

type Part = { readonly file: string; readonly head: PartLine };

/** What one process recorded. */
export type RecordedRun = {
  readonly run: string;
  readonly about: RunFacts;
  /** In the order in which they were written; the first ones may have been pushed out. */
  readonly parts: readonly Part[];
};

/** Where something stands, for people: `file:line`. */
export type Place = string;

export type RecordedItem =
  | {
      readonly kind: 'input';
      readonly number: number;
      readonly input: Input;
      readonly place: Place;
    }
  /** What the core asked for then, as the line has it. */
  | {
      readonly kind: 'commands';
      readonly input: number;
      readonly line: string;
      readonly commands: readonly { readonly kind: string }[];
      readonly place: Place;
    }
  | { readonly kind: 'mark'; readonly commands: string; readonly place: Place }
  /** Always the last item: how the recording ends. */
  | { readonly kind: 'over'; readonly end: RecordingEnd };

/**
 * `whole`: the process ended in good order · `cut`: it was killed, or it still runs · `broken`: something is
 * missing or damaged, and nothing behind it can be relied on.
 */
export type RecordingEnd = {
  readonly how: 'whole' | 'cut' | 'broken';
  readonly detail: string;
  /** Checksum over its commands, where it says one. */
  readonly commands?: string;
};

/** `x.inputs.ndjson`, or an older part of it. */
function partName(file: string): { readonly base: string; readonly age: number } | undefined {
  const last = extname(file);
  const number = /^\.\d+$/.test(last) ? last : '';
  const base = file.slice(0, file.length - number.length);
  return base.endsWith('.inputs.ndjson') ? { base, age: Number(number.slice(1)) } : undefined;
}

/**
 * The runs of a recording, oldest first: of the folder that has it, or of any of its files.
 *
 * @throws {BotError} `replay.file` when there is none, or more than one.
 */
export async function recordedRuns(path: string): Promise<readonly RecordedRun[]> {
  const isFolder = (await statOf(path)).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const files = await partFiles(folder, isFolder ? undefined : basename(path));
  if (files.length === 0)
    throw new BotError('replay.file', `${path}: no recording, as *.inputs.ndjson`);
  const heads = await Promise.all(files.map(headOf));
  const parts = heads.flatMap((head) => (head === undefined ? [] : [head]));
  const runs = [...new Set(parts.map(({ head }) => head.run))].flatMap((run) => {
    const of = parts.filter(({ head }) => head.run === run);
    const [first] = of;
    return first === undefined ? [] : [{ run, about: first.head.about, parts: of }];
  });
  if (runs.length > 0) return runs;
  throw new BotError(
    'replay.file',
    `${files[0] ?? path}:1: no recording, or one of an earlier version`,
  );
}

const TAIL_BYTES = 1_000_000;

/** The time of the last input of a run, for whoever says how far one is; `undefined` where its end does not say. */
export async function lastTimeOf({ parts }: RecordedRun): Promise<UnixMs | undefined> {
  const file = parts.at(-1)?.file;
  if (file === undefined) return undefined;
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(size - from),
      position: from,
    });
    const lines = buffer
      .toString('utf8', 0, bytesRead)
      .split('\n')
      .slice(from === 0 ? 0 : 1);
    const last = lines.map(decodeLine).findLast((line) => line !== undefined && 'atMs' in line);
    return last !== undefined && 'atMs' in last ? last.atMs : undefined;
  } finally {
    await handle.close();
  }
}

/** The run that a file is of; `undefined` for a folder. */
export function runOfFile(runs: readonly RecordedRun[], path: string): RecordedRun | undefined {
  return runs.find(({ parts }) => parts.some(({ file }) => basename(file) === basename(path)));
}

/** The last run that had begun by then. */
export function runAt(runs: readonly RecordedRun[], atMs: UnixMs): RecordedRun | undefined {
  return runs.findLast(({ about }) => about.startedAtMs <= atMs);
}

async function statOf(path: string) {
  return await stat(path).catch((cause: unknown) => {
    throw new BotError('replay.file', `${path}: ${fileFault(errorCode(cause))}`, { cause });
  });
}

/** Oldest first. */
async function partFiles(folder: string, name: string | undefined): Promise<readonly string[]> {
  const wanted = name === undefined ? undefined : partName(name);
  if (name !== undefined && wanted === undefined) return [];
  const names = (await readdir(folder)).flatMap((each) => {
    const part = partName(each);
    return part === undefined || part.base !== (wanted ?? part).base ? [] : [{ each, ...part }];
  });
  const bases = [...new Set(names.map(({ base }) => base))];
  if (bases.length > 1) {
    throw new BotError(
      'replay.file',
      `${folder} has several recordings, name one: ${bases.join(', ')}`,
    );
  }
  return names.toSorted((a, b) => b.age - a.age).map(({ each }) => join(folder, each));
}

async function headOf(file: string): Promise<Part | undefined> {
  for await (const { text, isWhole } of fileLines(file)) {
    const head = isWhole ? decodeLine(text) : undefined;
    if (head?.kind !== 'part') return undefined;
    if (head.format !== RECORDING_FORMAT) {
      const is = `format ${head.format}, not ${RECORDING_FORMAT}: read it with the version that wrote it`;
      throw new BotError('replay.file', `${file}:1: ${is}`);
    }
    return { file, head };
  }
  return undefined;
}

/** Everything of one run, in order and one at a time. */
export async function* recordedItems(
  run: RecordedRun,
): AsyncGenerator<RecordedItem, void, undefined> {
  const reader = new RunReader();
  for (const [index, part] of run.parts.entries()) {
    const isLast = index === run.parts.length - 1;
    const why = reader.missingBefore(part);
    if (why !== undefined) {
      yield broken(`${part.file}:1`, why);
      return;
    }
    for await (const item of reader.items(part.file, isLast)) {
      yield item;
      if (item.kind === 'over') return;
    }
  }
  yield { kind: 'over', end: { how: 'cut', detail: CUT } };
}

const CUT = 'the process was killed or still runs: the recording has no last line';

/** What one has read of a run, and what the next line must therefore say. */
class RunReader {
  readonly #chain = new Chain();
  #inputs = 0;
  #parts = 0;
  #markedAt: Place = 'the begin';

  missingBefore({ head: { part } }: Part): string | undefined {
    if (part === this.#parts) return undefined;
    const [first, last] = [this.#parts + 1, part];
    const parts = first === last ? `part ${first} is` : `parts ${first} to ${last} are`;
    const means = 'give `journal.recordFilesMax` more room';
    if (this.#parts > 0) return `${parts} missing`;
    return `${parts} gone, the begin of the run, without which nothing can be replayed: ${means}`;
  }

  async *items(file: string, isLast: boolean): AsyncGenerator<RecordedItem, void, undefined> {
    this.#parts += 1;
    let number = 0;
    try {
      for await (const { text, isWhole } of fileLines(file)) {
        number += 1;
        const place = `${file}:${number}`;
        const item = isWhole ? this.#item(text, place) : this.#unended(place, isLast);
        this.#chain.add(`${text}\n`);
        if (item !== undefined) yield item;
      }
    } catch (error) {
      yield broken(`${file}:${number + 1}`, `cannot be read: ${String(error)}`);
    }
  }

  #unended(place: Place, isLast: boolean): RecordedItem {
    if (!isLast) return broken(place, 'cut in the middle of a line, and another part follows');
    return { kind: 'over', end: { how: 'cut', detail: `${place}: cut in its last line; ${CUT}` } };
  }

  #item(text: string, place: Place): RecordedItem | undefined {
    const line = decodeLine(text);
    if (line === undefined) return broken(place, `no line of a recording: ${text.slice(0, 80)}`);
    switch (line.kind) {
      case 'part':
        return this.#checked(line, place);
      case 'mark':
      case 'end':
        return this.#checked(line, place) ?? markItem(line, place);
      case 'gap':
        return broken(
          place,
          `${line.lines} lines, ${line.inputs} of them inputs, were not recorded: ${line.why}`,
        );
      case 'commands':
        if (line.input !== this.#inputs) return this.#miscounted(line.input, place);
        return { kind: 'commands', input: line.input, line: text, commands: line.commands, place };
      default:
        this.#inputs += 1;
        return { kind: 'input', number: this.#inputs, input: line, place };
    }
  }

  #checked({ inputs, chain }: PartLine | MarkLine, place: Place): RecordedItem | undefined {
    if (inputs !== this.#inputs) return this.#miscounted(inputs, place);
    if (chain !== this.#chain.digest()) {
      return broken(
        place,
        `what stands between ${this.#markedAt} and here is not what was written`,
      );
    }
    this.#markedAt = place;
    return undefined;
  }

  #miscounted(inputs: number, place: Place): RecordedItem {
    const is = `${this.#inputs} inputs stand before it, and it counts ${inputs}`;
    return broken(place, `${is}: lines are missing or added between ${this.#markedAt} and here`);
  }
}

function markItem({ kind, commands }: MarkLine, place: Place): RecordedItem {
  if (kind === 'mark') return { kind, commands, place };
  return { kind: 'over', end: { how: 'whole', detail: '', commands } };
}

function broken(place: Place, why: string): RecordedItem {
  return { kind: 'over', end: { how: 'broken', detail: `${place}: ${why}` } };
}

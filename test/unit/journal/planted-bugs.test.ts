// A journal keeps its laws, and each of these bugs breaks one: a law that no bug can break checks nothing.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayCut } from '../../support/cut-disk.ts';
import { ROOT } from '../../support/processes.ts';
import { type Journal, LAWS, type LawName, lawFolder, POWER_LAWS } from './laws.ts';

type Bug = {
  readonly bug: string;
  /** In `src/journal`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly breaks: LawName;
};

const BUGS: readonly Bug[] = [
  {
    bug: 'synchronous = OFF',
    file: 'ledger/database.ts',
    from: 'PRAGMA synchronous = NORMAL',
    to: 'PRAGMA synchronous = OFF',
    breaks: 'whole commits outlive a power cut while the log is moved into the data',
  },
  {
    bug: 'a commit is not synced',
    file: 'ledger/ledger.ts',
    from: '      sql.sync();\n',
    to: '',
    breaks: 'a commit outlives a power cut a moment later, and nothing is taken for damaged',
  },
  {
    bug: 'a sync is done before the disk has done it',
    file: 'ledger/log-sync.ts',
    from: 'fdatasync(handle, (error) => {',
    to: 'setImmediate((error?: Error) => {',
    breaks: 'what is written outlives the process, and a power cut once it is synced',
  },
  {
    bug: 'what is written waits in memory',
    file: 'ledger/ledger.ts',
    from: '    sql.commit();\n    this.#last = rows.chain;',
    to: '    this.#last = rows.chain;',
    breaks: 'what is written outlives the process, and a power cut once it is synced',
  },
  {
    bug: 'the mark tells of what is written and not synced',
    file: 'ledger/ledger.ts',
    from: '    this.#last = rows.chain;\n    return opened;',
    to: '    this.#last = rows.chain;\n    this.#mark?.write(rows.chain);\n    return opened;',
    breaks: 'what is written outlives the process, and a power cut once it is synced',
  },
  {
    bug: 'a power cut is never over',
    file: 'ledger/ledger.ts',
    from: 'if (this.cutBeforeMs === undefined || this.#unsynced.isBegun) return;',
    to: 'if (this.cutBeforeMs !== undefined) return;',
    breaks:
      'a power cut is over once a start has done what it asks, also where nothing is written ahead of the disk',
  },
  {
    bug: 'a start takes back its own word with that of the cut',
    file: 'ledger/ledger.ts',
    from: 'if (this.cutBeforeMs === undefined || this.#unsynced.isBegun) return;',
    to: 'if (this.cutBeforeMs === undefined) return;',
    breaks:
      'a start behind a power cut takes back no word of what it has written ahead of the disk itself',
  },
  {
    bug: 'nobody says that a power cut may take something',
    file: 'ledger/ledger.ts',
    from: 'if (word !== undefined) this.setFact(UNSYNCED_FACT, word);',
    to: '',
    breaks: 'a run that a power cut may have cost its last words is known by it, and no other',
  },
  {
    bug: 'an end in good order is taken for a power cut',
    file: 'ledger/ledger.ts',
    from: '    this.#endUnsynced();\n',
    to: '',
    breaks: 'a run that a power cut may have cost its last words is known by it, and no other',
  },
  {
    bug: 'stops beside the ledger are not synced',
    file: 'files.ts',
    from: '      fsyncSync(handle);\n    } finally {',
    to: '    } finally {',
    breaks: 'stops outlive a power cut in both places',
  },
  {
    bug: 'rows of a commit that failed stay counted',
    file: 'ledger/ledger.ts',
    from: '        opened.rows.undo();\n',
    to: '',
    breaks:
      'a disk that is full takes nothing, damages nothing, and is written again when it has room',
  },
  {
    bug: 'the newest ended hashes are forgotten instead of the oldest',
    file: 'ledger/queries.ts',
    from: 'ORDER BY state_since_ms DESC LIMIT 20000',
    to: 'ORDER BY state_since_ms LIMIT 20000',
    breaks: 'of ended orders the oldest are forgotten',
  },
  {
    bug: 'the mark is not written after a commit',
    file: 'ledger/ledger.ts',
    from: 'this.#mark?.write(chain);',
    to: '',
    breaks: 'a ledger that lacks its latest commit is damaged',
  },
  {
    bug: 'one commit less is none less',
    file: 'ledger/damage.ts',
    from: 'if (lost > 0)',
    to: 'if (lost > 1)',
    breaks: 'a ledger that lacks its latest commit is damaged',
  },
  {
    bug: 'the checksum of the chain is not compared',
    file: 'ledger/damage.ts',
    from: 'ledger.head !== mark.head',
    to: 'ledger.head === mark.id',
    breaks: 'a fork of a ledger is not the ledger',
  },
  {
    bug: 'the checksum of the chain does not run on',
    file: 'ledger/chain.ts',
    from: "hash('sha256', text)",
    to: "hash('sha256', id + String(count))",
    breaks: 'a fork of a ledger is not the ledger',
  },
  {
    bug: 'any ledger is taken for this one',
    file: 'ledger/damage.ts',
    from: 'ledger.id !== mark.id',
    to: "ledger.id === ''",
    breaks: 'the ledger of another journal is not the ledger',
  },
  {
    bug: 'rows are counted and not summed',
    file: 'ledger/sealed.ts',
    from: 'return kept.sum === found.sum ?',
    to: 'return kept.rows === found.rows ?',
    breaks: 'a row that was changed by somebody else is damage',
  },
  {
    bug: 'a row that is removed stays counted',
    file: 'ledger/sealed.ts',
    from: 'this.#count(table, -1, -crc);',
    to: '',
    breaks: 'what is pruned, replaced and removed is no damage',
  },
  {
    bug: 'a row that is replaced is added to the sum',
    file: 'ledger/sealed.ts',
    from: 'crc - before',
    to: 'crc',
    breaks: 'what is pruned, replaced and removed is no damage',
  },
  {
    bug: 'ended orders are pruned as soon as they have ended',
    file: 'ledger/queries.ts',
    from: 'ENDED_KEPT = { ms: 3_600_000,',
    to: 'ENDED_KEPT = { ms: 3_600,',
    breaks: 'an order that has ended is reported for an hour',
  },
  {
    bug: 'a settlement told again replaces the first',
    file: 'ledger/statements.ts',
    from: "return once('settlements', settlementCells(record.settlement), record.settlement.atMs);",
    to: "return { kind: 'replace', table: 'settlements', cells: settlementCells(record.settlement) };",
    breaks: 'a settlement that is told again counts once, as it was told first',
  },
  {
    bug: 'the ledger is not held between two commits',
    file: 'ledger/database.ts',
    from: '    try {\n      this.#statement(HOLD).run([]);',
    to: '    try {',
    breaks: 'nobody else writes a ledger that is open, and everybody reads it',
  },
  {
    bug: 'what somebody else wrote after a failure is not seen',
    file: 'ledger/database.ts',
    from: 'return this.#versionNow() !== this.#version;',
    to: 'return false;',
    breaks: 'a ledger that somebody else has written to is written no more',
  },
  {
    bug: 'the ledger is for this process alone',
    file: 'ledger/database.ts',
    from: "this.#library.exec('PRAGMA journal_mode = WAL');",
    to: "this.#library.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');",
    breaks: 'nobody else writes a ledger that is open, and everybody reads it',
  },
  {
    bug: 'stops are not written beside the ledger',
    file: 'ledger/ledger.ts',
    from: 'if (records.some(KeptStops.isAbout)) this.#keepStops();',
    to: '',
    breaks: 'stops stand beside the ledger, too, with the number of their write in it',
  },
  {
    bug: 'the number of the write is not kept with stops',
    file: 'ledger/ledger.ts',
    from: 'if (stopsNumber !== undefined)',
    to: 'if (stopsNumber === 0)',
    breaks: 'stops stand beside the ledger, too, with the number of their write in it',
  },
  {
    bug: 'the halt beside the ledger does not count',
    file: 'ledger/kept-stops.ts',
    from: 'halt: one.halt ?? other.halt',
    to: 'halt: one.halt',
    breaks: 'the stricter of two stops holds',
  },
  {
    bug: 'the lower baseline is taken for the stricter one',
    file: 'ledger/kept-stops.ts',
    from: 'sessionNano: Math.max(',
    to: 'sessionNano: Math.min(',
    breaks: 'the stricter of two stops holds',
  },
  {
    bug: 'the milder of two controls holds',
    file: 'ledger/kept-stops.ts',
    from: 'if (byLevel !== 0) return byLevel > 0;',
    to: 'if (byLevel !== 0) return byLevel < 0;',
    breaks: 'the stricter of two stops holds',
  },
  {
    bug: 'files may be read by everybody',
    file: 'files.ts',
    from: 'export const OWNER_ONLY = 0o600;',
    to: 'export const OWNER_ONLY = 0o644;',
    breaks: 'the files are for their owner alone',
  },
  {
    bug: 'a claim may be read by everybody',
    file: 'claims.ts',
    from: ', mode: OWNER_ONLY }',
    to: ' }',
    breaks: 'the files are for their owner alone',
  },
  {
    bug: 'a latch that cannot be read is none',
    file: 'latch.ts',
    from: "if (errorCode(error) === 'ENOENT') return undefined;\n    return unreadable(errorCode(error));",
    to: 'return undefined;',
    breaks: 'a latch that cannot be read is a latch',
  },
  {
    bug: 'who holds the journal already is not looked for',
    file: 'lock.ts',
    from: 'if (alive !== undefined) return alive;',
    to: '',
    breaks: 'a journal that is held is held by one',
  },
];

const mayLosePower = mayCut();
const canBeTried = (law: LawName) => mayLosePower || !POWER_LAWS.includes(law);

let folder = '';
let copies = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bookend-bugs-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The journal of a copy of the program, with a bug in it where one is named. */
async function journalWith(bug: Bug | undefined): Promise<Journal> {
  copies += 1;
  const source = join(folder, `copy-${copies}`, 'src');
  mkdirSync(source, { recursive: true });
  symlinkSync(join(ROOT, 'src/domain'), join(source, 'domain'));
  const journal = join(source, 'journal');
  cpSync(join(ROOT, 'src/journal'), journal, { recursive: true });
  if (bug !== undefined) {
    const text = readFileSync(join(journal, bug.file), 'utf8');
    // A bug that finds no place is none: the program has changed, and so must the bug.
    expect(text.split(bug.from)).toHaveLength(2);
    writeFileSync(
      join(journal, bug.file),
      text.replace(bug.from, () => bug.to),
    );
  }
  const files = ['ledger/ledger.ts', 'ledger/kept-stops.ts', 'latch.ts', 'lock.ts'];
  const parts = await Promise.all(files.map((file) => import(join(journal, file))));
  return Object.assign({}, ...parts);
}

describe('a journal', () => {
  const names = Object.keys(LAWS).filter((name): name is LawName => name in LAWS);

  for (const name of names) {
    it.skipIf(!canBeTried(name))(`keeps the law that ${name}`, async () => {
      await LAWS[name](await journalWith(undefined), lawFolder(folder));
    });
  }

  it('has a bug planted against each of its laws', () => {
    expect(new Set(BUGS.map(({ breaks }) => breaks))).toEqual(new Set(names));
  });
});

describe('a planted bug is found', () => {
  for (const bug of BUGS) {
    it.skipIf(!canBeTried(bug.breaks))(bug.bug, async () => {
      const journal = await journalWith(bug);
      await expect(LAWS[bug.breaks](journal, lawFolder(folder))).rejects.toThrow();
    });
  }
});

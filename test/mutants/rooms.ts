// Which tests judge which files.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export type Room = {
  readonly name: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
};

const KILL = [
  'src/app/in-flight-tracker.ts',
  'src/app/guard-kill.ts',
  'src/app/kept-latch.ts',
  'src/app/outlast.ts',
  'src/app/http-operator.ts',
  'src/app/guard-hold.ts',
  'src/app/short-way.ts',
  'src/app/kept-own.ts',
  'src/cli/errand-latch.ts',
  'src/cli/kill-errand.ts',
  'src/cli/kill.ts',
];

const KILL_TESTS = [
  'in-flight-tracker',
  'guard-kill',
  'kept-latch',
  'outlast',
  'kill-at',
  'http-operator',
  'guard-hold',
  'short-way',
  'kept-own',
  'daemon',
];

/** Recordings are read back, the operators' record is checked, and stops are carried over by what lies above. */
const JOURNAL_USERS = [
  'replay',
  'record',
  'operator-record',
  'stopped-control',
  'unwritten-stops',
].map((name) => `test/unit/app/${name}.test.ts`);

export function rooms(root: string): readonly Room[] {
  const within = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`)
      .toSorted();
  return [
    { name: 'guard', files: within('src/guard'), tests: ['test/unit/guard'] },
    {
      name: 'journal',
      files: within('src/journal'),
      tests: ['test/unit/journal', ...JOURNAL_USERS],
    },
    {
      name: 'kill',
      files: KILL,
      tests: [
        ...KILL_TESTS.map((name) => `test/unit/app/${name}.test.ts`),
        'test/unit/cli/errand-latch.test.ts',
        'test/unit/cli/kill-errand.test.ts',
        'test/unit/cli/kill.test.ts',
        'test/unit/guard',
      ],
    },
  ];
}

// What the doctor finds: one line each, and what would cure it.

import { EXIT, type ExitCode } from '../../app/exit.ts';

/**
 * `refused`: as things are, a daemon would not start or not trade. `failed`: the question could not
 * be answered, or the venue is not as its interface says. `note`: works, and deserves a look.
 */
export type FindingKind = 'ok' | 'note' | 'skipped' | 'refused' | 'failed';

export type Finding = {
  readonly check: string;
  readonly kind: FindingKind;
  readonly detail: string;
  /** What a person should do; only where something is wrong. */
  readonly cure?: string;
};

export function ok(check: string, detail: string): Finding {
  return { check, kind: 'ok', detail };
}

export function note(check: string, detail: string, cure: string): Finding {
  return { check, kind: 'note', detail, cure };
}

export function skipped(check: string, detail: string): Finding {
  return { check, kind: 'skipped', detail };
}

export function refused(check: string, detail: string, cure: string): Finding {
  return { check, kind: 'refused', detail, cure };
}

export function failed(check: string, detail: string, cure: string): Finding {
  return { check, kind: 'failed', detail, cure };
}

/** 3 when a start would be refused, 1 when something could not be found out, else 0. */
export function exitOf(findings: readonly Finding[]): ExitCode {
  const kinds = new Set(findings.map(({ kind }) => kind));
  if (kinds.has('refused')) return EXIT.refused;
  return kinds.has('failed') ? EXIT.failed : EXIT.done;
}

const MARKS: Readonly<Record<FindingKind, string>> = {
  ok: 'ok',
  note: 'note',
  skipped: 'skipped',
  refused: 'WRONG',
  failed: 'FAILED',
};

export function findingLines(findings: readonly Finding[]): readonly string[] {
  const width = Math.max(0, ...findings.map(({ check }) => check.length));
  return findings.flatMap(({ check, kind, detail, cure }) => {
    const line = `${MARKS[kind].padEnd(8)}${check.padEnd(width)}  ${detail}`.trimEnd();
    return cure === undefined ? [line] : [line, `${' '.repeat(width + 10)}→ ${cure}`];
  });
}

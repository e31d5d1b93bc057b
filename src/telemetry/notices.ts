// What reaches people without Prometheus: a few log events that mean that quotes are away or orders may rest, in
// words. They are taken from the log, so that nothing can be in one and not in the other.

import { hostname } from 'node:os';
import { redacted } from '../domain/redact.ts';
import { REPORT_SEVERITY, type Severity } from '../domain/report.ts';
import { visibleJson } from '../domain/unseen.ts';
import type { Log, LogFields } from './logs.ts';
import { masked } from './mask.ts';

export type Notice = {
  readonly event: string;
  readonly text: string;
  readonly fields: LogFields;
};

type Words = (fields: LogFields) => string | undefined;

const PHASES: Readonly<Record<string, string>> = {
  killing: 'KILL: everything is being cancelled',
  killed: 'KILLED: nothing rests, and nothing is quoted until somebody resumes',
  halted: 'HALTED: a limit was broken; quotes are pulled until somebody resumes',
};

const UNLATCHED = 'A kill is on no disk: restart nothing, make room on the disk of the journal';

const WORDS: Readonly<Record<string, Words>> = {
  'phase.changed': ({ to, reason }) => {
    const says = PHASES[String(to)];
    return says === undefined ? undefined : `${says} (${String(reason)})`;
  },
  'risk.halted': ({ limit, detail }) => `HALT by ${String(limit)}: ${String(detail)}`,
  'account.conflict': ({ detail }) =>
    `CONFLICT: somebody else uses the account (${String(detail)})`,
  'latch.failed': () => UNLATCHED,
  'guard.latch_failed': () => UNLATCHED,
  'guard.kill': () => 'KILL by the watchdog: everything is being cancelled',
  'guard.trader_died': ({ reason, detail }) =>
    `DEATH: the trader died (${String(reason)}, ${String(detail)}); the watchdog cancels its orders`,
  'guard.not_clear': () =>
    'NOT CLEAR: orders of the dead trader may rest on the venue; run bookend kill',
  'guard.staying_down': ({ why }) => `DOWN: the trader is not started again (${String(why)})`,
  'guard.starved': () => 'The machine does not let the trader run: its quotes are pulled',
  'daemon.goes_on': () => 'The watchdog is gone: the trader cancels everything and ends',
};

const NOT_CONFIRMED: Words = ({ stillOpen, detail }) =>
  `NOT CONFIRMED: ${String(stillOpen)} orders may rest on the venue (${String(detail)}); run bookend kill`;

/** A report of a kill that is an error says that the venue has not confirmed it. */
function wordsOf(event: string): Words | undefined {
  const severities: Readonly<Record<string, Severity>> = REPORT_SEVERITY;
  const isOpenKill = event.startsWith('kill.') && severities[event] === 'error';
  return isOpenKill ? NOT_CONFIRMED : WORDS[event];
}

/** The notice of a log event; most have none. */
export function noticeOf(event: string, fields: LogFields = {}): Notice | undefined {
  const said = wordsOf(event)?.(fields);
  if (said === undefined) return undefined;
  return {
    event,
    text: plainText(redacted(`bookend on ${hostname()}: ${said}`)),
    fields: masked({ ...fields }),
  };
}

const LOOKALIKES: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '@': '＠' };

/**
 * A text that no chat makes anything of: a strategy or a venue whose words stand in it calls nobody (`@everyone`,
 * `<!channel>`), hides no address behind a word (`[log in](…)`), and steers no terminal in which a program shows it.
 */
function plainText(text: string): string {
  const shown = visibleJson(text.replaceAll(/\p{Cc}+/gu, ' '));
  const uncalled = shown.replaceAll(/[<>@]/g, (character) => LOOKALIKES[character] ?? '');
  return uncalled.replaceAll('](', '] (');
}

/** The same log; what is a notice goes to people as well, whatever the level of the log is. */
export function withNotices(log: Log, send: ((notice: Notice) => void) | undefined): Log {
  if (send === undefined) return log;
  const tell = (event: string, fields?: LogFields): void => {
    const notice = noticeOf(event, fields);
    if (notice !== undefined) send(notice);
  };
  return {
    ...log,
    info: (event, fields) => {
      log.info(event, fields);
      tell(event, fields);
    },
    warn: (event, fields) => {
      log.warn(event, fields);
      tell(event, fields);
    },
    error: (event, fields) => {
      log.error(event, fields);
      tell(event, fields);
    },
    report: (report) => {
      log.report(report);
      const { event, ...fields } = report;
      tell(event, fields);
    },
  };
}

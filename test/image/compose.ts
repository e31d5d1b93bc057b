// The rights and bounds of the service in ops/compose.yaml, as flags of podman: what is tried is what is shipped.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Service = {
  readonly command: readonly string[];
  readonly stop_grace_period: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly tmpfs: readonly string[];
  readonly mem_limit: string;
  readonly pids_limit: number;
  readonly environment: Readonly<Record<string, string>>;
};

/** Keys that say nothing of rights and bounds, or that each container here has of its own. */
const ELSEWHERE = ['build', 'image', 'restart', 'configs', 'volumes', 'ports', 'logging'];
const KNOWN = [
  ...['command', 'stop_grace_period', 'read_only', 'cap_drop', 'security_opt', 'tmpfs'],
  ...['mem_limit', 'pids_limit', 'environment'],
];

export function composed(): {
  readonly command: readonly string[];
  readonly graceSec: number;
  readonly flags: readonly string[];
} {
  const { services } = parse(readFileSync('ops/compose.yaml', 'utf8'), { merge: true }) as {
    readonly services: { readonly bookend: Service };
  };
  const service = services.bookend;
  const unread = Object.keys(service).filter((key) => ![...KNOWN, ...ELSEWHERE].includes(key));
  assert.deepEqual(unread, [], 'keys of the service that no flag stands for');
  const graceSec = Number.parseInt(service.stop_grace_period, 10);
  return { command: service.command, graceSec, flags: flagsOf(service) };
}

function flagsOf(service: Service): readonly string[] {
  // What the person who starts it sets, `${NAME:-}`, is empty here.
  const set = Object.entries(service.environment).filter(([, value]) => !value.startsWith('${'));
  return [
    `--read-only=${service.read_only}`,
    '--read-only-tmpfs=false',
    ...service.cap_drop.map((name) => `--cap-drop=${name}`),
    ...service.security_opt.map((option) => `--security-opt=${option.replace(':true', '')}`),
    ...service.tmpfs.map((mount) => `--tmpfs=${mount}`),
    `--memory=${service.mem_limit}`,
    `--pids-limit=${service.pids_limit}`,
    ...set.map(([name, value]) => `--env=${name}=${value}`),
  ];
}

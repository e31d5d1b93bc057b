// What image and compose files promise, as far as their text can show it.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStrategies } from '../../src/app/strategies.ts';
import { loadSettings } from '../../src/settings/load.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Instructions in order, continuation lines joined and comments dropped. */
const INSTRUCTIONS = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '');

const STAGES = INSTRUCTIONS.filter((line) => line.startsWith('FROM '));
const RUNTIME = INSTRUCTIONS.slice(INSTRUCTIONS.lastIndexOf(STAGES.at(-1) ?? '') + 1);

function stage(name: string): readonly string[] {
  const from = INSTRUCTIONS.findIndex((line) => line.endsWith(` AS ${name}`)) + 1;
  const to = INSTRUCTIONS.findIndex((line, index) => index >= from && line.startsWith('FROM '));
  return INSTRUCTIONS.slice(from, to < 0 ? undefined : to);
}

describe('the image', () => {
  it('is built in stages, each on the same slim Node 24, which a release names by its digest', () => {
    expect(INSTRUCTIONS[0]).toBe('ARG NODE_IMAGE=node:24-slim');
    expect(INSTRUCTIONS.filter((line) => line.startsWith('ARG '))).toHaveLength(1);
    expect(STAGES.length).toBeGreaterThanOrEqual(2);
    const names = STAGES.map((line) => / AS (\w+)$/.exec(line)?.[1]);
    const bases = STAGES.map((line) => line.split(' ')[1] ?? '');
    const strange = bases.filter(
      (base, stage) => !/^\$\{NODE_IMAGE\}$/.test(base) && !names.slice(0, stage).includes(base),
    );
    expect(strange).toEqual([]);
  });

  it('installs from the lock, and for running without development packages', () => {
    const installs = INSTRUCTIONS.filter((line) => /\bnpm (ci|install|i)\b/.test(line));
    expect(installs.map((line) => line.split(' && ')[0])).toEqual([
      'RUN npm ci',
      'RUN npm ci --omit=dev',
    ]);
  });

  it('ends as an ordinary user', () => {
    expect(RUNTIME.filter((line) => line.startsWith('USER ')).at(-1)).toBe('USER node');
    const user = RUNTIME.indexOf('USER node');
    expect(RUNTIME.slice(user).filter((line) => /^(RUN|COPY|ADD)\b/.test(line))).toEqual([]);
  });

  it('stops by SIGTERM through a first process that reaps and forwards', () => {
    expect(RUNTIME).toContain('STOPSIGNAL SIGTERM');
    expect(RUNTIME).toContain('ENTRYPOINT ["tini", "--", "node", "dist/src/main.js"]');
    expect(STAGES.at(-1)).toBe('FROM base AS runtime');
    expect(stage('base').some((line) => line.includes('--no-install-recommends --yes tini'))).toBe(
      true,
    );
  });

  it('checks its health with Node alone', () => {
    const check = RUNTIME.find((line) => line.startsWith('HEALTHCHECK '));
    expect(check).toMatch(/--timeout=\d+s/);
    expect(check).toContain('CMD ["node", "-e", "fetch(');
    expect(check).toContain('/healthz');
    expect(INSTRUCTIONS.filter((line) => /curl|wget/.test(line))).toEqual([]);
  });

  it('runs a health check that is a program', () => {
    const check = RUNTIME.find((line) => line.startsWith('HEALTHCHECK ')) ?? '';
    const command = JSON.parse(check.slice(check.indexOf('['))) as readonly string[];
    expect(() => new Function(String(command[2]))).not.toThrow();
  });

  it('writes to /data only, which is the user’s and a volume', () => {
    expect(RUNTIME).toContain('VOLUME ["/data"]');
    expect(RUNTIME.some((line) => /install .*--owner=node .* \/data$/.test(line))).toBe(true);
  });

  it('copies only what the build context has', () => {
    const context = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const copied = INSTRUCTIONS.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) =>
      line.split(' ').slice(1, -1),
    );
    expect(copied.filter((path) => !context.includes(`!${path.replace('./', '')}`))).toEqual([]);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('knows the licence and the name of what is in it', () => {
    expect(RUNTIME.join('\n')).toContain('org.opencontainers.image.licenses="Apache-2.0"');
    expect(RUNTIME.join('\n')).toContain('org.opencontainers.image.title="bookend"');
  });
});

type Service = {
  readonly image: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly mem_limit: string;
  readonly pids_limit: number;
  readonly restart: string;
  readonly ports: readonly string[];
  readonly stop_grace_period?: string;
  readonly volumes: readonly string[];
};

type Compose = { readonly services: Readonly<Record<string, Service>> };

const read = (name: string) =>
  parse(readFileSync(join(ROOT, 'ops', name), 'utf8'), { merge: true }) as Compose;

describe.each(Object.entries(read('compose.yaml').services))('the service %s', (_name, service) => {
  it('has as few rights as it can', () => {
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
  });

  it('has bounds and comes back by itself', () => {
    expect(service.mem_limit).toMatch(/^\d+m$/);
    expect(service.pids_limit).toBeGreaterThan(0);
    expect(service.restart).toBe('unless-stopped');
  });

  it('is reachable from this machine only', () => {
    expect(service.ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('mounts only files that exist', () => {
    const files = service.volumes.filter((volume) => volume.startsWith('./'));
    const missing = files.filter(
      (file) => !existsSync(join(ROOT, 'ops', file.split(':')[0] ?? '')),
    );
    expect(missing).toEqual([]);
  });

  it('runs a stated version', () => {
    expect(service.image).toMatch(/^bookend$|:v?\d+\.\d+\.\d+$/);
  });
});

describe('the configuration of the compose file', () => {
  it('is valid, and Prometheus may call', async () => {
    const strategies = await loadStrategies();
    const file = join(ROOT, 'ops/bookend.yaml');
    const settings = loadSettings({ file, env: {}, strategies });
    expect(settings.http.allowedHosts).toContain('bookend');
    expect(settings.journal.path).toMatch(/^\/data\//);
  });

  it('lets the daemon confirm its shutdown before it is killed', async () => {
    const strategies = await loadStrategies();
    const file = join(ROOT, 'ops/bookend.yaml');
    const { guard } = loadSettings({ file, env: {}, strategies });
    const grace = read('compose.yaml').services['bookend']?.stop_grace_period ?? '';
    // Everything has ended by then, the guard included; a machine that is busy adds some seconds.
    const neededMs = (guard.stopDeadlineSec + 5) * 1_000;
    expect(guard.stopDeadlineSec).toBeGreaterThan(0);
    expect(grace).toMatch(/^\d+s$/);
    expect(Number.parseInt(grace, 10) * 1_000).toBeGreaterThan(neededMs);
  });

  it('keeps credentials out of the files and out of git', () => {
    const live = readFileSync(join(ROOT, 'ops/compose.live.yaml'), 'utf8');
    expect(parse(live)).toMatchObject({
      services: { bookend: { environment: { VENUE_CREDENTIALS_FILE: '/run/secrets/venue' } } },
      secrets: { venue: { file: './secrets/venue.json' } },
    });
    expect(readFileSync(join(ROOT, 'ops/secrets/.gitignore'), 'utf8')).toContain('\n*\n');
  });
});

// The ways to run the daemon on a host of one's own: image, compose, systemd, Kustomize and Helm say the same.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStrategies } from '../../src/app/strategies.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { rendered } from './helm.ts';
import { ROOT } from './project-files.ts';

const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const has = (program: string) => spawnSync(program, ['--help'], { stdio: 'ignore' }).status === 0;
const HAS_SYSTEMD = has('systemd-analyze');
if (!HAS_SYSTEMD)
  console.warn('SKIPPED: systemd-analyze is not installed, so it does not judge the unit');
const HAS_KUBECTL = has('kubectl');
if (!HAS_KUBECTL)
  console.warn('SKIPPED: kubectl is not installed, so Kustomize does not build ops/kubernetes');

type Container = {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: object;
  readonly livenessProbe: object;
  readonly readinessProbe: object;
};
type Pod = {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number };
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string }[];
};
type Resource = {
  readonly kind: string;
  readonly spec: { readonly replicas: number; readonly template: { readonly spec: Pod } };
};

const VALUES = parse(text('ops/helm/values.yaml')) as Record<string, unknown>;
const chart = (
  values: Readonly<Record<string, unknown>>,
  release = 'bookend',
): readonly Resource[] =>
  readdirSync(join(ROOT, 'ops/helm/templates'))
    .map((name) => {
      const all = { Release: { Name: release }, Values: { ...VALUES, ...values } };
      return parse(rendered(text(`ops/helm/templates/${name}`), all)) as Resource | null;
    })
    .filter((each) => each !== null);
const LIVE = { command: 'run', venueSecret: 'bookend-venue', serviceMonitor: true };
const BASE = ['statefulset.yaml', 'service.yaml'].map(
  (name) => parse(text(`ops/kubernetes/base/${name}`)) as Resource,
);

const setOf = (resources: readonly Resource[]) => {
  const found = resources.find(({ kind }) => kind === 'StatefulSet');
  if (found === undefined) throw new Error('no StatefulSet');
  return found.spec;
};
const podOf = (resources: readonly Resource[]) => setOf(resources).template.spec;

const UNIT = text('ops/bookend.service');
const unit = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(UNIT)?.[1];
const COMPOSED = (
  parse(text('ops/compose.yaml'), { merge: true }) as {
    services: { bookend: Record<string, unknown> & { environment: Record<string, string> } };
  }
).services.bookend;

const settingsOf = async (yaml: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'bookend-hosts-'));
  try {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, yaml);
    return loadSettings({ file, env: {}, strategies: await loadStrategies() });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const PODS = [
  {
    name: 'the base of Kustomize',
    pod: podOf(BASE),
    config: text('ops/kubernetes/base/config.yaml'),
  },
  { name: 'the chart', pod: podOf(chart({})), config: String(VALUES['config']) },
];

it('is scraped as the job of the alerts, whatever the release is called', () => {
  const [rule] = /up\{job="(\w+)"\}/.exec(text('ops/prometheus/alerts.yml')) ?? [];
  expect(rule).toBe('up{job="bookend"}');
  type Scraped = { readonly kind: string; readonly spec: { readonly jobLabel?: string } };
  const resources = chart(LIVE, 'maker-one') as readonly unknown[] as readonly (Scraped & {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  })[];
  const label = resources.find(({ kind }) => kind === 'ServiceMonitor')?.spec.jobLabel ?? '';
  const service = resources.find(({ kind }) => kind === 'Service');
  expect(service?.metadata.labels[label]).toBe('bookend');
});

describe.each(PODS)('the pod of $name', ({ pod, config }) => {
  const [container] = pod.containers;

  it('has a configuration that is valid, reachable, and writes to its volume', async () => {
    const settings = await settingsOf(config);
    expect(settings.http.host).toBe('0.0.0.0');
    expect(container.ports).toMatchObject([{ containerPort: settings.http.port }]);
    expect(text('Dockerfile')).toContain(`EXPOSE ${settings.http.port}\n`);
    // Of its own in the volume: the volume itself belongs to root, and others could read it.
    expect(settings.journal.path).toMatch(/^\/data\/\w+\/\w+\.db$/);
    expect(container.volumeMounts).toContainEqual({ name: 'journal', mountPath: '/data' });
  });

  it('has the time to confirm its stop, as under compose', async () => {
    const { guard } = await settingsOf(config);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(guard.stopDeadlineSec + 5);
    expect(COMPOSED['stop_grace_period']).toBe(`${pod.terminationGracePeriodSeconds}s`);
  });

  it('is not ended while its watchdog waits behind a dead trader, when `/healthz` is 503', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const probes = [startupProbe, livenessProbe, readinessProbe];
    expect(probes).toMatchObject([
      { tcpSocket: { port: 'http' } },
      { tcpSocket: { port: 'http' } },
      { httpGet: { path: '/readyz', port: 'http' } },
    ]);
  });

  it('runs without a right, by the restricted standard of pods', () => {
    expect(pod.securityContext).toMatchObject({
      ...{ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    });
  });

  it('starts as compose does, with the same heap below the same memory', () => {
    expect(container.args).toEqual(COMPOSED['command']);
    const heap = container.env.find(({ name }) => name === 'NODE_OPTIONS')?.value;
    expect(heap).toBe(COMPOSED.environment['NODE_OPTIONS']);
    expect(container.resources.limits.memory).toBe(
      String(COMPOSED['mem_limit']).replace('m', 'Mi'),
    );
  });
});

describe('Kubernetes', () => {
  it('runs one daemon at a time', () => {
    expect(setOf(BASE).replicas).toBe(1);
    expect(setOf(chart({})).replicas).toBe(1);
  });

  it('has the same pod by Kustomize and by Helm', () => {
    const image = String(VALUES['image']);
    const [container] = podOf(BASE).containers;
    const base = { ...podOf(BASE), containers: [{ ...container, image }] };
    const [{ resources, ...rest }] = podOf(chart({})).containers;
    const [{ resources: asked, ...wanted }] = base.containers as [Container];
    expect(rest).toEqual(wanted);
    expect(resources.limits).toEqual(asked.limits);
    expect({ ...podOf(chart({})), containers: [] }).toEqual({ ...base, containers: [] });
  });

  it('gives a real venue’s credentials as a file, by Kustomize and by Helm', () => {
    const patch = podOf([parse(text('ops/kubernetes/live/venue.yaml')) as Resource]);
    const live = podOf(chart(LIVE));
    for (const pod of [patch, live]) {
      const [{ args, env, volumeMounts }] = pod.containers;
      expect(args.slice(0, 1)).toEqual(['run']);
      const file = env.find(({ name }) => name === 'VENUE_CREDENTIALS_FILE')?.value;
      const mount = volumeMounts.find(({ name }) => name === 'venue');
      expect(file).toBe(`${mount?.mountPath}/venue.json`);
      expect(pod.volumes).toContainEqual({
        name: 'venue',
        secret: { secretName: 'bookend-venue', defaultMode: 0o440 },
      });
    }
    expect(JSON.stringify(podOf(chart({})))).not.toContain('venue.json');
  });

  it.each(['base', 'live'])('lets a running daemon judge a new configuration, by %s', (path) => {
    const { generatorOptions } = parse(text(`ops/kubernetes/${path}/kustomization.yaml`));
    // A hash in its name would end the pod for each edit, and start one with what the daemon would have refused.
    expect(generatorOptions).toEqual({ disableNameSuffixHash: true });
  });

  it.each(['compose.live.yaml', 'kubernetes/live/kustomization.yaml', 'helm/values.yaml'])(
    'says that a real venue wants another journal than paper: %s',
    (path) => expect(text(`ops/${path}`)).toMatch(/\/data\/(bookend\/)?live\.db/),
  );

  it('knows every field of every resource, with its type', () => {
    const resources = [...BASE, ...chart({}), ...chart(LIVE)];
    expect(typeFaults(resources)).toBe('');
    const misspelt = structuredClone(podOf(BASE)) as unknown as Record<string, unknown>;
    misspelt['terminationGraceSeconds'] = 30;
    const wrong = { ...BASE[0], spec: { ...setOf(BASE), template: { spec: misspelt } } };
    expect(typeFaults([wrong as unknown as Resource])).toContain('terminationGraceSeconds');
  });

  it.skipIf(!HAS_KUBECTL)('is built by Kustomize, for paper and for a real venue', () => {
    const build = (path: string) =>
      execFileSync('kubectl', ['kustomize', path], { cwd: ROOT, encoding: 'utf8' });
    expect(build('ops/kubernetes/base')).toContain('- paper\n');
    const folder = mkdtempSync(join(tmpdir(), 'bookend-kustomize-'));
    try {
      cpSync(join(ROOT, 'ops/kubernetes'), folder, { recursive: true });
      writeFileSync(join(folder, 'live/config.yaml'), 'http: {}\n');
      const live = build(join(folder, 'live'));
      expect(live).toContain('- run\n');
      expect(live).toContain('secretName: bookend-venue');
      expect(live).toContain('http: {}');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** What the compiler says of resources as literals of the Kubernetes API: a field it does not know is a fault. */
function typeFaults(resources: readonly Resource[]): string {
  const folder = join(ROOT, 'dist');
  mkdirSync(folder, { recursive: true });
  const made = mkdtempSync(join(folder, 'resources-'));
  const places: Readonly<Record<string, string>> = { StatefulSet: 'apps/v1' };
  // A monitor is of an operator that has types of its own.
  const known = resources.filter(({ kind }) => kind !== 'ServiceMonitor');
  const lines = known.map((resource, index) => {
    const type = `import('kubernetes-types/${places[resource.kind] ?? 'core/v1'}').${resource.kind}`;
    return `export const each${index}: ${type} = ${JSON.stringify(resource, null, 1)};`;
  });
  try {
    writeFileSync(join(made, 'resources.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'esnext'];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const more = ['--moduleResolution', 'bundler', '--types', '', '--ignoreConfig'];
    const { stdout } = spawnSync(tsc, [...options, ...more, 'resources.ts'], {
      ...{ cwd: made, encoding: 'utf8' },
    });
    return stdout;
  } finally {
    rmSync(made, { recursive: true });
  }
}

describe('the unit of systemd', () => {
  it('starts the program that the build makes', () => {
    expect(unit('WorkingDirectory')).toBe('/opt/bookend');
    expect(unit('ExecStart')).toBe(
      '/usr/bin/node dist/src/main.js run --config /etc/bookend/config.yaml',
    );
    expect(JSON.parse(text('package.json')).scripts.start).toContain(' node dist/src/main.js ');
  });

  it('gives a stop the same time as compose, and watchdog and trader their signal', () => {
    expect(`${unit('TimeoutStopSec')}s`).toBe(COMPOSED['stop_grace_period']);
    // `mixed` and `process` would kill, or leave, a trader whose watchdog has gone.
    expect(unit('KillMode')).toBe('control-group');
    expect(unit('KillSignal')).toBe('SIGTERM');
    expect(unit('OOMPolicy')).toBe('continue');
  });

  it('has the same memory and heap as compose', () => {
    expect(unit('MemoryMax')).toBe(String(COMPOSED['mem_limit']).toUpperCase());
    expect(unit('TasksMax')).toBe(String(COMPOSED['pids_limit']));
    expect(UNIT).toContain(` NODE_OPTIONS=${COMPOSED.environment['NODE_OPTIONS']}\n`);
  });

  it('comes back after a failure, but not to a configuration that is wrong', () => {
    expect(unit('Restart')).toBe('on-failure');
    expect(unit('RestartPreventExitStatus')).toBe('2');
    // With a limit of starts a name server that comes up a minute late would leave it down for ever.
    expect(unit('StartLimitIntervalSec')).toBe('0');
  });

  it.skipIf(!HAS_SYSTEMD)('is exposed to little, as systemd judges', () => {
    const judge = ['security', '--offline=true', '--threshold=20', '--no-pager'];
    const { status, stdout } = spawnSync('systemd-analyze', [...judge, 'ops/bookend.service'], {
      ...{ cwd: ROOT, encoding: 'utf8' },
    });
    expect(stdout).toContain('Overall exposure level for bookend.service');
    expect(status).toBe(0);
  });
});

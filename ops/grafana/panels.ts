// Words of a Grafana dashboard, as few as ours need: what is said once here is the same on every page.

export type Target = { readonly expr: string; readonly legend: string };

export type Panel = {
  readonly kind: 'row' | 'stat' | 'series' | 'states' | 'bars';
  readonly title: string;
  readonly help: string;
  readonly unit: string;
  readonly width: number;
  readonly targets: readonly Target[];
  /** Words for numbers, as for 0 and 1. */
  readonly words?: Readonly<Record<string, { readonly text: string; readonly color: string }>>;
};

export type Page = {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly hasMarkets: boolean;
  readonly panels: readonly Panel[];
};

type Style = { readonly unit?: string; readonly width?: number; readonly help?: string };

export function row(title: string): Panel {
  return { kind: 'row', title, help: '', unit: 'short', width: 24, targets: [] };
}

/** The last value, large. */
export function stat(
  title: string,
  target: Target,
  style: Style & Pick<Panel, 'words'> = {},
): Panel {
  const { words } = style;
  const panel = made('stat', title, [target], { width: 4, ...style });
  return words === undefined ? panel : { ...panel, words };
}

/** Lines over time. */
export function series(title: string, targets: readonly Target[], style: Style = {}): Panel {
  return made('series', title, targets, { width: 12, ...style });
}

/** What held when, as bands. */
export function states(title: string, target: Target, style: Style = {}): Panel {
  return made('states', title, [target], { width: 12, ...style });
}

/** The last values side by side. */
export function bars(title: string, target: Target, style: Style = {}): Panel {
  return made('bars', title, [target], { width: 12, ...style });
}

/** A query and the name of its lines. */
export function of(expr: string, legend = ''): Target {
  return { expr: scoped(expr), legend };
}

/** The same with the names of markets in place of their ids. */
export function titled(expr: string, legend: string): Target {
  return of(`(${expr}) * on (instance, market) group_left (title) bookend_market_info`, legend);
}

/** Every series is that of the chosen instances, and of the chosen markets where it says `$market`. */
function scoped(expr: string): string {
  return expr.replaceAll(
    /\b(bookend_\w+)(?:\{([^}]*)\})?/g,
    (_, name: string, matchers: string | undefined) =>
      `${name}{${['instance=~"$instance"', ...(matchers ? [matchers] : [])].join(', ')}}`,
  );
}

function made(
  kind: Panel['kind'],
  title: string,
  targets: readonly Target[],
  { unit = 'short', width = 12, help = '' }: Style,
): Panel {
  return { kind, title, help, unit, width, targets };
}

const SOURCE = { type: 'prometheus', uid: 'prometheus' };
const WIDTH = 24;
const HEIGHTS = { row: 1, stat: 4, series: 8, states: 8, bars: 8 };
const TYPES = {
  row: 'row',
  stat: 'stat',
  series: 'timeseries',
  states: 'state-timeline',
  bars: 'bargauge',
};

/** The page as Grafana reads it. */
export function dashboardOf({ uid, title, description, hasMarkets, panels }: Page): object {
  return {
    ...{ uid, title, description, tags: ['bookend'], schemaVersion: 41, version: 1 },
    ...{ editable: false, graphTooltip: 1, timezone: 'browser', refresh: '10s' },
    time: { from: 'now-1h', to: 'now' },
    annotations: { list: [STARTS] },
    templating: { list: hasMarkets ? [INSTANCES, MARKETS] : [INSTANCES] },
    links: [
      {
        type: 'dashboards',
        tags: ['bookend'],
        title: 'bookend',
        keepTime: true,
        includeVars: true,
      },
    ],
    panels: placed(panels),
  };
}

const STARTS = {
  ...{ name: 'Starts', datasource: SOURCE, enable: true, iconColor: 'blue' },
  expr: 'changes(bookend_process_start_time_seconds{instance=~"$instance"}[1m]) > 0',
  titleFormat: 'trader started',
};

const INSTANCES = variable('instance', 'Instance', 'label_values(bookend_build_info, instance)');
const MARKETS = {
  ...variable('market', 'Market', 'query_result(bookend_market_info{instance=~"$instance"})'),
  regex: '/market="(?<value>[^"]+)".*title="(?<text>[^"]+)"/',
};

function variable(name: string, label: string, query: string): object {
  return {
    ...{ name, label, type: 'query', datasource: SOURCE, query: { query, refId: name } },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: '.*' },
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

/** From left to right, and on the next line where there is no room. */
function placed(panels: readonly Panel[]): readonly object[] {
  let x = 0;
  let y = 0;
  let height = 0;
  return panels.map((panel, index) => {
    if (x + panel.width > WIDTH) {
      x = 0;
      y += height;
      height = 0;
    }
    const gridPos = { x, y, w: panel.width, h: HEIGHTS[panel.kind] };
    x += panel.width;
    height = Math.max(height, gridPos.h);
    return shown(panel, { id: index + 1, gridPos });
  });
}

function shown(panel: Panel, at: { readonly id: number; readonly gridPos: object }): object {
  const { kind, title, help, unit, targets, words } = panel;
  const base = { ...at, title, description: help, type: TYPES[kind] };
  if (kind === 'row') return { ...base, collapsed: false, panels: [] };
  const isInstant = kind === 'stat' || kind === 'bars';
  const mappings = words === undefined ? [] : [{ type: 'value', options: words }];
  return {
    ...base,
    datasource: SOURCE,
    targets: targets.map(({ expr, legend }, index) => ({
      ...{ refId: String.fromCharCode(65 + index), datasource: SOURCE, expr },
      ...{ legendFormat: legend, range: !isInstant, instant: isInstant, format: 'time_series' },
    })),
    fieldConfig: { defaults: { unit, mappings, custom: {} }, overrides: [] },
    options: OPTIONS[kind],
  };
}

const LAST = { calcs: ['lastNotNull'], fields: '', values: false };
const OPTIONS = {
  stat: { reduceOptions: LAST, colorMode: 'value', graphMode: 'area', textMode: 'auto' },
  series: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  states: { mergeValues: true, showValue: 'never', rowHeight: 0.9 },
  bars: { reduceOptions: LAST, displayMode: 'basic', orientation: 'horizontal' },
};

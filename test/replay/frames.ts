// Book frames of a recording, one by one; the recordings lie beside the project.

import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';

export type WireLevel = { readonly price: number; readonly size: number };

export type WireFrame =
  | {
      readonly type: 'orderbook.snapshot';
      readonly marketId: string;
      readonly levels: { readonly bids: readonly WireLevel[]; readonly asks: readonly WireLevel[] };
      readonly ts: number;
    }
  | {
      readonly type: 'orderbook.delta';
      readonly marketId: string;
      readonly side: 'bid' | 'ask';
      readonly price: number;
      readonly size: number;
      readonly ts: number;
    }
  | { readonly type: 'trade.executed' | 'market.status_update'; readonly ts: number };

const FOLDER = new URL('../../../shared/data/', import.meta.url);

/** Says loudly that a recording is missing, and whether it is. */
export function isAbsent(name: string): boolean {
  if (existsSync(fileOf(name))) return false;
  console.warn(`SKIPPED: the recording ../shared/data/${name}.ndjson.gz is not there`);
  return true;
}

export async function* framesOf(name: string, framesMax: number): AsyncGenerator<WireFrame> {
  const source = createReadStream(fileOf(name));
  const lines = createInterface({ input: source.pipe(createGunzip()), crlfDelay: Infinity });
  let count = 0;
  try {
    for await (const line of lines) {
      if (count === framesMax) return;
      count += 1;
      yield JSON.parse(line);
    }
  } finally {
    lines.close();
    source.destroy();
  }
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.ndjson.gz`, FOLDER));
}

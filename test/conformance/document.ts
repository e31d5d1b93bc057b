// The interface document as rows: each heading, table row, numbered rule, bullet and paragraph of it
// becomes a stable key, so that a line without a card is found by reading the document, not by memory.

export type Row = {
  /** For example `endpoint POST /orders/batch`, `code no_liquidity`, `rule Signature 2`. */
  readonly key: string;
  readonly line: number;
};

type Place = {
  /** Titles from the outermost heading to the nearest, remarks in brackets left out. */
  readonly way: readonly string[];
  readonly line: number;
};

type Block = Place & { readonly texts: readonly string[] };

/**
 * Every row of the document, in its order.
 * @throws When a table has a first column that nobody has given a meaning, or a key comes twice.
 */
export function rowsOf(document: string): readonly Row[] {
  const rows = blocksOf(document).flatMap(rowsOfBlock);
  const numbered = withCounts(rows);
  const keys = numbered.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new Error(`two lines of the document have the key ${twice}`);
  return numbered;
}

/** Headings, and runs of lines between blank ones. */
function blocksOf(document: string): readonly Block[] {
  const blocks: Block[] = [];
  const way: string[] = [];
  let texts: string[] = [];
  const end = (line: number): void => {
    if (texts.length > 0) blocks.push({ way: [...way], line: line - texts.length, texts });
    texts = [];
  };
  for (const [index, text] of `${document}\n`.split('\n').entries()) {
    const heading = /^(#{1,5}) (.+)$/.exec(text);
    if (heading || text.trim() === '') end(index + 1);
    if (!heading && text.trim() !== '') texts.push(text);
    if (!heading) continue;
    way.length = Math.max(0, Math.min(way.length, String(heading[1]).length - 2));
    if (heading[1] !== '#') way.push(plain(String(heading[2])));
    blocks.push({ way: [...way], line: index + 1, texts: [text] });
  }
  return blocks;
}

function rowsOfBlock(block: Block): readonly Row[] {
  const [first = ''] = block.texts;
  if (first.startsWith('# ')) return [];
  if (first.startsWith('#')) return headingRows(block);
  if (first.startsWith('|')) return tableRows(block);
  return block.texts.flatMap((text, index) =>
    lineRows({ ...block, line: block.line + index }, text),
  );
}

/** Some endpoints stand in a heading of their own and in no table. */
function headingRows({ way, line }: Place): readonly Row[] {
  const own = { key: `heading ${way.join(' › ')}`, line };
  const title = way.at(-1) ?? '';
  const isEndpoint = /^(GET|POST|DELETE) \//.test(title);
  return isEndpoint ? [own, { key: `endpoint ${title}`, line }] : [own];
}

/** A numbered rule, a bullet, or a paragraph; a lone word with a colon only leads to what follows. */
function lineRows({ way, line }: Place, text: string): readonly Row[] {
  const section = way.at(-1) ?? 'preface';
  const rule = /^(\d+)\. /.exec(text)?.[1];
  if (rule !== undefined) return [{ key: `rule ${section} ${rule}`, line }];
  if (text.startsWith('- ')) return [{ key: `bullet ${section}`, line }];
  return /^.{1,40}:$/.test(text) ? [] : [{ key: `text ${section}`, line }];
}

/** What the first column of each kind of table means. */
const TABLES: Readonly<Record<string, (cells: readonly string[], section: string) => string[]>> = {
  Fact: ([fact]) => [`fact ${fact}`],
  Field: ([field], section) => [`field ${section}.${field}`],
  Param: ([param], section) => [`param ${section}.${param}`],
  State: ([state, mover], section) => [`state ${section}: ${state} by ${mover}`],
  Method: ([method, path]) => [`endpoint ${method} ${path}`],
  Credential: ([credential]) => [`credential ${credential}`],
  Header: ([header]) => [`header ${header}`],
  Part: ([part]) => [`signature ${part}`],
  Frame: ([frame, direction]) => [frameKey(String(frame), direction)],
  type: ([type]) => [`frame ${type}`],
  'Group (status)': ([, codes]) =>
    String(codes)
      .split(', ')
      .map((code) => `code ${code}`),
  Limit: ([limit]) => [`limit ${limit}`],
};

function tableRows({ way, line, texts }: Block): readonly Row[] {
  const [head = '', , ...body] = texts;
  const section = endpointOf(way);
  const title = cellsOf(head)[0] ?? '';
  const keysOf = TABLES[title];
  if (!keysOf) throw new Error(`line ${line}: a table of ${title} is new to this reader`);
  return body.flatMap((text, index) =>
    keysOf(cellsOf(text), section).map((key) => ({ key, line: line + 2 + index })),
  );
}

/** Parameters of `GET /events` stand below a group of endpoints; the text before names them. */
function endpointOf(way: readonly string[]): string {
  return way.at(-1) ?? '';
}

function frameKey(frame: string, direction: string | undefined): string {
  const isDirected = direction?.includes(' to ') ?? false;
  return isDirected ? `frame ${frame} ${direction}` : `frame ${frame}`;
}

function cellsOf(text: string): readonly string[] {
  const cells = text.split('|').slice(1, -1);
  return cells.map((cell) => cell.replaceAll('`', '').trim());
}

/** Bullets and paragraphs of a section are counted, since they have no number of their own. */
function withCounts(rows: readonly Row[]): readonly Row[] {
  const counts = new Map<string, number>();
  return rows.map((row) => {
    if (!/^(bullet|text) /.test(row.key)) return row;
    const count = (counts.get(row.key) ?? 0) + 1;
    counts.set(row.key, count);
    return { ...row, key: `${row.key} ${count}` };
  });
}

/** A title without the remark in brackets that some end with, `Orders (all Auth)`. */
function plain(title: string): string {
  return title.replace(/\s*\([^)]*\)\s*$/, '').trim();
}

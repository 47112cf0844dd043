/** The examples of bodies that are no JSON: a part of the recorded text, in which what differs from run to run is replaced. */
import { stableValues } from './stable-values.ts';

type Stable = ReturnType<typeof stableValues>;

const linesMax = 3;

/** @returns undefined for a media type that has no examples, such as that of a page. */
export function exampleText(mediaType: string, text: string): string | undefined {
  return writers[mediaType]?.(text, stableValues());
}

const writers: Readonly<Record<string, (text: string, stable: Stable) => string>> = {
  'application/x-ndjson': (text, stable) =>
    firstAndLast(text.split('\n').slice(0, -1))
      .map((line) => `${JSON.stringify(stable(JSON.parse(line)))}\n`)
      .join(''),
  'text/csv': stableCsv,
  'text/plain': (text) =>
    text
      .split('\n')
      .slice(0, linesMax)
      .map((line) => `${line.replace(/(?<= )[\d.e+-]+$/, '12')}\n`)
      .join(''),
  'application/x-www-form-urlencoded': (text) => text,
  'application/cloudevents+json': (text, stable) => JSON.stringify(stable(JSON.parse(text))),
};

/** The last line of a file may say that it is whole. */
function firstAndLast<T>(lines: readonly T[]): readonly T[] {
  return lines.length <= linesMax ? lines : [...lines.slice(0, linesMax - 1), ...lines.slice(-1)];
}

/** The rows are replaced as objects are, whose members are the columns. */
function stableCsv(text: string, stable: Stable): string {
  const [names = [], ...rows] = rowsOf(text);
  const stableRows = firstAndLast(rows).map((cells) => {
    const values = cells.map((cell) => (cell.startsWith('{') ? JSON.parse(cell) : cell));
    const row = stable(Object.fromEntries(names.map((name, at) => [name, values[at]])));
    return Object.values(row as object).map((value) =>
      typeof value === 'object' ? JSON.stringify(value) : `${value}`,
    );
  });
  return [names, ...stableRows].map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function rowsOf(csv: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, cell = '', end] of csv.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

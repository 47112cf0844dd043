/** Rows as a table for a terminal: columns share its width, and what does not fit is cut with `…`. */

export interface TextTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of the terminal, in columns; undefined where the reader is no terminal, and nothing is cut. */
  readonly width: number | undefined;
}

const gap = 2;
/** No column is narrower, so a table of very many columns is cut at its right side. */
const columnMin = 6;

export function textTable({ header, rows, width }: TextTable): readonly string[] {
  const lines = [header, ...rows].map((row) => row.map(oneLine));
  const natural = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const widths = width === undefined ? natural : fitted(natural, width);
  return lines.map((line) => {
    const cells = widths.map((columns, index) => cut(line[index] ?? '', columns).padEnd(columns));
    const text = cells.join(' '.repeat(gap)).trimEnd();
    return width === undefined ? text : cut(text, width);
  });
}

/** Narrow columns keep their width; the others share what is left. */
function fitted(natural: readonly number[], width: number): readonly number[] {
  let left = width - gap * (natural.length - 1);
  let open = natural.length;
  const widths = new Map<number, number>();
  for (const [column, wanted] of [...natural.entries()].sort(([, one], [, other]) => one - other)) {
    const share = Math.max(columnMin, Math.floor(left / open));
    const given = Math.min(wanted, share);
    widths.set(column, given);
    left -= given;
    open -= 1;
  }
  return natural.map((wanted, column) => widths.get(column) ?? wanted);
}

function cut(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

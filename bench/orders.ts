/** An entity as apps have many, and files of its records. */
import { type AppUser, appUrl, definition } from '../packages/acceptance/src/org.ts';

const chunkRows = 500;

/** A record as apps have many: of some 300 bytes, with an index and a unique value. */
export function orders(entityName: string): Record<string, unknown> {
  return {
    ...definition(entityName, [
      { name: 'number', validate: true, maxlength: 20 },
      { name: 'customer', validate: true, maxlength: 100 },
      { name: 'region', index: true },
      { name: 'amount', colType: 'number', validate: true, min: 0 },
      { name: 'placed', colType: 'date' },
      { name: 'paid', colType: 'boolean' },
    ]),
    UniqueIndexes: [{ indexName: 'by_number', fields: ['number'] }],
  };
}

interface Row {
  readonly number: string;
  readonly customer: string;
  readonly region: string;
  readonly amount: number;
  readonly placed: string;
  readonly paid: boolean;
}

function rowAt(index: number): Row {
  return {
    number: `N-${String(index).padStart(8, '0')}`,
    customer: `Customer number ${index % 1000} of many`,
    region: `region ${index % 10}`,
    amount: index / 100,
    placed: '2026-11-20',
    paid: index % 2 === 0,
  };
}

/** @param first how many rows there are before. */
export function* csv(rows: number, first = 0): Generator<string> {
  yield `${Object.keys(rowAt(0)).join(',')}\n`;
  yield* lines(rows, (row) => Object.values(row).join(','), first);
}

export function jsonl(rows: number): Generator<string> {
  return lines(rows, (row) => JSON.stringify(row));
}

function* lines(rows: number, lineOf: (row: Row) => string, first = 0): Generator<string> {
  for (let start = 0; start < rows; start += chunkRows) {
    const end = Math.min(rows, start + chunkRows);
    yield Array.from({ length: end - start }, (_, index) => `${lineOf(rowAt(first + start + index))}\n`).join('');
  }
}

/** Imports a file. */
export async function send(user: AppUser, path: string, file: Generator<string>): Promise<void> {
  const type = path.includes('upsert') ? 'application/x-ndjson' : 'text/csv';
  const response = await fetch(appUrl(user.org, path), {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}`, 'content-type': type },
    body: ReadableStream.from(file).pipeThrough(new TextEncoderStream()),
    duplex: 'half',
  });
  const text = await response.text();
  const result: unknown = JSON.parse(text);
  if (!response.ok || (result as { failed: number }).failed > 0) throw new Error(text);
}

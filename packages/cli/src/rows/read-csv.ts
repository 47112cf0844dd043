/** The records of a CSV file (RFC 4180), one after the other, however the file is cut into chunks. */

export interface CsvRecord {
  /** Of its beginning, from 1: a quoted cell may have several lines. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The platform takes no longer row. */
export const rowCharactersMax = 1_048_576;

export class BrokenRows extends Error {}

/** @throws BrokenRows for a quote that is never closed, text behind a closed quote, or a row that is too long. */
export async function* readCsv(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<CsvRecord> {
  const parser = new CsvParser();
  for await (const chunk of chunks) yield* parser.take(chunk);
  yield* parser.end();
}

/** What the next character is part of; behind a quote in a quoted cell it may be the end of the cell, or another quote. */
type State = 'cell begins' | 'plain' | 'quoted' | 'quote in quoted';

class CsvParser {
  #state: State = 'cell begins';
  #cells: string[] = [];
  #cell = '';
  #characters = 0;
  #line = 1;
  #begin = 1;
  #isFirst = true;

  *take(chunk: string): Generator<CsvRecord> {
    const text = this.#isFirst ? chunk.replace(/^\ufeff/, '') : chunk;
    if (chunk !== '') this.#isFirst = false;
    for (const character of text) {
      if (++this.#characters > rowCharactersMax)
        throw new BrokenRows(`line ${this.#begin}: the row is longer than 1 MiB; is a quote left open?`);
      if (this.#take(character)) yield* this.#endRow();
      if (character === '\n') this.#line += 1;
    }
  }

  *end(): Generator<CsvRecord> {
    if (this.#state === 'quoted') throw new BrokenRows(`line ${this.#begin}: a quote is opened and never closed`);
    yield* this.#endRow();
  }

  /** @returns whether the character ends the row. */
  #take(character: string): boolean {
    if (this.#state === 'quoted') {
      if (character === '"') this.#state = 'quote in quoted';
      else this.#cell += character;
      return false;
    }
    if (character === '\n') return true;
    if (character === ',') this.#endCell();
    else if (character === '"') this.#quote();
    else this.#plain(character);
    return false;
  }

  #quote(): void {
    if (this.#state === 'quote in quoted') this.#cell += '"';
    else if (this.#state === 'plain') throw new BrokenRows(`line ${this.#line}: a quote in a cell without quotes`);
    this.#state = 'quoted';
  }

  #plain(character: string): void {
    if (this.#state === 'quote in quoted' && character !== '\r')
      throw new BrokenRows(`line ${this.#line}: text behind a closed quote`);
    if (this.#state === 'quote in quoted') return;
    this.#state = 'plain';
    this.#cell += character;
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#state = 'cell begins';
  }

  *#endRow(): Generator<CsvRecord> {
    const wasQuoted = this.#state === 'quote in quoted';
    if (!wasQuoted) this.#cell = this.#cell.replace(/\r$/, '');
    this.#endCell();
    const record = { line: this.#begin, cells: this.#cells };
    this.#cells = [];
    this.#characters = 0;
    this.#begin = this.#line + 1;
    const isEmpty = record.cells.length === 1 && record.cells[0] === '' && !wasQuoted;
    if (!isEmpty) yield record;
  }
}

/** One line of a CSV file, with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

import type { InputError } from '@freehold/contract/problem';
import { reportedErrors } from '../lib/problem.ts';
import type { SettledRow } from './plan-rows.ts';

/** How far an import has come. */
export interface ImportFigures {
  readonly rows: number;
  readonly created: number;
  readonly updated: number;
  readonly failed: number;
}

/** What has come of an import. */
export interface ImportResult extends ImportFigures {
  /** Of the first rows that failed. */
  readonly errors: readonly RowErrors[];
  /** What rows said that is not theirs to say. */
  readonly ignored: readonly string[];
  readonly dry_run: boolean;
  /** Why the import ended before its file did. */
  readonly error?: ImportEnd;
}

export interface RowErrors {
  readonly row: number;
  readonly errors: readonly InputError[];
}

export type ImportEnd = Readonly<Record<'code' | 'message', string>>;

const errorsMax = 100;

/** One row may hold a megabyte of wrong names; a hundred such rows must not be kept and sent back. */
const errorCharactersMax = 1024 * 1024;

export class ImportTally {
  readonly ignored = new Set<string>();
  readonly #errors: RowErrors[] = [];
  #created = 0;
  #updated = 0;
  #failed = 0;
  #errorCharacters = 0;

  get figures(): ImportFigures {
    const [created, updated, failed] = [this.#created, this.#updated, this.#failed];
    return { rows: created + updated + failed, created, updated, failed };
  }

  add(settled: readonly SettledRow[]): void {
    for (const one of settled) {
      if ('errors' in one) {
        this.#failed += 1;
        this.#tellOf(one);
      } else if (one.write.before === undefined) this.#created += 1;
      else this.#updated += 1;
    }
  }

  result(isDry: boolean, end?: ImportEnd): ImportResult {
    return {
      ...this.figures,
      errors: this.#errors,
      ignored: [...this.ignored],
      dry_run: isDry,
      ...(end === undefined ? {} : { error: { code: end.code, message: end.message } }),
    };
  }

  #tellOf(failed: RowErrors): void {
    if (this.#errors.length === errorsMax || this.#errorCharacters >= errorCharactersMax) return;
    const errors = reportedErrors(failed.errors);
    this.#errors.push({ row: failed.row, errors });
    this.#errorCharacters += JSON.stringify(errors).length;
  }
}

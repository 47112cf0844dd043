import type { ImportResult as ImportSchema } from '@freehold/contract/app/records';
import type { Read } from '@freehold/contract/schema';
import { reportedErrors } from '../lib/problem.ts';
import type { SettledRow } from './plan-rows.ts';

/** What has come of an import. */
export type ImportResult = Read<typeof ImportSchema>;
/** How far it has come. */
export type ImportFigures = Pick<ImportResult, 'rows' | 'created' | 'updated' | 'failed'>;
export type RowErrors = ImportResult['errors'][number];
/** Why it ended before its file did. */
export type ImportEnd = NonNullable<ImportResult['error']>;

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

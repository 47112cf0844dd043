/** The parts of the figures of usage: by workspace, and by every other dimension. */
import type { usageApi } from '@freehold/contract/management/usage';
import type { QueryOf } from '@freehold/contract/route';
import type { Environment } from '../tenancy/port.ts';
import type { EntityRecords, WorkspacesOfDay } from './ledger.ts';
import { type Day, type WorkDone, works } from './usage-rows.ts';

interface WorkspaceCalls {
  readonly env: Environment;
  /** `''` for calls that are in no workspace. */
  readonly tenantCode: string;
  today: number;
  month: number;
}

export type Figure = NonNullable<QueryOf<typeof usageApi.showUsage>['explain']>;

interface FigurePart {
  readonly env: Environment;
  readonly date?: Day;
  readonly tenant_code: string | null;
  readonly entity?: string;
  readonly value: number;
}

/** Takes the days of a month as they come from the ledger. */
export class PartsOfUsage {
  readonly #today: Day;
  readonly #figure: Figure | undefined;
  readonly #calls = new Map<string, WorkspaceCalls>();
  readonly #largest = new LargestDeps();

  /** @param figure the figure to explain. */
  constructor(today: Day, figure: Figure | undefined) {
    this.#today = today;
    this.#figure = figure;
  }

  noteDay(env: Environment, { day, workspaces }: WorkspacesOfDay): void {
    if (day > this.#today) return;
    const isToday = day === this.#today;
    const isExplained = this.#figure === 'api_calls.month' || (this.#figure === 'api_calls.today' && isToday);
    for (const [tenantCode, { calls }] of workspaces) {
      const place = `${env}#${tenantCode}`;
      const sum = this.#calls.get(place) ?? { env, tenantCode, today: 0, month: 0 };
      sum.month += calls;
      if (isToday) sum.today += calls;
      this.#calls.set(place, sum);
      const tenant_code = tenantCode === '' ? null : tenantCode;
      if (isExplained && calls > 0) this.#largest.add({ env, date: day, tenant_code, value: calls });
    }
  }

  noteRecords(records: readonly EntityRecords[]): void {
    if (this.#figure !== 'records.total') return;
    for (const { env, tenantCode, entity, records: value } of records)
      this.#largest.add({ env, tenant_code: tenantCode, entity, value });
  }

  /** @param done what automation has done today. */
  noteWork(env: Environment, done: WorkDone): void {
    const what = works.find((work) => this.#figure === `${work}.today`);
    if (what === undefined || done[what] === 0) return;
    this.#largest.add({ env, date: this.#today, tenant_code: null, value: done[what] });
  }

  calls(): readonly WorkspaceCalls[] {
    return [...this.#calls.values()];
  }

  explained() {
    return this.#figure === undefined ? undefined : { figure: this.#figure, ...this.#largest.report() };
  }
}

const partsMax = 1000;

/** Keeps the largest of any number of parts, and the sum of the others. */
class LargestDeps {
  #deps: FigurePart[] = [];
  #value = 0;
  #others = 0;

  add(part: FigurePart): void {
    this.#value += part.value;
    this.#deps.push(part);
    if (this.#deps.length > 4 * partsMax) this.#cut();
  }

  report() {
    if (this.#deps.length > partsMax) this.#cut();
    const shown = this.#deps.reduce((sum, { value }) => sum + value, 0);
    return { value: this.#value, parts: this.#deps, others: { count: this.#others, value: this.#value - shown } };
  }

  #cut(): void {
    this.#others += this.#deps.length - partsMax;
    this.#deps = this.#deps.toSorted((left, right) => right.value - left.value).slice(0, partsMax);
  }
}

import { compareBytes } from '../../lib/byte-order.ts';
import type { Clock } from '../../lib/clock.ts';
import type { FillState, IndexState } from '../../schema/port.ts';
import type { Scope } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { Duplicates } from './build-task.ts';
import type { DuplicatePair, UnfilledRecord } from './plan-step.ts';

type FailedFill = NonNullable<FillState['failed']>;

/** The extent to which a task is. Noted now and then, so that another process continues from there. */
interface Note {
  /** What is done and what is to be done, in records. */
  readonly done: number;
  readonly total: number;
  /** See `taskText`. What was noted of another task says nothing. */
  readonly task: string;
  /** The workspace that the pass is in, and the place of the last record that is done there. */
  readonly code: string;
  readonly after?: string;
  readonly duplicates: readonly (readonly [indexName: string, found: NonNullable<IndexState['duplicates']>])[];
  /** Of a fill: by field the records that got no value. Absent of work on indexes. */
  readonly unfilled?: readonly (readonly [field: string, failed: FailedFill])[];
}

/** How far the work on the indexes of an entity is: there while it builds. */
export const indexProgress = table(
  (entityName: string) => ({ pk: 'index-progress', sk: entityName }),
  json<Note>('note of the work on indexes', { done: 'number', total: 'number', task: 'string', code: 'string' }),
);

interface ProgressDeps {
  readonly scope: Scope;
  readonly clock: Clock;
  readonly entityName: string;
}

interface Advance {
  readonly code: string;
  readonly after: string;
  readonly taken: number;
  readonly duplicates: readonly DuplicatePair[];
  readonly unfilled: readonly UnfilledRecord[];
}

const noteAfterMilliseconds = 1000;
const examplesMax = 5;

export class TaskProgress {
  readonly #deps: ProgressDeps;
  #note: Note;
  #notedAt: number;

  private constructor(deps: ProgressDeps, note: Note) {
    this.#deps = deps;
    this.#note = note;
    this.#notedAt = deps.clock.now();
  }

  static async open(deps: ProgressDeps, task: string, count: () => Promise<readonly number[]>): Promise<TaskProgress> {
    const known = (await indexProgress.read(deps.scope, deps.entityName))?.value;
    if (known?.task === task) return new TaskProgress(deps, known);
    const [total = 0] = await count();
    const progress = new TaskProgress(deps, { done: 0, total, task, code: '', duplicates: [] });
    await progress.#save();
    return progress;
  }

  /** Where to go on in a workspace: behind a place, at its beginning, or not at all. */
  startIn(code: string): { readonly after: string | undefined } | 'done' {
    if (code === this.#note.code) return { after: this.#note.after };
    return compareBytes(code, this.#note.code) < 0 ? 'done' : { after: undefined };
  }

  get duplicates(): Duplicates {
    return new Map(this.#note.duplicates);
  }

  /** By field: the records that a fill gave no value. */
  get unfilled(): ReadonlyMap<string, FailedFill> {
    return new Map(this.#note.unfilled);
  }

  /** Whether the reported number of records that contradict an index is reached. */
  isFull(indexName: string): boolean {
    return (this.duplicates.get(indexName)?.length ?? 0) >= examplesMax;
  }

  /** All workspaces before this one are done. */
  async enter(code: string): Promise<void> {
    if (code === this.#note.code) return;
    const { after: _, ...note } = this.#note;
    await this.#resume({ ...note, code });
  }

  async advance({ code, after, taken, duplicates, unfilled }: Advance): Promise<void> {
    const found = new Map(this.#note.duplicates);
    for (const { indexName, ids } of duplicates)
      found.set(indexName, [...(found.get(indexName) ?? []), { tenant_code: code, ids }].slice(0, examplesMax));
    const done = this.#note.done + taken;
    const total = Math.max(this.#note.total, done);
    const failed = withUnfilled(this.unfilled, code, unfilled);
    await this.#resume({ ...this.#note, done, total, code, after, duplicates: [...found], ...asUnfilled(failed) });
  }

  async #resume(note: Note): Promise<void> {
    this.#note = note;
    const age = this.#deps.clock.now() - this.#notedAt;
    if (age < 0 || age >= noteAfterMilliseconds) await this.#save();
  }

  async #save(): Promise<void> {
    const { scope, entityName } = this.#deps;
    await scope.commit([indexProgress.put(entityName, this.#note, { if: 'any' })], { priority: 'background' });
    this.#notedAt = this.#deps.clock.now();
  }
}

function asUnfilled(failed: ReadonlyMap<string, FailedFill>): Pick<Note, 'unfilled'> {
  return failed.size > 0 ? { unfilled: [...failed] } : {};
}

/** How many examples of records without a value are shown of a field, and of all fields of an entity together. */
const unfilledMax = { ofField: 20, ofEntity: 100 } as const;

function withUnfilled(
  known: ReadonlyMap<string, FailedFill>,
  tenant_code: string,
  records: readonly UnfilledRecord[],
): ReadonlyMap<string, FailedFill> {
  const failed = new Map(known);
  let room = unfilledMax.ofEntity - [...known.values()].reduce((sum, { examples }) => sum + examples.length, 0);
  for (const { id, fields } of records)
    for (const field of fields) {
      const { records: before, examples } = failed.get(field) ?? { records: 0, examples: [] };
      const isShown = room > 0 && examples.length < unfilledMax.ofField;
      if (isShown) room -= 1;
      failed.set(field, { records: before + 1, examples: isShown ? [...examples, { tenant_code, id }] : examples });
    }
  return failed;
}

/** Once nothing is to be done any more. */
export async function forgetProgress({ scope, entityName }: Omit<ProgressDeps, 'clock'>): Promise<void> {
  const [item] = await scope.get([indexProgress.key(entityName)]);
  if (item === undefined) return;
  await scope.commit([indexProgress.remove(entityName, 'any')], { priority: 'background' });
}

/**
 * Runs as they are stored. In the scope of the workspace lies the run with a row for each step that has taken effect; in
 * the org's scope a summary, from which runs are listed. Values of a run are sealed: some of them are written to
 * encrypted fields later, and a run may wait for a month.
 */

import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import { runPartition, type SealedLocation, type Sealer } from '../../records/port.ts';
import type { Due, Key, Put, Scope } from '../../store/port.ts';
import { DamagedRow, json, type PutOptions, type Row, table } from '../../store/table.ts';
import { walk } from '../../store/walk.ts';

type ShownRun = ReplyOf<typeof runsApi.readRun>;
type ShownStep = ShownRun['steps'][number];

export type RunSummary = ReplyOf<typeof runsApi.listRuns>['items'][number];

/** In whose name a run works. `app`: no user, only the policies of its block decide. `act`: the builder who acts for the user. */
export type RunUser = ShownRun['user'];

/** The values that templates of a run begun by an event have beside its input. */
export interface RunGiven {
  readonly event: unknown;
  readonly record?: unknown;
  readonly before?: unknown;
}

export interface RunError extends NonNullable<ShownStep['error']> {
  readonly message: string;
  /** Of a step whose refusal was caught: that of the call that does the step alone. */
  readonly status?: number;
}

/**
 * A run with its values. `chain` is the blocks and events that led to it, the first of them first; `trigger.id` is that of the
 * request, the earlier run, the event, the due time or the message.
 */
export interface Run extends Omit<ShownRun, 'tenant_code' | 'error' | 'redacted' | 'steps' | 'has_more_steps'> {
  /** By name: the versions of the blocks that it works by, its own among them. */
  readonly blocks: Readonly<Record<string, number>>;
  readonly input: unknown;
  readonly given?: RunGiven;
  readonly error?: RunError;
  /** The time on its clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The number of times a process took it up, and how many of these, of late, without a further step. */
  readonly taken: number;
  readonly stalled: number;
  /** The number of steps stored when it was taken up. */
  readonly steps: number;
  /** Values of encrypted fields were taken out of it or of its steps, so it cannot be run again. */
  readonly is_redacted?: true;
  /**
   * The start of its calls' keys: the first of a row of retries that did nothing again that was done. Left out, it
   * is the run itself.
   */
  readonly root?: string;
}

/** A step that has taken effect, and what it gave; or that was refused, and the run went on. It is not done again. */
export interface RunStep extends Omit<ShownStep, 'path' | 'error'> {
  readonly error?: RunError;
  /** It wrote to encrypted fields: what else holds those values is not shown. */
  readonly has_secrets?: true;
}

/** The sealed values of a stored run or step. A row of an earlier release has them beside the others. */
interface Sealed {
  readonly sealed?: string;
}

/** Rows whose values are not asked for: whether there is a run, and where. */
export const storedRuns = table(
  (id: string) => ({ pk: runPartition, sk: id }),
  json<Omit<Run, RunValue> & Sealed>('run', { id: 'string', block: 'string' }),
);

const storedSteps = table(
  ({ run, path }: StepPosition) => ({ pk: runStepsOf(run), sk: path }),
  json<Omit<RunStep, StepValue> & Sealed>('step of a run', { id: 'string', type: 'string' }),
);

interface StepPosition {
  readonly run: string;
  readonly path: string;
}

type RunValue = 'input' | 'given' | 'returns' | 'error';
type StepValue = 'output' | 'log' | 'error';

export type OpenRunRows = ReturnType<typeof createRunRows>;
export type RunRows = ReturnType<OpenRunRows>;

export function createRunRows(sealer: Sealer) {
  return (scope: Scope) => {
    const location = (id: string, field: string): SealedLocation => ({
      ...{ scope: scope.name, entityName: runPartition, id, field },
    });
    const close = <Plain extends object>(plain: Plain, values: object, place: SealedLocation): Plain & Sealed => {
      const text = JSON.stringify(values);
      return text === '{}' ? plain : { ...plain, sealed: sealer.seal(text, place) };
    };
    const open = <Whole extends object>({ sealed, ...plain }: Sealed, place: SealedLocation): Whole =>
      ({ ...plain, ...(sealed === undefined ? {} : openedValues(sealer, sealed, place)) }) as Whole;
    const stored = (run: Run) => {
      const { input, given, returns, error, ...plain } = run;
      return close(plain, { input, given, returns, error }, location(run.id, ''));
    };
    const storedStep = ({ run, path }: StepPosition, step: RunStep) => {
      const { output, log, error, ...plain } = step;
      return close(plain, { output, log, error }, location(run, path));
    };
    return {
      /** @throws DamagedRow */
      read: async (id: string): Promise<Row<Run> | undefined> => {
        const row = await storedRuns.read(scope, id);
        return row && { ...row, value: open<Run>(row.value, location(row.sk, '')) };
      },
      put: (run: Run, options: PutOptions): Put => storedRuns.put(run.id, stored(run), options),
      /** Refused where there is such a row. */
      insert: (run: Run): Put => storedRuns.insert(run.id, stored(run)),
      /** Refused where the row was written since it was read. What is due stays due. */
      replace: ({ value: _, ...row }: Row<Run>, run: Run): Put =>
        storedRuns.replace({ ...row, value: stored(run) }, stored(run)),
      /** The steps of a run by their paths, page after page. @throws DamagedRow */
      steps: async function* (run: string): AsyncGenerator<readonly Row<RunStep>[]> {
        for await (const rows of pagesOfSteps(scope, run))
          yield rows.map((row) => ({ ...row, value: open<RunStep>(row.value, location(run, row.sk)) }));
      },
      putStep: (place: StepPosition, step: RunStep, options: PutOptions): Put =>
        storedSteps.put(place, storedStep(place, step), options),
      insertStep: (place: StepPosition, step: RunStep): Put => storedSteps.insert(place, storedStep(place, step)),
    };
  };
}

function openedValues(sealer: Sealer, sealed: string, place: SealedLocation): object {
  try {
    const values: unknown = JSON.parse(sealer.open(sealed, place));
    if (typeof values !== 'object' || values === null) throw new TypeError('the values of a run are an object');
    return values;
  } catch (cause) {
    throw new DamagedRow(`a stored run of scope ${place.scope} has values that do not open`, { cause });
  }
}

function runStepsOf(run: string): string {
  return `run-step;${run}`;
}

export function countSteps(scope: Scope, run: string): Promise<number> {
  return scope.count(runStepsOf(run), {}, stepsCountedMax);
}

const stepsCountedMax = 10_000;
const stepsPerRead = 256;
const charactersPerRead = 1024 * 1024;

function pagesOfSteps(scope: Scope, run: string): AsyncGenerator<readonly Row<Omit<RunStep, StepValue> & Sealed>[]> {
  const read = (after: string | undefined) =>
    storedSteps.range(scope, runStepsOf(run), {
      ...(after === undefined ? {} : { after }),
      limit: stepsPerRead,
      bytesMax: charactersPerRead,
    });
  return walk({ after: undefined }, read, ({ sk }) => sk);
}

export async function wroteSecrets(scope: Scope, run: string): Promise<boolean> {
  for await (const rows of pagesOfSteps(scope, run))
    if (rows.some(({ value }) => value.has_secrets === true)) return true;
  return false;
}

/** The output of the step. A record that it wrote has the version of its own row, which lies in the same commit. */
export function stepOf({ value, version }: Pick<Row<RunStep>, 'value' | 'version'>): RunStep {
  const { output } = value;
  if (value.record === undefined || typeof output !== 'object' || output === null || 'version' in output) return value;
  return { ...value, output: { ...output, version } };
}

/** In the scope of the org. */
export const runSummaries = table(
  (id: string) => ({ pk: 'run-of', sk: id }),
  json<RunSummary>('summary of a run', { id: 'string', tenant_code: 'string' }),
);

const duePrefix = 'run;';
/** The character after the semicolon ends the part of the partition. */
const afterDue = 'run<';

export function dueRunKey(id: string): Key {
  return { pk: 'due', sk: duePrefix + id };
}

export function runOfDue({ sk }: Key): string {
  return sk.slice(duePrefix.length);
}

/** Has the run taken up from `at` on. @param by the node that is at it until then. */
export function dueRun(id: string, at: number, by?: string): Put {
  const value = JSON.stringify({ job: 'run', ...(by !== undefined && { leased: { by, until: at } }) });
  return { kind: 'put', ...dueRunKey(id), value, if: 'any', due: { at, queue: 'automation' } };
}

/** The number of runs of a workspace that are not over, counted up to `atMost`. */
export function countOpenRuns(scope: Scope, atMost: number): Promise<number> {
  return scope.count(dueRunKey('').pk, { after: duePrefix, before: afterDue }, atMost);
}

export function isOver({ state }: Pick<Run, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

export function forgottenAt(now: number, keptMilliseconds: number): Due {
  return { at: now + keptMilliseconds, queue: 'expire' };
}

/** The id of the app itself where a user is named, as in `created_by`. No source of ids makes it. */
export const appUserId = '00000000-0000-7000-8000-000000000000';

export const appUser: RunUser = { id: appUserId, kind: 'app' };

/**
 * Runs as they are stored. In the scope of the workspace lies the run with a row for each step that has taken effect; in
 * the org's scope a summary, from which runs are listed. Values of a run are sealed: some of them are written to
 * encrypted fields later, and a run may wait for a month.
 */
import { runPartition, type SealedLocation, type Sealer } from '../../records/port.ts';
import type { Due, Key, Put, Scope } from '../../store/port.ts';
import { DamagedRow, json, type PutOptions, type Row, table } from '../../store/table.ts';
import { walk } from '../../store/walk.ts';
import type { ScriptLog } from '../scripts/script-log.ts';

/** In whose name a run works. */
export interface RunUser {
  readonly id: string;
  /** `app`: no user. Only the policies of its block decide. */
  readonly kind: 'person' | 'service_key' | 'builder' | 'app';
  /** The builder who acts for the user. */
  readonly act?: string | undefined;
}

/**
 * What began a run. `id` is that of the request, the earlier run, the event, the due time or the message; `name` that of
 * the event, the schedule or the hook.
 */
export interface RunTrigger {
  readonly kind: (typeof triggerKinds)[number];
  readonly id: string;
  readonly name?: string;
}

export const triggerKinds = ['call', 'retry', 'event', 'schedule', 'hook', 'manual'] as const;

export const runStates = ['running', 'waiting', 'done', 'failed', 'cancelled'] as const;

export type RunState = (typeof runStates)[number];

/** What templates of a run that an event began know beside its input. */
export interface RunGiven {
  readonly event: unknown;
  readonly record?: unknown;
  readonly before?: unknown;
}

/** Why a run failed, as its builder reads it. */
export interface RunError {
  readonly code: string;
  readonly message: string;
  /** The id of the step that failed. */
  readonly step?: string;
  /** Of a step whose refusal was caught: that of the call that does the step alone. */
  readonly status?: number;
}

export interface Run {
  readonly id: string;
  readonly block: string;
  readonly version: number;
  /** By name: the versions of the blocks that it works by, its own among them. */
  readonly blocks: Readonly<Record<string, number>>;
  readonly trigger: RunTrigger;
  readonly input: unknown;
  /** What an event began it with. */
  readonly given?: RunGiven;
  readonly state: RunState;
  readonly user: RunUser;
  readonly depth: number;
  /** The blocks and events that led to it, the first of them first. */
  readonly chain: readonly string[];
  /** RFC 3339. */
  readonly started_at: string;
  readonly ended_at?: string;
  readonly error?: RunError;
  readonly returns?: unknown;
  /** How many passes of its loops failed while it went on. */
  readonly failed_passes?: number;
  /** What its clock says, in milliseconds since the epoch. */
  readonly now: number;
  /** How often a process took it up, and how often of late without a further step. */
  readonly taken: number;
  readonly stalled: number;
  /** How many steps had been stored when it was taken up. */
  readonly steps: number;
  /** The run that it was begun again as: a retry that fails is itself begun again. */
  readonly retried_as?: string;
  /** Values of encrypted fields were taken out of it or of its steps, so it cannot be run again. */
  readonly is_redacted?: true;
  /**
   * What the keys of its calls begin with: the first of a row of retries that did nothing again that was done. Left out,
   * it is the run itself.
   */
  readonly root?: string;
}

/** A step that has taken effect, and what it gave; or that was refused, and the run went on. It is not done again. */
export interface RunStep {
  readonly id: string;
  readonly type: string;
  readonly state: 'done' | 'failed' | 'waiting';
  /** RFC 3339: when it began. */
  readonly at: string;
  readonly ms: number;
  readonly entity?: string;
  readonly record?: string;
  readonly output?: unknown;
  readonly error?: RunError;
  /** It failed, and the run went on by its `on_error`, or by that of a step around it. */
  readonly caught?: true;
  /** Of a script in the test environment. */
  readonly log?: ScriptLog;
  /** Of a `wait`: until when, in milliseconds since the epoch. */
  readonly until?: number;
  /** It wrote to encrypted fields: what else holds those values is not shown. */
  readonly has_secrets?: true;
}

/** A run as lists show it. */
export interface RunSummary
  extends Pick<Run, 'id' | 'block' | 'trigger' | 'state' | 'started_at' | 'ended_at' | 'failed_passes'> {
  readonly tenant_code: string;
  readonly error?: Omit<RunError, 'message'>;
}

/** What is stored of a run or a step in place of its values. A row of an earlier release has them beside the others. */
interface Sealed {
  readonly sealed?: string;
}

/** Rows whose values are not asked for: whether there is a run, and where. */
export const storedRuns = table(
  (id: string) => ({ pk: runPartition, sk: id }),
  json<Omit<Run, RunValue> & Sealed>('run', { id: 'string', block: 'string' }),
);

const storedSteps = table(
  ({ run, path }: StepPlace) => ({ pk: runStepsOf(run), sk: path }),
  json<Omit<RunStep, StepValue> & Sealed>('step of a run', { id: 'string', type: 'string' }),
);

interface StepPlace {
  readonly run: string;
  readonly path: string;
}

type RunValue = 'input' | 'given' | 'returns' | 'error';
type StepValue = 'output' | 'log' | 'error';

/** The runs of a workspace and their steps, with their values. */
export interface RunRows {
  /** @throws DamagedRow */
  read(id: string): Promise<Row<Run> | undefined>;
  put(run: Run, options: PutOptions): Put;
  /** Refused where there is such a row. */
  insert(run: Run): Put;
  /** Refused where the row was written since it was read. What is due stays due. */
  replace(row: Row<Run>, run: Run): Put;
  /** The steps of a run by their paths, page after page. @throws DamagedRow */
  steps(run: string): AsyncGenerator<readonly Row<RunStep>[]>;
  putStep(place: StepPlace, step: RunStep, options: PutOptions): Put;
  insertStep(place: StepPlace, step: RunStep): Put;
}

export type OpenRunRows = (scope: Scope) => RunRows;

export function createRunRows(sealer: Sealer): OpenRunRows {
  return (scope) => {
    const seal = new Sealing(sealer, scope);
    const stored = (run: Run) => {
      const { input, given, returns, error, ...plain } = run;
      return seal.close(plain, { input, given, returns, error }, { id: run.id, field: '' });
    };
    const storedStep = ({ run, path }: StepPlace, step: RunStep) => {
      const { output, log, error, ...plain } = step;
      return seal.close(plain, { output, log, error }, { id: run, field: path });
    };
    const opened = (row: Row<Omit<Run, RunValue> & Sealed>): Row<Run> => ({
      ...row,
      value: seal.open<Run>(row.value, { id: row.sk, field: '' }),
    });
    return {
      read: async (id) => {
        const row = await storedRuns.read(scope, id);
        return row && opened(row);
      },
      put: (run, options) => storedRuns.put(run.id, stored(run), options),
      insert: (run) => storedRuns.insert(run.id, stored(run)),
      replace: ({ value: _, ...row }, run) => storedRuns.replace({ ...row, value: stored(run) }, stored(run)),
      steps: async function* (run) {
        for await (const rows of pagesOfSteps(scope, run))
          yield rows.map((row) => ({ ...row, value: seal.open<RunStep>(row.value, { id: run, field: row.sk }) }));
      },
      putStep: (place, step, options) => storedSteps.put(place, storedStep(place, step), options),
      insertStep: (place, step) => storedSteps.insert(place, storedStep(place, step)),
    };
  };
}

/** Has the values of runs of one scope sealed. */
class Sealing {
  readonly #sealer: Sealer;
  readonly #scope: Scope;

  constructor(sealer: Sealer, scope: Scope) {
    this.#sealer = sealer;
    this.#scope = scope;
  }

  close<Plain extends object>(
    plain: Plain,
    values: object,
    place: Pick<SealedLocation, 'id' | 'field'>,
  ): Plain & Sealed {
    const text = JSON.stringify(values);
    return text === '{}' ? plain : { ...plain, sealed: this.#sealer.seal(text, this.#location(place)) };
  }

  open<Whole extends object>({ sealed, ...plain }: Sealed, place: Pick<SealedLocation, 'id' | 'field'>): Whole {
    return { ...plain, ...(sealed === undefined ? {} : this.#values(sealed, place)) } as Whole;
  }

  #values(sealed: string, place: Pick<SealedLocation, 'id' | 'field'>): object {
    try {
      const values: unknown = JSON.parse(this.#sealer.open(sealed, this.#location(place)));
      if (typeof values !== 'object' || values === null) throw new TypeError('the values of a run are an object');
      return values;
    } catch (cause) {
      throw new DamagedRow(`a stored run of scope ${this.#scope.name} has values that do not open`, { cause });
    }
  }

  #location(place: Pick<SealedLocation, 'id' | 'field'>): SealedLocation {
    return { scope: this.#scope.name, entityName: runPartition, ...place };
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

/** Whether a step of the run wrote to encrypted fields. */
export async function wroteSecrets(scope: Scope, run: string): Promise<boolean> {
  for await (const rows of pagesOfSteps(scope, run))
    if (rows.some(({ value }) => value.has_secrets === true)) return true;
  return false;
}

/** What the step gave. The version of a record that it wrote is that of its own row, which lies in the same commit. */
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

/** How many runs of a workspace are not over, counted up to `atMost`. */
export function countOpenRuns(scope: Scope, atMost: number): Promise<number> {
  return scope.count(dueRunKey('').pk, { after: duePrefix, before: afterDue }, atMost);
}

export function isOver({ state }: Pick<Run, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** When a run that is over is forgotten. */
export function forgottenAt(now: number, keptMilliseconds: number): Due {
  return { at: now + keptMilliseconds, queue: 'expire' };
}

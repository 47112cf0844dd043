/** The runs of an org, for its builders. */
import { notFound } from '../../lib/problem.ts';
import type { Cursors } from '../../records/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, orgScopeName, workspaceScopeName } from '../../tenancy/port.ts';
import { isValuePath } from '../blocks/value-path.ts';
import type { RunName } from './control-run.ts';
import {
  isOver,
  type OpenRunRows,
  type Run,
  type RunError,
  type RunRows,
  type RunState,
  type RunStep,
  type RunSummary,
  type RunTrigger,
  runSummaries,
} from './run-rows.ts';

export interface RunLogDeps {
  readonly runRows: OpenRunRows;
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly cursors: Cursors;
}

export interface RunQuery {
  readonly block?: string | undefined;
  readonly tenant_code?: string | undefined;
  readonly state?: RunState | undefined;
  readonly trigger?: RunTrigger['kind'] | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

export interface RunPage {
  readonly items: readonly RunSummary[];
  readonly nexttoken: string | null;
  readonly partial?: true;
}

/** A page that looks for few among many ends short, with a token for what comes after. */
const rowsReadMax = 2000;
const rowsPerRead = 200;

/** The latest first: ids are in the order of their times. @throws Problem `invalid_cursor`. */
export async function listRuns(
  { stores, cursors }: RunLogDeps,
  { env, orgCode }: { readonly env: Environment; readonly orgCode: string },
  { pageSize, nexttoken, since, ...wanted }: RunQuery,
): Promise<RunPage> {
  const scope = stores[env].scope(orgScopeName(orgCode));
  const { block, tenant_code, state, trigger } = wanted;
  const binding = ['runs', env, orgCode, JSON.stringify([block, state, since, trigger, tenant_code])];
  let before = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
  const after = since === undefined ? {} : { after: idBefore(since) };
  const items: RunSummary[] = [];
  for (let read = 0; read < rowsReadMax; ) {
    const limit = rowsPerRead;
    const rows = await runSummaries.range(scope, runSummaries.key('').pk, {
      ...{ reverse: true, limit, ...after },
      ...(before === undefined ? {} : { before }),
    });
    for (const { value, sk } of rows) {
      before = sk;
      if (!isWanted(value, wanted)) continue;
      items.push(value);
      if (items.length === pageSize) return { items, nexttoken: cursors.seal(sk, binding) };
    }
    read += rows.length;
    if (rows.length < limit) return { items, nexttoken: null };
  }
  return { items, nexttoken: cursors.seal(before ?? '', binding), partial: true };
}

function isWanted(
  run: RunSummary,
  { block, tenant_code, state, trigger }: Pick<RunQuery, 'block' | 'tenant_code' | 'state' | 'trigger'>,
): boolean {
  return (
    (block === undefined || run.block === block) &&
    (tenant_code === undefined || run.tenant_code === tenant_code) &&
    (state === undefined || run.state === state) &&
    (trigger === undefined || run.trigger.kind === trigger)
  );
}

/** The first 48 bits of a UUIDv7 are its time: every id of that time or later is greater. */
function idBefore(milliseconds: number): string {
  const time = Math.max(milliseconds, 0).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

type ShownError = Omit<RunError, 'message'> & { readonly message?: string };

interface ShownStep extends Omit<RunStep, 'error' | 'has_secrets'> {
  /** Its place in the run: the places of the loops and calls around it, and its own, with dots between them. */
  readonly path: string;
  readonly error?: ShownError;
}

export interface ShownRun
  extends Omit<RunSummary, 'error'>,
    Pick<Run, 'version' | 'user' | 'depth' | 'chain' | 'returns'> {
  readonly error?: ShownError;
  readonly input?: unknown;
  readonly retried_as?: string;
  readonly redacted?: true;
  readonly steps: readonly ShownStep[];
  readonly has_more_steps: boolean;
}

const stepsShownMax = 500;
const charactersShownMax = 4 * 1024 * 1024;

/**
 * Values are shown in the test environment only, where builders may read every record, and once the run is over and closed:
 * until then it is not known which of them are values of encrypted fields.
 * @throws Problem `not_found`.
 */
export async function showRun(
  { stores, runRows }: Pick<RunLogDeps, 'stores' | 'runRows'>,
  { env, orgCode, id }: RunName,
): Promise<ShownRun> {
  const store = stores[env];
  const summary = await runSummaries.read(store.scope(orgScopeName(orgCode)), id);
  if (summary === undefined) throw notFound();
  const { tenant_code } = summary.value;
  const scope = store.scope(workspaceScopeName(orgCode, tenant_code));
  const stored = runRows(scope);
  const row = await stored.read(id);
  if (row === undefined) throw notFound();
  const { value: run, due } = row;
  const showsValues = env === 'test' && isOver(run) && due !== undefined;
  return { ...shownRun(run, showsValues), tenant_code, ...(await shownSteps(stored, id, showsValues)) };
}

function shownRun(run: Run, showsValues: boolean): Omit<ShownRun, 'steps' | 'has_more_steps' | 'tenant_code'> {
  const { id, block, version, trigger, state, started_at, ended_at, user, depth, chain, error, input, returns } = run;
  const { retried_as, is_redacted, failed_passes } = run;
  return {
    ...{ id, block, version, trigger, state, started_at, user, depth, chain },
    ...(ended_at === undefined ? {} : { ended_at }),
    ...(failed_passes === undefined ? {} : { failed_passes }),
    ...(error === undefined ? {} : { error: showsValues ? error : withoutMessage(error) }),
    ...(showsValues ? { input } : {}),
    ...(showsValues && returns !== undefined ? { returns } : {}),
    ...(retried_as === undefined ? {} : { retried_as }),
    ...(is_redacted === undefined ? {} : { redacted: is_redacted }),
  };
}

async function shownSteps(
  stored: RunRows,
  id: string,
  showsValues: boolean,
): Promise<Pick<ShownRun, 'steps' | 'has_more_steps'>> {
  const steps: ShownStep[] = [];
  let left = charactersShownMax;
  for await (const rows of stored.steps(id))
    for (const { sk: path, value, due } of rows) {
      if (isValuePath(path)) continue;
      const step = { path, ...(showsValues && due !== undefined ? value : withoutValues(value)) };
      left -= JSON.stringify(step).length;
      if (steps.length === stepsShownMax || left < 0) return { steps, has_more_steps: true };
      steps.push(step);
    }
  return { steps, has_more_steps: false };
}

function withoutValues({ output: _output, log: _log, error, ...step }: RunStep): Omit<ShownStep, 'path'> {
  return error === undefined ? step : { ...step, error: withoutMessage(error) };
}

/** A sentence may hold values of the workspace. */
function withoutMessage({ message: _, ...error }: ShownError): ShownError {
  return error;
}

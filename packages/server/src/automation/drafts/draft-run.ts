/** Builders try a block that is not stored: in the test environment, with nothing written and nothing sent. */
import type { runsApi } from '@freehold/contract/management/runs';
import type { ReplyOf } from '@freehold/contract/route';
import type { AuditContext } from '../../audit/audit-entry.ts';
import type { ConfigReader, ConfigSet } from '../../config/port.ts';
import { findActiveWorkspace } from '../../iam/port.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { Problem } from '../../lib/problem.ts';
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { createFairSlots } from '../../lib/scheduling/fair-slots.ts';
import { Overtaken, type RecordRuntime } from '../../records/port.ts';
import type { Store } from '../../store/port.ts';
import { type Environment, laneOf, type Workspace } from '../../tenancy/port.ts';
import { blockFailure, Uncaught } from '../blocks/block-failure.ts';
import { charactersOf } from '../blocks/characters-of.ts';
import { checkInput } from '../blocks/check-input.ts';
import { compileBlock } from '../blocks/compile-block.ts';
import type { CompiledBlock, StartValues } from '../blocks/effects.ts';
import { interpret } from '../blocks/interpret.ts';
import { assertMayCall, type StoredBlocks, typesIn } from '../blocks/stored-blocks.ts';
import type { LogicBlockContent } from '../kinds/logicblock.ts';
import { errorOf } from '../runs/execute-run.ts';
import { liveVersion } from '../runs/pinned-blocks.ts';
import { Redaction } from '../runs/redaction.ts';
import type { RunCallers } from '../runs/run-caller.ts';
import { ContendedTransaction } from '../runs/transactions/transaction-queue.ts';
import type { ScriptLog } from '../scripts/script-log.ts';
import type { ScriptRunner } from '../scripts/script-runner.ts';
import { DraftEffects, type DraftStep } from './draft-effects.ts';

export interface DraftAsk {
  readonly orgCode: string;
  readonly tenantCode: string;
  /** It was checked as a definition is. */
  readonly content: LogicBlockContent;
  readonly input: unknown;
  readonly record?: unknown;
  readonly before?: unknown;
  /** The builder, and the request. */
  readonly by: AuditContext;
}

export type DraftResult = ReplyOf<typeof runsApi.testLogicBlock>;

export interface Drafts {
  /** @throws Problem `not_found`, `workspace_suspended`, `validation_failed`, `unknown_field`, `block_failed`; `rate_limited`. */
  run(asked: DraftAsk): Promise<DraftResult>;
}

export interface DraftDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly runtime: Pick<RecordRuntime, 'get' | 'query' | 'list' | 'rehearse' | 'rehearsal'>;
  readonly callers: RunCallers;
  readonly blocks: StoredBlocks;
  readonly scripts: Pick<ScriptRunner, 'run'>;
  readonly clock: Clock;
  readonly newId: IdSource;
  /** From the call to its end, with what it waits for others. */
  readonly millisecondsMax?: number;
}

const shownCharactersMax = 1024 * 1024;

export function createDrafts({ millisecondsMax = 20_000, ...deps }: DraftDeps): Drafts {
  const slots = createFairSlots({ perOrg: 4, perNode: 16, waitingPerOrg: 16, what: 'tests of logic blocks' });
  return {
    run: async (asked) => {
      const ending = new AbortController();
      const message = `a test of a logic block takes at most ${millisecondsMax / 1000} seconds`;
      const timer = setTimeout(() => ending.abort(new Uncaught(blockFailure(message), 'run')), millisecondsMax);
      try {
        return await slots.run(asked.orgCode, () => runDraft(deps, asked, ending.signal), ending.signal);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

type Surroundings = Omit<DraftDeps, 'millisecondsMax'>;

async function runDraft(deps: Surroundings, asked: DraftAsk, signal: AbortSignal): Promise<DraftResult> {
  const { stores, configs, callers, clock, newId } = deps;
  const { orgCode, tenantCode, content, by } = asked;
  const workspace = await findActiveWorkspace(stores, { env: 'test', orgCode, tenantCode });
  const config = await configs.test.refresh(orgCode);
  const typeOf = await typesIn(config, content);
  const block = await compileBlock(content, { typeOf, pause: createYielder(laneOf(workspace)) });
  checkInput(block, asked.input, '/input');
  const { id } = by.actor;
  const caller = await callers.as({ id, kind: 'builder', act: id }, workspace, by.request_id);
  const began = clock.now();
  const redaction = new Redaction();
  const effects = new DraftEffects({
    ...{ runtime: deps.runtime, scripts: deps.scripts, workspace, caller, newId, redaction, began, signal },
    now: () => clock.now(),
    block: (name) => calledBlock(deps.blocks, { config, workspace, draft: block }, name),
    ...(block.isTransaction ? { transaction: deps.runtime.rehearsal(workspace) } : {}),
  });
  try {
    const returns = await until(
      signal,
      interpret(block, startOf(asked, workspace, { user: caller.user, began }), effects),
    );
    return shown({ returns }, effects.steps, redaction);
  } catch (thrown) {
    const error = thrown instanceof Overtaken ? new ContendedTransaction(thrown) : thrown;
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    return shown({ error: errorOf(error) }, effects.steps, redaction);
  }
}

/** What is under way ends with its step. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const ended = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, ended]);
}

/** The live ones; the draft itself where it calls itself. */
async function calledBlock(
  blocks: StoredBlocks,
  {
    config,
    workspace,
    draft,
  }: { readonly config: ConfigSet; readonly workspace: Workspace; readonly draft: CompiledBlock },
  name: string,
): Promise<CompiledBlock> {
  if (name === draft.name) return draft;
  const version = liveVersion(config, name);
  const { env, orgCode } = workspace;
  const found = version === undefined ? undefined : await blocks.at({ env, orgCode, name, version });
  if (found === undefined) throw blockFailure(`there is no logic block \`${name}\``);
  assertMayCall(draft, found);
  return found;
}

function startOf(
  { input, record, before, by: { request_id: requestId } }: DraftAsk,
  { env, tenantId, tenantCode }: Workspace,
  { user, began }: { readonly user: StartValues['user']; readonly began: number },
): StartValues {
  return {
    event: { id: requestId, type: 'logicblock.test', timestamp: timestamp(began), depth: 1, path: '' },
    ...(record === undefined ? {} : { record }),
    ...(before === undefined ? {} : { before }),
    ...{ user, tenant: { id: tenantId, code: tenantCode }, input, env, now: began },
  };
}

type RefusedStep = NonNullable<DraftResult['steps'][number]['error']>;

/** Without values that were to be written to encrypted fields, and with no more values than a reply takes. */
function shown(
  end: Pick<DraftResult, 'returns' | 'error'>,
  done: readonly DraftStep[],
  redaction: Redaction,
): DraftResult {
  let left = shownCharactersMax;
  const fits = (value: unknown): boolean => {
    if (left < 0) return false;
    left -= charactersOf(value, left, Number.POSITIVE_INFINITY);
    return left >= 0;
  };
  const isEndShown = fits(end);
  const steps = done
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ input, output, log, error, skipped, ...step }) => ({
      ...step,
      ...(input !== undefined && fits(input) ? { input: redaction.of(input) } : {}),
      ...(error === undefined && fits(output) ? { output: redaction.of(output) } : {}),
      ...(log !== undefined && fits(log) ? { log: redaction.of(log) as ScriptLog } : {}),
      ...(error === undefined
        ? {}
        : { error: redaction.of({ code: error.code, message: error.message }) as RefusedStep }),
      ...(skipped ? { skipped: true as const } : {}),
    }));
  return {
    ...(isEndShown ? (redaction.of(end) as typeof end) : {}),
    steps,
    ...(left < 0 ? { cut: true as const } : {}),
  };
}

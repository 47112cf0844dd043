import { type ConfigReader, type ConfigSet, targetsOf } from '../../config/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import { type Change, type Committed, OutcomeUnknown, ScopeClosed } from '../../store/port.ts';
import { attemptCommit, overtaken } from '../../store/transact.ts';
import type { CountBound, Environment, Workspace, WritePass, WriteToAdmit } from '../../tenancy/port.ts';
import { watchGroups } from '../aggregates/kept/watch-groups.ts';
import { recordCounter } from '../indexes/derive.ts';
import type { Actor } from '../record-keys.ts';
import type { RecordPolicy } from '../record-policy.ts';
import { unmarked } from '../removals/removal-row.ts';
import { type Fences, fenceKey } from './fence.ts';
import type { PlannedChange } from './planned-change.ts';
import { recordsAdded } from './record-changes.ts';

/** The workspace, the actor and the configuration of a request. */
export interface WriteContext {
  readonly workspace: Workspace;
  readonly actor: Actor;
  /**
   * The workspace as it is stored, where `workspace` is as a transaction sees it: for what is no part of the transaction,
   * such as fences and the numbers that records are given.
   */
  readonly beneath?: Workspace;
  /** The org's configuration as the request began with it. */
  readonly config: ConfigSet;
  /** The job that removes marked records, which alone may write them. It waits for requests. */
  readonly isRemovalJob?: true;
  /** The event that made the write, if one did. */
  readonly origin?: EventOrigin | undefined;
  /** The time of events before the writes of the request so far. */
  readonly spentBefore?: BeforeSpent;
  /** The records that the same commit makes, by {@link placeOfRecord}: others of it may refer to them. */
  readonly made?: ReadonlySet<string>;
}

export function placeOfRecord(entityName: string, id: string): string {
  return `${entityName} ${id}`;
}

/** The time of events before the writes of a request. */
export interface BeforeSpent {
  milliseconds: number;
}

export interface EventOrigin {
  /** The number of writes that are before it. */
  readonly depth: number;
  /** The runs for each of them, the first one first. */
  readonly chain: readonly string[];
}

/** The subject of a record call: the workspace, the entity at one version, and the caller. */
export interface RecordCall extends WriteContext {
  readonly entity: CompiledEntity;
  /** The permissions of the caller on single records by what is called; undefined is everything with all of them. */
  readonly rows?: RecordPolicy | undefined;
}

/** The changes of a write, and the entities beside those asked for whose records they touch. */
export interface WritePlan {
  readonly changes: readonly PlannedChange[];
  readonly touches?: ReadonlySet<string>;
  /** Whether the write was asked for to remove records, and nothing else. */
  readonly isRemoval?: boolean;
}

interface WriteLoopOptions {
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly fences: Fences;
}

/**
 * Commits what `plan` says, planned again while others change what it was planned on. The fences of all entities that
 * it touches are checked with it, so that it is committed by the newest configuration or not at all.
 */
export type WriteLoop = <Plan extends WritePlan>(
  context: WriteContext,
  entityNames: readonly string[],
  plan: (config: ConfigSet) => Promise<Plan>,
) => Promise<{ readonly plan: Plan; readonly committed: Committed }>;

const attemptsMax = 16;

export function createWriteLoop({ configs, fences }: WriteLoopOptions): WriteLoop {
  /** The checks of the entities' fences, or undefined where one is above the configuration's generation. */
  const fenceChecks = async (
    { workspace, beneath = workspace }: WriteContext,
    config: ConfigSet,
    names: readonly string[],
  ): Promise<FenceChecks | undefined> => {
    const checks: Change[] = [];
    let hasMarks = false;
    for (const name of names) {
      const fence = await fences.at(beneath, config, name);
      if (fence === 'newer') return undefined;
      checks.push({ kind: 'check', ...fenceKey(name), if: { version: fence.itemVersion } });
      hasMarks ||= fence.hasMarks;
    }
    return { checks, hasMarks };
  };

  const reload = async (
    { workspace, beneath = workspace }: WriteContext,
    names: readonly string[],
  ): Promise<ConfigSet> => {
    for (const name of names) fences.forget(beneath, name);
    const config = await configs[workspace.env].refresh(workspace.orgCode);
    for (const name of names) if ((await config.entity(name)) === undefined) throw notFound();
    return config;
  };

  /** One attempt; the names of the entities whose configuration has to be read again where it came too late. */
  const attempt = async <Plan extends WritePlan>(
    context: WriteContext,
    entityNames: readonly string[],
    makePlan: (config: ConfigSet) => Promise<Plan>,
  ): Promise<WriteAttempt<Plan>> => {
    const { config } = context;
    // A removal of what these refer to must know of them, so that entity's fence is raised as well.
    const concerned = [...new Set(entityNames.flatMap((name) => [name, ...targetsOf(config, name)]))];
    const fenced = await fenceChecks(context, config, concerned);
    if (fenced === undefined) return { stale: concerned };
    const plan = await makePlan(config);
    const touched = [...(plan.touches ?? [])].filter((name) => !concerned.includes(name));
    const names = [...concerned, ...touched];
    const more = touched.length === 0 ? none : await fenceChecks(context, config, touched);
    if (more === undefined) return { stale: names };
    const hasMarks = fenced.hasMarks || more.hasMarks;
    const outcome = await tryCommit(
      context,
      [...fenced.checks, ...more.checks],
      [
        ...plan.changes,
        ...(hasMarks && context.isRemovalJob !== true ? await unmarked(context.workspace, plan.changes) : []),
      ],
    );
    if (outcome === 'replan') return outcome;
    if (outcome === 'stale') return { stale: names };
    // The sums of a transaction are not known yet.
    if (context.beneath === undefined && plan.changes.some(isTally)) await watchGroups(context, plan.changes, outcome);
    return { plan, committed: outcome };
  };

  return async (firstContext, entityNames, makePlan) => {
    let context = firstContext;
    for (let attempts = 0; attempts < attemptsMax; attempts++) {
      const outcome = await attempt(context, entityNames, makePlan).catch(explainClosed);
      if (outcome === 'replan') continue;
      if ('committed' in outcome) return outcome;
      context = { ...context, config: await reload(context, outcome.stale) };
    }
    throw overtaken();
  };
}

function isTally({ change }: PlannedChange): boolean {
  return change.kind === 'tally';
}

interface FenceChecks {
  readonly checks: readonly Change[];
  /** Whether a job has marked records of one of the entities. */
  readonly hasMarks: boolean;
}

const none: FenceChecks = { checks: [], hasMarks: false };

type WriteAttempt<Plan> =
  | { readonly plan: Plan; readonly committed: Committed }
  | { readonly stale: readonly string[] }
  | 'replan';

/** The same call by another version of the configuration. @throws Problem `not_found` where the entity is gone. */
export async function callAt(call: RecordCall, config: ConfigSet): Promise<RecordCall> {
  if (config === call.config) return call;
  const entity = await config.entity(call.entity.name);
  if (entity === undefined) throw notFound();
  return { ...call, config, entity };
}

/** `stale` where a fence has moved, `replan` where something else has. @throws Problem where a conflict is a refusal. */
async function tryCommit(
  { workspace, isRemovalJob }: WriteContext,
  checks: readonly Change[],
  planned: readonly PlannedChange[],
): Promise<Committed | 'stale' | 'replan'> {
  const options = { priority: isRemovalJob === true ? 'background' : 'request' } as const;
  const changes = [...checks, ...planned.map(({ change }) => change)];
  const attempt = await attemptCommit(workspace.scope, changes, options);
  if ('committed' in attempt) return attempt.committed;
  if (attempt.refusedAt < checks.length) return 'stale';
  const refused = planned[attempt.refusedAt - checks.length];
  if (refused === undefined || refused.onConflict === 'replan') return 'replan';
  throw refused.onConflict();
}

/** A workspace that takes no writes any more is as good as gone. */
export function explainClosed(error: unknown): never {
  throw error instanceof ScopeClosed ? notFound() : error;
}

/** Holds writes to what the org may use, whatever that is. The runtime only says how many records a write adds. */
export interface WriteGate {
  /** Asked right before the commit. @throws Problem to refuse the write. */
  admit(workspace: Workspace, write: WriteToAdmit): WritePass | Promise<WritePass>;
}

/** The write loop, which asks the gate for each attempt that it makes. */
export function gatedLoop(writeLoop: WriteLoop, gate: WriteGate): WriteLoop {
  return async (context, entityNames, makePlan) => {
    let pass: WritePass | undefined;
    const giveBack = (): void => {
      pass?.refused();
      pass = undefined;
    };
    try {
      const done = await writeLoop(context, entityNames, async (config) => {
        giveBack();
        const plan = await makePlan(config);
        const records = recordsAdded(plan.changes);
        pass = await gate.admit(context.workspace, { records, isRemoval: plan.isRemoval === true });
        return plan;
      });
      pass?.written();
      return done;
    } catch (error) {
      if (error instanceof OutcomeUnknown) pass?.unknown();
      else giveBack();
      throw error;
    }
  };
}

/** The number of policies that a workspace may have; undefined is any number. */
export type PolicyBound = (workspace: Workspace) => Promise<CountBound | undefined>;

const policyCounter = recordCounter('aclpolicy');

/**
 * The write loop, which holds each commit that makes policies to the bound of their workspace: the counter that every
 * write of one moves in its own commit is not moved past it, whichever node writes. What is past it already stays.
 */
export function boundedLoop(writeLoop: WriteLoop, bound: PolicyBound): WriteLoop {
  return (context, entityNames, makePlan) =>
    writeLoop(context, entityNames, async (config) => boundPlan(context.workspace, await makePlan(config), bound));
}

async function boundPlan<Plan extends WritePlan>(workspace: Workspace, plan: Plan, bound: PolicyBound): Promise<Plan> {
  const added = plan.changes.reduce((sum, { change }) => sum + (movesPolicies(change) ? change.by : 0), 0);
  if (added <= 0) return plan;
  const limit = await bound(workspace);
  if (limit === undefined) return plan;
  const [counter] = await workspace.scope.get([policyCounter]);
  const used = Number(counter?.value ?? 0);
  if (used + added > limit.max) throw await limit.exceeded(used, used + added);
  // A concurrent creation of policies moves the counter: then this is planned again.
  const changes = plan.changes.map((planned) =>
    movesPolicies(planned.change)
      ? { change: { ...planned.change, max: limit.max }, onConflict: 'replan' as const }
      : planned,
  );
  return { ...plan, changes };
}

function movesPolicies(change: Change): change is Extract<Change, { kind: 'add' }> {
  return change.kind === 'add' && change.pk === policyCounter.pk && change.sk === policyCounter.sk;
}

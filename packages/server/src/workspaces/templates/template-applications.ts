/** Builders have the template of their org applied to its workspaces: first shown, then started, by a job. */
import type { workspaceTemplatesApi } from '@freehold/contract/management/settings/workspace-templates';
import type { BodyOf, ReplyOf } from '@freehold/contract/route';
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import { contentDigest } from '../../iam/port.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IdSource } from '../../lib/ids.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import { mayBeId } from '../../records/port.ts';
import type { Change, Scope } from '../../store/port.ts';
import type { Row } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import {
  type ApplicationRow,
  applicationPartition,
  applications,
  applicationWork,
  expiry,
  isAtWork,
  liveApplication,
  type ShownApplication,
  shownApplication,
  stepsPartition,
  workspaceSteps,
} from './run-application.ts';
import { type DriftDeps, templatesOf } from './workspace-drift.ts';

type ApplicationRequest = NonNullable<BodyOf<typeof workspaceTemplatesApi.previewTemplateApplication>>;
type AppliedWorkspacesPage = ReplyOf<typeof workspaceTemplatesApi.listAppliedWorkspaces>;

export interface ApplicationPlace {
  readonly env: Environment;
  readonly orgCode: string;
}

export interface ApplicationCommand extends ApplicationPlace {
  readonly auditContext: AuditContext;
}

interface PageRequest {
  readonly pageSize: number;
  readonly nexttoken: string | undefined;
}

interface ApplicationDeps extends DriftDeps {
  readonly clock: Clock;
  readonly newId: IdSource;
  /** Tells the jobs that there is work. */
  readonly wake: () => void;
}

const listedMax = 20;
/** So many are remembered: each is kept for 30 days, with a row for each workspace that differs. */
const applicationsMax = 500;

export function createTemplateApplications(deps: ApplicationDeps) {
  const scopeOf = ({ env, orgCode }: ApplicationPlace): Scope => deps.stores[env].scope(orgScopeName(orgCode));
  return {
    /** @throws Problem `conflict`. */
    preview: (command: ApplicationCommand, request: ApplicationRequest) => preview(deps, command, request),
    /** The same for all workspaces, started as soon as it is there: what members may do by it is confirmed. */
    apply: (command: ApplicationCommand) => preview(deps, command, { starts_itself: true }),
    list: async (place: ApplicationPlace) => {
      const rows = await applications.range(scopeOf(place), applicationPartition, { limit: listedMax, reverse: true });
      return rows.map(({ sk, value }) => shownApplication(sk, value));
    },
    /** @throws Problem `not_found`. */
    show: async (place: ApplicationPlace, id: string) =>
      shownApplication(id, (await requireRow(scopeOf(place), id)).value),
    /** @throws Problem `not_found`, `invalid_cursor`. */
    workspaces: async (
      place: ApplicationPlace,
      id: string,
      { pageSize, nexttoken }: PageRequest,
    ): Promise<AppliedWorkspacesPage> => {
      const scope = scopeOf(place);
      await requireRow(scope, id);
      const binding = ['applied-workspaces', place.orgCode, place.env, id];
      const after = nexttoken === undefined ? {} : { after: deps.cursors.open(nexttoken, binding) };
      const rows = await workspaceSteps.range(scope, stepsPartition(id), { ...after, limit: pageSize + 1 });
      const shown = rows.slice(0, pageSize);
      const last = rows.length > pageSize ? shown.at(-1) : undefined;
      return {
        items: shown.map(({ sk: code, value: { state, items, widens, error = null } }) => {
          return { code, state, items, widens, error };
        }),
        nexttoken: last === undefined ? null : deps.cursors.seal(last.sk, binding),
      };
    },
    /** @throws Problem `not_found`, `conflict`, `escalation_refused`. */
    start: (command: ApplicationCommand, id: string, options: { readonly acceptsWidening: boolean }) =>
      start(deps, command, { id, ...options }),
    /** @throws Problem `not_found`, `conflict`. */
    cancel: (command: ApplicationCommand, id: string) => cancel(deps, command, id),
  };
}

/** @throws Problem `conflict`. */
async function assertRoom(scope: Scope): Promise<void> {
  if ((await scope.count(applicationPartition, {}, applicationsMax)) >= applicationsMax)
    throw new Problem('conflict', `the environment has had ${applicationsMax} previews of the template in 30 days`);
}

async function requireRow(scope: Scope, id: string): Promise<Row<ApplicationRow>> {
  const row = mayBeId(id) ? await applications.read(scope, id) : undefined;
  if (row === undefined) throw notFound();
  return row;
}

/** @throws Problem `conflict` where another one is at work. */
async function assertNoneAtWork(scope: Scope): Promise<void> {
  const live = await liveApplication.read(scope, undefined);
  if (live !== undefined)
    throw new Problem('conflict', 'another application of the template is under way: wait for its end, or cancel it');
}

function audited({ auditContext, env }: ApplicationCommand, action: string, id: string, differ?: number): Change {
  const detail = differ === undefined ? {} : { detail: { workspaces: differ } };
  return auditEntry(auditContext, { action, target: { kind: 'template_application', id }, env, ...detail });
}

async function preview(
  deps: ApplicationDeps,
  command: ApplicationCommand,
  { workspaces, replace_local = false, starts_itself }: ApplicationRequest & Pick<ApplicationRow, 'starts_itself'>,
): Promise<ShownApplication> {
  const { env, orgCode, auditContext } = command;
  const scope = deps.stores[env].scope(orgScopeName(orgCode));
  const { at, actor, request_id } = auditContext;
  const id = deps.newId();
  const templates = await templatesOf(deps, command);
  const codes = workspaces === undefined ? {} : { codes: [...new Set(workspaces)].sort() };
  const counts = { looked: 0, differ: 0, creates: 0, replaces: 0, keeps: 0, widening: 0, done: 0, failed: 0 };
  const row: ApplicationRow = {
    state: 'previewing',
    ...{ all: workspaces === undefined, replace_local, created_at: at },
    ...{ caller: { actor, request_id }, ...codes, templates, ...counts },
    ...(starts_itself === undefined ? {} : { starts_itself }),
  };
  await transact(scope, async () => {
    await assertNoneAtWork(scope);
    await assertRoom(scope);
    return {
      changes: [
        liveApplication.insert(undefined, { id }),
        applications.insert(id, row, expiry(at)),
        applicationWork({ id, env, orgCode }, deps.clock.now()),
        audited(command, starts_itself === true ? 'workspace_template.started' : 'workspace_template.previewed', id),
      ],
    };
  });
  deps.wake();
  return shownApplication(id, row);
}

async function start(
  deps: ApplicationDeps,
  command: ApplicationCommand,
  { id, acceptsWidening }: { readonly id: string; readonly acceptsWidening: boolean },
): Promise<ShownApplication> {
  const { env, orgCode, auditContext } = command;
  const scope = deps.stores[env].scope(orgScopeName(orgCode));
  const { actor, request_id, at } = auditContext;
  const { planned } = await transact(scope, async () => {
    const row = await requireRow(scope, id);
    await assertStartable(deps, command, { row: row.value, acceptsWidening });
    await assertNoneAtWork(scope);
    const { after: _, ...kept } = row.value;
    const next: ApplicationRow = { ...kept, state: 'running', caller: { actor, request_id }, started_at: at };
    return {
      next,
      changes: [
        liveApplication.insert(undefined, { id }),
        applications.replace(row, next),
        applicationWork({ id, env, orgCode }, deps.clock.now()),
        audited(command, 'workspace_template.started', id, next.differ),
      ],
    };
  });
  deps.wake();
  return shownApplication(id, planned.next);
}

async function assertStartable(
  deps: ApplicationDeps,
  place: ApplicationPlace,
  { row, acceptsWidening }: { readonly row: ApplicationRow; readonly acceptsWidening: boolean },
): Promise<void> {
  if (row.state !== 'previewed')
    throw new Problem('conflict', `the application is \`${row.state}\`: only a preview that is ready can be started`);
  if (contentDigest(row.templates) !== contentDigest(await templatesOf(deps, place)))
    throw new Problem('conflict', 'the template has changed since the preview: make another preview');
  if (row.widening > 0 && !acceptsWidening)
    throw new Problem(
      'escalation_refused',
      `members of ${row.widening} workspaces may do more afterwards: read what, and confirm it with \`accept_widening\``,
    );
}

async function cancel(deps: ApplicationDeps, command: ApplicationCommand, id: string): Promise<ShownApplication> {
  const scope = deps.stores[command.env].scope(orgScopeName(command.orgCode));
  const { planned } = await transact(
    scope,
    async () => {
      const row = await requireRow(scope, id);
      const { state } = row.value;
      if (state !== 'previewed' && !isAtWork(row.value))
        throw new Problem('conflict', `the application is \`${state}\` already`);
      const next: ApplicationRow = { ...row.value, state: 'cancelled', ended_at: command.auditContext.at };
      return {
        next,
        changes: [
          applications.replace(row, next),
          ...(isAtWork(row.value) ? [liveApplication.remove(undefined, 'any')] : []),
          audited(command, 'workspace_template.cancelled', id),
        ],
      };
    },
    { attemptsMax: Number.POSITIVE_INFINITY },
  );
  return shownApplication(id, planned.next);
}

/** The destinations of deliveries: the input and output of each, and the parts that those within the platform share. */

import { problemStatus } from '@freehold/contract/problem';
import type { ConfigSet } from '../../config/port.ts';
import { type CompiledTemplate, compileTemplate, TemplateError } from '../../expressions/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { isEmailAddress } from '../../lib/formats/email-address.ts';
import { type CallRules, whyNeverCalled } from '../../lib/network/guarded-request.ts';
import { Problem } from '../../lib/problem.ts';
import type { EventOrigin, PlannedChange } from '../../records/port.ts';
import { type CompiledEntity, recordType } from '../../schema/port.ts';
import { type Change, TooLarge } from '../../store/port.ts';
import { json, table } from '../../store/table.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { type SendDeps, type SendOutcome, send } from '../../work/send.ts';
import type { WorkMeter } from '../automation-deps.ts';
import { allowedWrite, type WriteStep } from '../blocks/caller-effects.ts';
import { type ChainHeader, chainHeaderName } from '../chain-header.ts';
import { type EventContent, eventScope } from '../kinds/event.ts';
import { eventTemplates } from '../kinds/event-destinations.ts';
import type { OutboxItem } from '../outbox/outbox.ts';
import { type RunUser, storedRuns } from '../runs/run-rows.ts';
import type { AutomationWork } from '../runs/runs.ts';

/** By the `event_type` of an event: where it is delivered to. */
export type Destinations = { readonly [Type in EventType]: Destination<Type> };

export function createDestinations(deps: WebhookDeps & InsideDeps): Destinations {
  return {
    webhook: webhookDestination(deps),
    mail: mailDestination(deps),
    record: recordDestination(deps),
    logicblock: logicBlockDestination(deps),
    crew: { deliver: async () => ({ state: 'refused', status: null, ms: 0, answer: 'crews do not run yet' }) },
  };
}

/** One attempt. */
export function deliverTo(destinations: Destinations, delivery: Delivery, keys: ReadSigningKeys): Promise<SendOutcome> {
  return destinationOf(destinations, delivery.content).deliver(delivery, keys);
}

/** Tests a destination with a sample. @param email the address of the builder who asks. */
export function testAt(
  destinations: Destinations,
  delivery: Delivery,
  { keys, email }: { readonly keys: ReadSigningKeys; readonly email: string },
): Promise<SendOutcome> {
  const destination = destinationOf(destinations, delivery.content);
  return destination.test?.(delivery, email) ?? destination.deliver(delivery, keys);
}

/** The destination of a type takes the contents of that type. */
function destinationOf(destinations: Destinations, { event_type }: EventContent): Destination {
  return destinations[event_type] as Destination;
}

interface WebhookDeps extends SendDeps {
  /** Those of the request. */
  readonly rules: CallRules;
  readonly chain: Pick<ChainHeader, 'write'>;
}

const timeoutMilliseconds = 15_000;

/** Sends the write. */
export function webhookDestination(deps: WebhookDeps): Destination<'webhook'> {
  return {
    deliver: async (delivery, keys) => {
      const { url, headers } = delivery.content.destination_config;
      const never = whyNeverCalled(url, deps.rules);
      // It would be so at each further attempt.
      if (never !== undefined) return { state: 'refused', status: null, ms: 0, answer: never };
      const { id, depth } = delivery.item;
      return send(deps, {
        ...{ url, id, body: bodyOf(delivery), keys: await keys(), timeoutMilliseconds, isAnswerRead: true },
        headers: { ...headers, [chainHeaderName]: deps.chain.write(depth, deps.now()) },
      });
    },
  };
}

function bodyOf({ item: { entity, op, at, isTest }, record, before }: Delivery): string {
  const data = before === undefined ? { record } : { record, before };
  return JSON.stringify({ type: `${entity}.${op}`, timestamp: timestamp(at), data, ...(isTest && { test: true }) });
}

/** Sends a mail with the texts of the event to the one address that its template gives. */
export function mailDestination(deps: InsideDeps): Destination<'mail'> {
  return {
    deliver: (delivery) => attempt(deps, () => sendMail(deps, delivery)),
    test: (delivery, email) => attempt(deps, () => sendMail(deps, delivery, { email })),
  };
}

/** @param sample goes to the builder alone, whatever the template gives. */
async function sendMail(
  { work, meter }: InsideDeps,
  delivery: Delivery<ContentOf<'mail'>>,
  sample?: { readonly email: string },
): Promise<string> {
  const { item, orgCode: org } = delivery;
  const texts = await evaluated(delivery, { id: item.user.id });
  const to = textOf(texts.to).trim();
  if (!isEmailAddress(to)) throw new NotDelivered('refused', 'the template of the recipient gives no address');
  const { mail } = work;
  // An operator may set it up in time.
  if (mail === undefined) throw new NotDelivered('failed', 'this platform sends no mail');
  const { env } = await workspaceOf(delivery);
  const checked = meter.check(org, 'mails');
  if (checked instanceof Promise) await checked;
  // Before it is sent, and in the same turn: others see it, and a server that refuses it had it all the same.
  meter.add({ env, orgCode: org }, 'mails', 1);
  const subject = `${sample === undefined ? '' : '[test] '}${textOf(texts.subject)}`;
  const written = { to: sample?.email ?? to, subject, text: textOf(texts.text) };
  const answer = await mail.deliver(written, { org, id: item.id });
  if (answer !== 'sent') throw new NotDelivered(answer.permanent ? 'refused' : 'failed', answer.code);
  return sample === undefined ? 'sent' : 'sent to you alone';
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

const doneText = 'it was written before';

/** Writes a record of another entity in the name of the writer, by the rights that the writer has then. */
function recordDestination(deps: InsideDeps): Destination<'record'> {
  return {
    deliver: (delivery) => attempt(deps, () => writeRecord(deps, delivery)),
    test: (delivery) =>
      attempt(deps, async () => {
        const { action, entity } = delivery.content.destination_config;
        await evaluated(delivery, { id: delivery.item.user.id });
        return `would ${action} a record of \`${entity}\``;
      }),
  };
}

async function writeRecord(deps: InsideDeps, delivery: Delivery<ContentOf<'record'>>): Promise<string> {
  const { work, now } = deps;
  const { item, content } = delivery;
  const workspace = await workspaceOf(delivery);
  if ((await doneMarks.read(workspace.scope, item.id)) !== undefined) return doneText;
  const { callers, runtime } = work;
  const caller = await callers.as(writerOf(item), workspace, item.id);
  const step = stepOf(content.destination_config, await evaluated(delivery, caller.user));
  const { operation } = await allowedWrite({ caller, origin: originOf(delivery) }, step);
  let isDone = false;
  const mark: PlannedChange = {
    change: markDone(item.id, now()),
    onConflict: () => {
      isDone = true;
      return new Problem('conflict', doneText);
    },
  };
  try {
    await runtime.write([operation], { along: () => [mark] });
  } catch (error) {
    if (isDone) return doneText;
    throw error;
  }
  return 'written';
}

function stepOf(
  { action, entity }: ContentOf<'record'>['destination_config'],
  { record, values }: Readonly<Record<string, unknown>>,
): WriteStep {
  const of = { id: 'record', entity } as const;
  if (action === 'create') return { ...of, type: action, values };
  if (typeof record !== 'string' || record === '')
    throw new NotDelivered('refused', 'the template of the record gives no id');
  return action === 'delete' ? { ...of, type: action, record } : { ...of, type: action, record, values };
}

/** Starts a run of the block. Its id is that of the delivery, so it is one run however often this is delivered. */
export function logicBlockDestination(deps: InsideDeps): Destination<'logicblock'> {
  return {
    deliver: (delivery) => attempt(deps, () => startRunOf(deps, delivery)),
    test: ({ content }) =>
      attempt(deps, async () => `would run the logic block \`${content.destination_config.logicblock}\``),
  };
}

async function startRunOf({ work, now }: InsideDeps, delivery: Delivery<ContentOf<'logicblock'>>): Promise<string> {
  const { item, event, content, config, record, before } = delivery;
  const workspace = await workspaceOf(delivery);
  // The block may be another one by now, and the run is one of that which was live then.
  if ((await storedRuns.read(workspace.scope, item.id)) !== undefined) return startedText;
  // The run may be forgotten before its delivery is.
  if ((await doneMarks.read(workspace.scope, item.id)) !== undefined) return startedText;
  const ask = {
    ...{ workspace, config, block: content.destination_config.logicblock, id: item.id, input: {} },
    trigger: { kind: 'event', id: item.id, name: event },
    given: { event: eventOf(item), record, ...(before === undefined ? {} : { before }) },
    origin: originOf(delivery),
    user: writerOf(item),
  } as const;
  await work.start(ask, [markDone(item.id, now())]);
  return startedText;
}

const startedText = 'the run has been started';

/** The content of an event: the write, with its texts. */
export interface DeliveredItem {
  readonly item: OutboxItem;
  /** The record with its version. */
  readonly record: Readonly<Record<string, unknown>>;
  readonly before: Readonly<Record<string, unknown>> | undefined;
}

/** A delivery, with its event as it is live. It belongs to the workspace of the outbox in which it lay. */
export interface Delivery<Content extends EventContent = EventContent> extends DeliveredItem {
  readonly event: string;
  readonly content: Content;
  readonly config: ConfigSet;
  readonly orgCode: string;
  /** Undefined where the workspace is not there, or is being removed. */
  readonly workspace: () => Promise<Workspace | undefined>;
}

type EventType = EventContent['event_type'];

export type ContentOf<Type extends EventType> = Extract<EventContent, { readonly event_type: Type }>;

/** The keys that sign, the present one first. */
export type ReadSigningKeys = () => Promise<readonly Buffer[]>;

/** The operations of destinations of a type on a delivery. Never throws for what a receiver does. */
interface Destination<Type extends EventType = EventType> {
  deliver(delivery: Delivery<ContentOf<Type>>, keys: ReadSigningKeys): Promise<SendOutcome>;
  /** Tests it with a sample; left out, the sample is delivered. @param email the address of the builder who asks. */
  test?(delivery: Delivery<ContentOf<Type>>, email: string): Promise<SendOutcome>;
}

export interface InsideDeps {
  readonly work: AutomationWork;
  readonly meter: WorkMeter;
  readonly now: () => number;
  /** Takes what is a fault of the platform: the receipt says no more than that. */
  readonly onError: (error: unknown) => void;
}

/** The way a delivery ends that was not made, and why. */
class NotDelivered extends Error {
  readonly state: 'failed' | 'refused';

  constructor(state: NotDelivered['state'], reason: string) {
    super(reason);
    this.state = state;
  }
}

/** Runs an attempt. The receipt has the code of a refusal alone, since its message may hold values of records. */
async function attempt({ now, onError }: InsideDeps, work: () => Promise<string>): Promise<SendOutcome> {
  const startedAt = now();
  const outcome = (state: SendOutcome['state'], answer: string): SendOutcome => {
    return { state, status: null, ms: Math.max(now() - startedAt, 0), answer };
  };
  try {
    return outcome('delivered', await work());
  } catch (error) {
    if (error instanceof NotDelivered) return outcome(error.state, error.message);
    if (error instanceof TemplateError) return outcome('refused', error.code);
    if (error instanceof TooLarge) return outcome('refused', 'body_too_large');
    if (error instanceof Problem) return outcome(mayPass(error) ? 'failed' : 'refused', error.code);
    onError(error);
    return outcome('failed', 'internal_error');
  }
}

const passing: readonly string[] = ['conflict', 'version_mismatch'];

/** Whether the same may be taken at another time. */
function mayPass({ code }: Problem): boolean {
  const status = problemStatus[code];
  return status >= 500 || status === 429 || passing.includes(code);
}

async function workspaceOf({ workspace }: Delivery): Promise<Workspace> {
  const found = await workspace();
  if (found === undefined) throw new NotDelivered('failed', 'the workspace is not there, or is being removed');
  return found;
}

/** The user for whom a delivery writes: by the item alone, and never by its content. @throws NotDelivered */
export function writerOf({ user: { id, actor } }: DeliveredItem['item']): RunUser {
  switch (actor?.kind) {
    case undefined:
    case 'app_user':
      return { id, kind: 'person' };
    case 'service_key':
      return { id, kind: 'service_key' };
    case 'org_user':
      return { id, kind: id === actor?.id ? 'builder' : 'person', act: actor?.id };
    case 'automation':
      return { id, kind: 'app' };
    default:
      throw new NotDelivered('refused', 'access_denied');
  }
}

/** The origin of the writes that a delivery makes. */
function originOf({ item: { depth, chain }, event }: Delivery): EventOrigin {
  return { depth, chain: [...chain, event] };
}

function eventOf({ id, entity, op, at, depth }: DeliveredItem['item']): object {
  return { id, type: `${entity}.${op}`, timestamp: timestamp(at), depth, path: '' };
}

interface CompiledDestination {
  readonly entity: CompiledEntity | undefined;
  readonly template: CompiledTemplate;
}

const compiledBefore = new WeakMap<EventContent, CompiledDestination>();

/** The destination of an event with the values of its expressions. @throws NotDelivered, TemplateError */
async function evaluated(delivery: Delivery, user: { readonly id: string; readonly email?: string }) {
  const { item, record, before } = delivery;
  const { tenantId: id, tenantCode: code, env } = await workspaceOf(delivery);
  const { template } = await compiledTemplate(delivery);
  return template.evaluate(
    { event: eventOf(item), record, before, user, tenant: { id, code }, input: {}, steps: {}, env, now: item.at },
    { steps: 0 },
  ) as Readonly<Record<string, unknown>>;
}

async function compiledTemplate({ content, config, item }: Delivery): Promise<CompiledDestination> {
  const entity = await config.entity(item.entity);
  const before = compiledBefore.get(content);
  if (before !== undefined && before.entity === entity) return before;
  const type = entity === undefined ? undefined : recordType(entity.definition.UpdateParams);
  const template = compileTemplate(eventTemplates(content), eventScope(content.event_optype, type), '');
  if (!('evaluate' in template)) throw new NotDelivered('refused', 'invalid_expression');
  const compiled = { entity, template };
  compiledBefore.set(content, compiled);
  return compiled;
}

/** Marks of finished deliveries, by their ids: in the commit of their effects, so that none is done twice. */
const doneMarks = table(
  (id: string) => ({ pk: 'event-done', sk: id }),
  json<{ readonly at: number }>('mark of a delivery', { at: 'number' }),
);

/** Longer than a delivery can be sent again. */
const keptMilliseconds = 32 * 24 * 3600 * 1000;

function markDone(id: string, now: number): Change {
  return doneMarks.put(id, { at: now }, { if: 'absent', due: { at: now + keptMilliseconds, queue: 'expire' } });
}

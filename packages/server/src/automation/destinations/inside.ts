/** What destinations within the platform have in common. */
import { problemStatus } from '@freehold/contract/problem';
import { compileTemplate, type Template, TemplateError } from '../../expressions/port.ts';
import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { EventOrigin } from '../../records/port.ts';
import { type CompiledEntity, recordType } from '../../schema/port.ts';
import { TooLarge } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { Outcome } from '../../work/send.ts';
import { type EventContent, eventScope, eventTemplates } from '../kinds/event.ts';
import type { RunUser } from '../runs/run-rows.ts';
import type { WorkMeter } from '../work-meter.ts';
import type { AutomationWork } from '../work-port.ts';
import type { Delivery, Told } from './destination.ts';

export interface InsideDeps {
  /** Is there before the first delivery. */
  readonly work: () => AutomationWork;
  readonly meter: WorkMeter;
  readonly now: () => number;
  /** Takes what is a fault of the platform: the receipt says no more than that. */
  readonly onError: (error: unknown) => void;
}

/** How a delivery ends that was not made, and why. */
export class NotDelivered extends Error {
  readonly state: 'failed' | 'refused';

  constructor(state: NotDelivered['state'], reason: string) {
    super(reason);
    this.state = state;
  }
}

/** What an attempt comes to. The receipt has the code of a refusal alone, since its message may hold values of records. */
export async function attempt(
  { now, onError }: Pick<InsideDeps, 'now' | 'onError'>,
  work: () => Promise<string>,
): Promise<Outcome> {
  const startedAt = now();
  const outcome = (state: Outcome['state'], answer: string): Outcome => {
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

export async function workspaceOf({ workspace }: Delivery): Promise<Workspace> {
  const found = await workspace();
  if (found === undefined) throw new NotDelivered('failed', 'the workspace is not there, or is being removed');
  return found;
}

/** In whose name a delivery writes: by the item alone, and never by what it tells. @throws NotDelivered */
export function writerOf({ user: { id, actor } }: Told['item']): RunUser {
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

/** What the writes that come of a delivery come of. */
export function originOf({ item: { depth, chain }, event }: Delivery): EventOrigin {
  return { depth, chain: [...chain, event] };
}

export function eventOf({ id, entity, op, at, depth }: Told['item']): object {
  return { id, type: `${entity}.${op}`, timestamp: timestamp(at), depth, path: '' };
}

interface Compiled {
  readonly entity: CompiledEntity | undefined;
  readonly template: Template;
}

const compiledBefore = new WeakMap<EventContent, Compiled>();

/** The destination of an event with the values of its expressions. @throws NotDelivered, TemplateError */
export async function evaluated(delivery: Delivery, user: { readonly id: string; readonly email?: string }) {
  const { item, record, before } = delivery;
  const { tenantId: id, tenantCode: code, env } = await workspaceOf(delivery);
  const { template } = await compiledTemplate(delivery);
  return template.evaluate(
    { event: eventOf(item), record, before, user, tenant: { id, code }, input: {}, steps: {}, env, now: item.at },
    { steps: 0 },
  ) as Readonly<Record<string, unknown>>;
}

async function compiledTemplate({ content, config, item }: Delivery): Promise<Compiled> {
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

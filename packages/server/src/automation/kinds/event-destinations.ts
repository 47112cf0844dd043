/** The destinations that writes are delivered to, by the `event_type` of an event. */
import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { entityReference } from '../../entities/port.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { type ItemReference, shown } from '../../promotion/port.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { itemName, someText } from './kind-content.ts';
import {
  address,
  entityName,
  fieldName,
  type HttpContent,
  headers,
  type MailContent,
  requestErrors,
} from './shared-content.ts';

export type EventDestination =
  | ({ readonly event_type: 'webhook' } & DestinationConfigs<Pick<HttpContent, 'url' | 'headers'>>)
  | ({ readonly event_type: 'mail' } & DestinationConfigs<Omit<MailContent, 'type'>>)
  | ({ readonly event_type: 'record' } & DestinationConfigs<RecordDestination>)
  | ({ readonly event_type: 'logicblock' } & DestinationConfigs<{ readonly logicblock: string }>)
  | ({ readonly event_type: 'crew' } & DestinationConfigs<{ readonly crew: string }>);

interface DestinationConfigs<Config> {
  readonly destination_config: Config;
  /** Production uses it if present. */
  readonly prod_destination_config?: Config;
}

/** The destination of an environment alone. */
export function eventIn<Content extends EventDestination>(env: Environment, content: Content): Content {
  const { prod_destination_config: ofProduction, ...rest } = content;
  if (ofProduction === undefined) return content;
  // Both are of the type of the event.
  return (env === 'prod' ? { ...rest, destination_config: ofProduction } : rest) as Content;
}

/** Each destination of an event as its only one, with the member that has it. */
export function eachDestination<Content extends EventDestination>(
  content: Content,
): readonly { readonly content: Content; readonly at: string }[] {
  const ofTest = { content: eventIn('test', content), at: '/destination_config' };
  if (content.prod_destination_config === undefined) return [ofTest];
  return [ofTest, { content: eventIn('prod', content), at: '/prod_destination_config' }];
}

/** A write to a record of another entity: `record` and the values are templates. */
interface RecordDestination {
  readonly entity: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly record?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

interface DestinationKind<Config> {
  readonly schema: JsonSchema;
  /** It follows "it is to". */
  readonly meaning: (config: Config) => string;
  /** The place that records of an entity reach by it, or their effect, as a sentence; left out, nothing runs it. */
  readonly reach?: (config: Config, entity: string) => string;
  /** By which it is another one: how it gets there, such as with which headers, is left out of account. */
  readonly reached: (config: Config) => readonly string[];
  readonly errors?: (config: Config, at: string) => readonly InputError[];
  readonly references?: (config: Config, at: string) => readonly ItemReference[];
  /** Its members that are templates, together. */
  readonly templates?: (config: Config) => object;
}

type EventType = EventDestination['event_type'];
type ConfigOf<Type> = Extract<EventDestination, { readonly event_type: Type }>['destination_config'];

export const destinationKinds: { readonly [Type in EventType]: DestinationKind<ConfigOf<Type>> } = {
  webhook: {
    schema: closedObjectOf({ url: address, headers }, ['headers']),
    meaning: ({ url }) => `call ${shown(url)}`,
    reach: ({ url }, entity) => `what is written to records of \`${entity}\` is sent to ${shown(url)}`,
    reached: ({ url }) => [url],
    errors: requestErrors,
  },
  mail: {
    schema: closedObjectOf({ to: someText(500), subject: someText(300), text: someText(16 * 1024) }),
    meaning: ({ to }) => `send a mail to ${shown(to)}`,
    reach: ({ to }, entity) => `what is written to records of \`${entity}\` is mailed to ${shown(to)}`,
    reached: ({ to }) => [to],
    templates: (config) => config,
  },
  record: {
    schema: closedObjectOf(
      {
        entity: entityName,
        action: { ...text, enum: ['create', 'update', 'delete'] },
        record: someText(1000),
        values: { type: 'object', maxProperties: 200, propertyNames: fieldName, additionalProperties: true },
      },
      ['record', 'values'],
    ),
    meaning: ({ action, entity }) => `${action} a record of \`${entity}\``,
    reach: ({ action, entity: other }, entity) => `writes of \`${entity}\` ${action} records of \`${other}\``,
    reached: ({ action, entity }) => [action, entity],
    errors: recordErrors,
    references: ({ entity }, at) => entityReference(entity, `${at}/entity`, `writes records of \`${entity}\``),
    templates: ({ record, values }) => {
      return { ...(record === undefined ? {} : { record }), ...(values === undefined ? {} : { values }) };
    },
  },
  logicblock: {
    schema: closedObjectOf({ logicblock: itemName }),
    meaning: ({ logicblock }) => `run the logic block \`${logicblock}\``,
    reach: ({ logicblock }, entity) => `writes of \`${entity}\` run the logic block \`${logicblock}\``,
    reached: ({ logicblock }) => [logicblock],
    references: ({ logicblock: name }, at) => [runs('logicblock', name, at)],
  },
  crew: {
    schema: closedObjectOf({ crew: itemName }),
    meaning: ({ crew }) => `run the crew \`${crew}\``,
    reached: ({ crew }) => [crew],
    references: ({ crew: name }, at) => [runs('crew', name, at)],
  },
};

function runs(kind: 'logicblock' | 'crew', name: string, at: string): ItemReference {
  return { kind, name, pointer: `${at}/${kind}`, reason: `runs the ${kind} \`${name}\`` };
}

/** A kind takes the configurations of its own type. */
function kindOf({ event_type }: EventDestination) {
  return destinationKinds[event_type] as DestinationKind<EventDestination['destination_config']>;
}

/** Those that something is done for after a write. */
export const deliveredTypes: readonly EventType[] = ['webhook', 'mail', 'record', 'logicblock'];

export function destinationErrors(event: EventDestination): readonly InputError[] {
  return eachDestination(event).flatMap(({ content, at }) => {
    return kindOf(content).errors?.(content.destination_config, at) ?? [];
  });
}

/** By the action: whether the member is there. */
const recordMembers = {
  create: { record: false, values: true },
  update: { record: true, values: true },
  delete: { record: true, values: false },
} as const;

function recordErrors(destination: RecordDestination, at: string): readonly InputError[] {
  const { action, entity } = destination;
  const members = (['record', 'values'] as const).flatMap((member): readonly InputError[] => {
    const isWanted = recordMembers[action][member];
    if (isWanted === (destination[member] !== undefined)) return [];
    const pointer = `${at}/${member}`;
    return isWanted
      ? [{ pointer, code: 'required', message: `\`${member}\` is required for \`${action}\`` }]
      : [{ pointer, code: 'contradiction', message: `\`${action}\` takes no \`${member}\`` }];
  });
  if (!systemEntities.has(entity)) return members;
  const message = `no event writes records of \`${entity}\`, by which access is given`;
  return [...members, { pointer: `${at}/entity`, code: 'unsuitable_entity', message }];
}

export function destinationReferences(event: EventDestination): readonly ItemReference[] {
  return eachDestination(event).flatMap(({ content, at }) => {
    return kindOf(content).references?.(content.destination_config, at) ?? [];
  });
}

export function destinationText(destination: EventDestination): string {
  return kindOf(destination).meaning(destination.destination_config);
}

export function reachOf(entity: string, destination: EventDestination): string | undefined {
  return kindOf(destination).reach?.(destination.destination_config, entity);
}

export function isSameReach(one: EventDestination, other: EventDestination): boolean {
  const reachedBy = (destination: EventDestination) => kindOf(destination).reached(destination.destination_config);
  return one.event_type === other.event_type && isDeepStrictEqual(reachedBy(one), reachedBy(other));
}

/** The members of a destination that are templates, together; undefined where it has none. */
export function eventTemplates(destination: EventDestination): object | undefined {
  return kindOf(destination).templates?.(destination.destination_config);
}

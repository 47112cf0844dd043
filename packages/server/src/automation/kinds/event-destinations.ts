/** Where writes are delivered to, by the `event_type` of an event. */
import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { entityReference } from '../../entities/port.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { type ItemReference, itemName, shown, someText } from '../../promotion/port.ts';
import { systemEntities } from '../../schema/port.ts';
import type { Environment } from '../../tenancy/port.ts';
import { address, entityName, fieldName, headers, requestErrors } from './shared-content.ts';

export type EventDestination =
  | ({ readonly event_type: 'webhook' } & Destinations<WebhookDestination>)
  | ({ readonly event_type: 'mail' } & Destinations<MailDestination>)
  | ({ readonly event_type: 'record' } & Destinations<RecordDestination>)
  | ({ readonly event_type: 'logicblock' } & Destinations<{ readonly logicblock: string }>)
  | ({ readonly event_type: 'crew' } & Destinations<{ readonly crew: string }>);

interface Destinations<Config> {
  readonly destination_config: Config;
  /** Where it is there, production uses it. */
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

interface WebhookDestination {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Each text is a template. */
interface MailDestination {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** What is done to a record of another entity: `record` and the values are templates. */
interface RecordDestination {
  readonly entity: string;
  readonly action: 'create' | 'update' | 'delete';
  /** The id of the record that is changed or removed. */
  readonly record?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

export const destinationSchemas: Readonly<Record<EventDestination['event_type'], JsonSchema>> = {
  webhook: closedObjectOf({ url: address, headers }, ['headers']),
  mail: closedObjectOf({ to: someText(500), subject: someText(300), text: someText(16 * 1024) }),
  record: closedObjectOf(
    {
      entity: entityName,
      action: { ...text, enum: ['create', 'update', 'delete'] },
      record: someText(1000),
      values: { type: 'object', maxProperties: 200, propertyNames: fieldName },
    },
    ['record', 'values'],
  ),
  logicblock: closedObjectOf({ logicblock: itemName }),
  crew: closedObjectOf({ crew: itemName }),
};

/** Those that something is done for after a write. */
export const deliveredTypes: readonly EventDestination['event_type'][] = ['webhook', 'mail', 'record', 'logicblock'];

/** What is wrong with the destinations of an event beside their schema. */
export function destinationErrors(event: EventDestination): readonly InputError[] {
  return eachDestination(event).flatMap(({ content, at }): readonly InputError[] => {
    switch (content.event_type) {
      case 'webhook':
        return requestErrors(content.destination_config, at);
      case 'record':
        return recordErrors(content.destination_config, at);
      default:
        return [];
    }
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
  return eachDestination(event).flatMap(({ content, at }) => referencesAt(content, at));
}

function referencesAt(destination: EventDestination, at: string): readonly ItemReference[] {
  switch (destination.event_type) {
    case 'webhook':
    case 'mail':
      return [];
    case 'record': {
      const { entity } = destination.destination_config;
      return entityReference(entity, `${at}/entity`, `writes records of \`${entity}\``);
    }
    case 'logicblock':
    case 'crew': {
      const { event_type: kind, destination_config } = destination;
      const name = 'crew' in destination_config ? destination_config.crew : destination_config.logicblock;
      return [{ kind, name, pointer: `${at}/${kind}`, reason: `runs the ${kind} \`${name}\`` }];
    }
  }
}

/** What follows "it is to". */
export function destinationText(destination: EventDestination): string {
  switch (destination.event_type) {
    case 'webhook':
      return `call ${shown(destination.destination_config.url)}`;
    case 'mail':
      return `send a mail to ${shown(destination.destination_config.to)}`;
    case 'record': {
      const { action, entity } = destination.destination_config;
      return `${action} a record of \`${entity}\``;
    }
    case 'logicblock':
      return `run the logic block \`${destination.destination_config.logicblock}\``;
    case 'crew':
      return `run the crew \`${destination.destination_config.crew}\``;
  }
}

/** Where records come to by an event, or what they set off, as a sentence; undefined where there is nothing of the kind. */
export function reachOf(entity: string, destination: EventDestination): string | undefined {
  switch (destination.event_type) {
    case 'webhook':
      return `what is written to records of \`${entity}\` is sent to ${shown(destination.destination_config.url)}`;
    case 'mail':
      return `what is written to records of \`${entity}\` is mailed to ${shown(destination.destination_config.to)}`;
    case 'record': {
      const { action, entity: other } = destination.destination_config;
      return `writes of \`${entity}\` ${action} records of \`${other}\``;
    }
    case 'logicblock':
      return `writes of \`${entity}\` run the logic block \`${destination.destination_config.logicblock}\``;
    case 'crew':
      return undefined;
  }
}

/** Whether two destinations come to the same: how, such as with which headers, is left out of account. */
export function isSameReach(one: EventDestination, other: EventDestination): boolean {
  return isDeepStrictEqual(reachedBy(one), reachedBy(other));
}

function reachedBy(destination: EventDestination): readonly string[] {
  switch (destination.event_type) {
    case 'webhook':
      return ['webhook', destination.destination_config.url];
    case 'mail':
      return ['mail', destination.destination_config.to];
    case 'record':
      return ['record', destination.destination_config.action, destination.destination_config.entity];
    case 'logicblock':
      return ['logicblock', destination.destination_config.logicblock];
    case 'crew':
      return ['crew', destination.destination_config.crew];
  }
}

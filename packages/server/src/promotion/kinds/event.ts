import type { InputError } from '@freehold/contract/problem';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import type { operators } from '../../records/port.ts';
import { systemEntities } from '../../schema/port.ts';
import type { ConfigKind, ItemReference, LiveContents } from '../config-kind.ts';
import { describeMembers, shown } from '../differences/describe-change.ts';
import {
  address,
  entityName,
  entityReference,
  fieldConditions,
  headers,
  itemName,
  otherName,
  readContent,
  requestErrors,
} from '../items/config-content.ts';
import type { LogicBlockContent } from './logicblock.ts';
import { isPureStep, placedSteps } from './logicblock-steps.ts';
import { plainStorage } from './plain-storage.ts';

/** What happens when records of an entity are written. */
export type EventContent = EventBase &
  (
    | { readonly event_type: 'webhook'; readonly destination_config: WebhookDestination }
    | { readonly event_type: 'logicblock'; readonly destination_config: { readonly logicblock: string } }
    | { readonly event_type: 'crew'; readonly destination_config: { readonly crew: string } }
  );

interface EventBase {
  readonly entity_name: string;
  readonly event_name: string;
  /** Before the write, which it can refuse, or after it. */
  readonly event_stage: 'before' | 'after';
  readonly event_optype: 'create' | 'update' | 'delete';
  readonly enabled: boolean;
  /** All have to hold of the record. */
  readonly entry_conditions?: readonly {
    readonly field: string;
    readonly op: (typeof operators)[number];
    readonly value: unknown;
  }[];
}

interface WebhookDestination {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const base = {
  entity_name: entityName,
  event_name: itemName,
  event_stage: { ...text, enum: ['before', 'after'] },
  event_optype: { ...text, enum: ['create', 'update', 'delete'] },
  enabled: { type: 'boolean' },
  entry_conditions: fieldConditions,
};

const destinations: Readonly<Record<EventContent['event_type'], JsonSchema>> = {
  webhook: closedObjectOf({ url: address, headers }, ['headers']),
  logicblock: closedObjectOf({ logicblock: itemName }),
  crew: closedObjectOf({ crew: itemName }),
};

/** The types of those that are delivered after a write. */
const deliveredTypes: readonly string[] = ['webhook'];

const schema: JsonSchema = {
  type: 'object',
  oneOf: Object.entries(destinations).map(([type, destination_config]) =>
    closedObjectOf({ ...base, event_type: { const: type }, destination_config }, ['entry_conditions']),
  ),
};

export const eventKind: ConfigKind<EventContent> = {
  kind: 'event',
  storage: plainStorage,
  singular: 'event',
  boundedAs: 'events',
  schema,
  parse: (name, input) =>
    readContent<EventContent>(schema, input, (content) => [
      ...otherName('/event_name', name, content.event_name),
      ...(content.event_type === 'webhook' ? requestErrors(content.destination_config, '/destination_config') : []),
    ]),
  references: (content) => [
    ...entityReference(content.entity_name, '/entity_name', `waits for records of \`${content.entity_name}\``),
    ...destinationReference(content),
  ],
  describe: ({ before, after }) => {
    if (before === undefined)
      return after === undefined ? [] : [`event \`${after.event_name}\` is new: ${meaning(after)}`];
    if (after === undefined) return [`event \`${before.event_name}\` is taken out: it was to ${destinationOf(before)}`];
    return [
      ...describeMembers('', { before, after }, ['event_type', 'destination_config']),
      ...changedDestination(before, after),
    ];
  },
  check: beforeErrors,
  isIdle: ({ enabled, event_stage, event_type }) =>
    enabled && (event_stage === 'before' ? event_type !== 'logicblock' : !deliveredTypes.includes(event_type)),
  widening: ({ before, after }) => {
    if (after?.event_type !== 'webhook' || !after.enabled) return [];
    const { url } = after.destination_config;
    const wasSent = before?.event_type === 'webhook' && before.enabled && before.destination_config.url === url;
    return wasSent ? [] : [`what is written to records of \`${after.entity_name}\` is sent to ${shown(url)}`];
  },
};

/** Before a write a block is run that works on the values of the write alone, as do the blocks that it calls. */
function beforeErrors(content: EventContent, { contentOf }: LiveContents): readonly InputError[] {
  if (content.event_stage !== 'before') return [];
  if (content.event_type !== 'logicblock')
    return [{ pointer: '/event_type', code: 'not_in_enum', message: 'before a write only a logic block is run' }];
  if (systemEntities.has(content.entity_name)) {
    const message = `no logic block is run before writes of \`${content.entity_name}\`, by which access is given`;
    return [{ pointer: '/entity_name', code: 'unsuitable_entity', message }];
  }
  const { logicblock } = content.destination_config;
  const names = new Set([logicblock]);
  // What is added on the way is come to as well.
  for (const name of names) {
    const block = contentOf({ kind: 'logicblock', name }) as LogicBlockContent | undefined;
    for (const { step } of placedSteps(block?.steps ?? [])) {
      if (step.type === 'call') names.add(step.logicblock);
      if (isPureStep(step)) continue;
      const message = `the step \`${step.id}\` of the logic block \`${name}\` is of the type \`${step.type}\`, which is not done before a write`;
      return [{ pointer: '/destination_config/logicblock', code: 'unsuitable_step', message }];
    }
  }
  return [];
}

function destinationReference(content: EventContent): readonly ItemReference[] {
  switch (content.event_type) {
    case 'webhook':
      return [];
    case 'logicblock':
    case 'crew': {
      const { event_type: kind, destination_config } = content;
      const name = 'crew' in destination_config ? destination_config.crew : destination_config.logicblock;
      return [{ kind, name, pointer: `/destination_config/${kind}`, reason: `runs the ${kind} \`${name}\`` }];
    }
  }
}

function changedDestination(before: EventContent, after: EventContent): readonly string[] {
  if (before.event_type !== after.event_type)
    return [`it is to ${destinationOf(after)} now, and was to ${destinationOf(before)}`];
  return describeMembers('destination: ', { before: before.destination_config, after: after.destination_config });
}

function meaning(content: EventContent): string {
  const { event_stage, event_optype, entity_name, enabled } = content;
  const condition = content.entry_conditions === undefined ? '' : ', on conditions,';
  const idle = enabled ? '' : '; it is switched off';
  return `${event_stage} a ${event_optype} of \`${entity_name}\`${condition} it is to ${destinationOf(content)}${idle}`;
}

function destinationOf(content: EventContent): string {
  switch (content.event_type) {
    case 'webhook':
      return `call ${shown(content.destination_config.url)}`;
    case 'logicblock':
      return `run the logic block \`${content.destination_config.logicblock}\``;
    case 'crew':
      return `run the crew \`${content.destination_config.crew}\``;
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { entityReference } from '../../entities/port.ts';
import { compileTemplate, compileWhen, isMistake, type TemplateScope, type ValueType } from '../../expressions/port.ts';
import { checkSchema, readContent } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema, text } from '../../lib/json-schema.ts';
import { Problem } from '../../lib/problem.ts';
import {
  type ConfigKind,
  type ContentChange,
  describeMembers,
  type LiveContents,
  otherName,
  plainStorage,
  shown,
} from '../../promotion/port.ts';
import { systemEntities } from '../../schema/port.ts';
import {
  deliveredTypes,
  destinationErrors,
  destinationKinds,
  destinationReferences,
  destinationText,
  type EventDestination,
  eachDestination,
  eventIn,
  eventTemplates,
  isSameReach,
  reachOf,
} from './event-destinations.ts';
import { readInputSchema } from './input-schema.ts';
import { itemName, someText } from './kind-content.ts';
import type { LogicBlockContent } from './logicblock.ts';
import { knownEntities } from './logicblock-expressions.ts';
import { isPureStep, placedSteps } from './logicblock-steps.ts';
import { entityName, type FieldCondition, fieldConditions } from './shared-content.ts';

export type EventContent = EventBase & EventDestination;

interface EventBase {
  readonly entity_name: string;
  readonly event_name: string;
  /** Before the write, which it can refuse, or after it. */
  readonly event_stage: 'before' | 'after';
  readonly event_optype: 'create' | 'update' | 'delete';
  readonly enabled: boolean;
  /** All have to hold of the record, and `when` too. */
  readonly entry_conditions?: readonly FieldCondition[];
  /** A condition in CEL. */
  readonly when?: string;
}

const base = {
  entity_name: entityName,
  event_name: itemName,
  event_stage: { ...text, enum: ['before', 'after'] },
  event_optype: { ...text, enum: ['create', 'update', 'delete'] },
  enabled: { type: 'boolean' },
  entry_conditions: fieldConditions,
  when: someText(1000),
};

const schema: JsonSchema = {
  type: 'object',
  oneOf: Object.entries(destinationKinds).map(([type, { schema: destination_config }]) => {
    const prod_destination_config = { title: 'Destination in production', ...destination_config };
    const members = { ...base, event_type: { const: type }, destination_config, prod_destination_config };
    return closedObjectOf(members, ['entry_conditions', 'when', 'prod_destination_config']);
  }),
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
      ...destinationErrors(content),
    ]),
  references: (content) => [
    ...entityReference(content.entity_name, '/entity_name', `waits for records of \`${content.entity_name}\``),
    ...destinationReferences(content),
  ],
  describe: ({ before, after }) => {
    if (before === undefined)
      return after === undefined ? [] : [`event \`${after.event_name}\` is new: ${meaning(after)}`];
    if (after === undefined)
      return [`event \`${before.event_name}\` is taken out: it was to ${destinationText(before)}`];
    return [
      ...describeMembers('', { before, after }, ['event_type', 'destination_config', 'prod_destination_config']),
      ...changedDestination(before, after),
      ...changedProduction(before, after),
    ];
  },
  check: (content, live) => {
    const scope = eventScope(content.event_optype, knownEntities(live)(content.entity_name)?.record);
    const ofStage = eachDestination(content).flatMap(({ content: one, at }) =>
      one.event_stage === 'before' ? beforeErrors(one, at, live) : afterErrors(one, at, live),
    );
    return [...ofStage, ...whenErrors(content.when, scope), ...templateErrors(content, scope)];
  },
  isIdle: ({ enabled, event_stage, event_type }) =>
    enabled && (event_stage === 'before' ? event_type !== 'logicblock' : !deliveredTypes.includes(event_type)),
  refuseTooMany: ({ before, after }) => refuseTooManyEvents(before, after),
  unfit: neverCalled,
  widening: widenedReach,
};

/** Each write of an entity asks all its events. */
const eventsOfEntityMax = 20;

/**
 * Items already above the bound may stay, and be changed.
 * @throws Problem `conflict` where an entity gets more events than it may have.
 */
function refuseTooManyEvents(before: readonly EventContent[], after: readonly EventContent[]): void {
  const had = eventCounts(before);
  for (const [entity, count] of eventCounts(after))
    if (count > eventsOfEntityMax && count > (had.get(entity) ?? 0))
      throw new Problem('conflict', `entity \`${entity}\` may have at most ${eventsOfEntityMax} events`);
}

function eventCounts(events: readonly EventContent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { entity_name: entity } of events) counts.set(entity, (counts.get(entity) ?? 0) + 1);
  return counts;
}

/** The destinations that an entity's writes reach, as far as the event is on and its condition lets them. */
function widenedReach(change: ContentChange<EventContent>): readonly string[] {
  const [before, after] = [change.before, change.after].map((content) => content && eventIn('prod', content));
  if (after === undefined || !isDelivering(after)) return [];
  const { entity_name: entity } = after;
  const reach = reachOf(entity, after);
  if (reach === undefined) return [];
  const wasThere = before?.entity_name === entity && isDelivering(before) && isSameReach(before, after);
  if (!wasThere) return [reach];
  return hasOtherConditions(before, after) ? [`${reach}, on other conditions than before`] : [];
}

function isDelivering({ event_stage, enabled }: EventContent): boolean {
  return event_stage === 'after' && enabled;
}

/** A condition that was taken away or is another one may let more through. */
function hasOtherConditions(before: EventContent, after: EventContent): boolean {
  const members = ['when', 'entry_conditions', 'event_optype'] as const;
  return members.some((name) => before[name] !== undefined && !isDeepStrictEqual(before[name], after[name]));
}

/** Before a write a block is run that works on the values of the write alone, as do the blocks that it calls. */
function beforeErrors(content: EventContent, at: string, { contentOf }: LiveContents): readonly InputError[] {
  if (content.event_type !== 'logicblock')
    return [{ pointer: '/event_type', code: 'not_in_enum', message: 'before a write only a logic block is run' }];
  if (systemEntities.has(content.entity_name)) {
    const message = `no logic block is run before writes of \`${content.entity_name}\`, by which access is given`;
    return [{ pointer: '/entity_name', code: 'unsuitable_entity', message }];
  }
  const { logicblock } = content.destination_config;
  const names = new Set([logicblock]);
  // The loop reaches names that are added on the way as well.
  for (const name of names) {
    const block = contentOf({ kind: 'logicblock', name }) as LogicBlockContent | undefined;
    for (const { step } of placedSteps(block?.steps ?? [])) {
      if (step.type === 'call') names.add(step.logicblock);
      if (isPureStep(step)) continue;
      const message = `the step \`${step.id}\` of the logic block \`${name}\` is of the type \`${step.type}\`, which is not done before a write`;
      return [{ pointer: `${at}/logicblock`, code: 'unsuitable_step', message }];
    }
  }
  return [];
}

/** A block that an event runs after a write has no input. */
function afterErrors(content: EventContent, at: string, { contentOf }: LiveContents): readonly InputError[] {
  if (content.event_type !== 'logicblock') return [];
  const { logicblock: name } = content.destination_config;
  const block = contentOf({ kind: 'logicblock', name }) as LogicBlockContent | undefined;
  const input = readInputSchema(block?.input_schema ?? {});
  if ('errors' in input || checkSchema(input.schema, {}).length === 0) return [];
  const message = `the logic block \`${name}\` demands an input, and an event gives it none`;
  return [{ pointer: `${at}/logicblock`, code: 'unsuitable_block', message }];
}

function changedDestination(before: EventContent, after: EventContent): readonly string[] {
  if (before.event_type !== after.event_type)
    return [`it is to ${destinationText(after)} now, and was to ${destinationText(before)}`];
  return describeMembers('destination: ', { before: before.destination_config, after: after.destination_config });
}

/** Of the destination that production has alone. */
function changedProduction(before: EventContent, after: EventContent): readonly string[] {
  if (isDeepStrictEqual(before.prod_destination_config, after.prod_destination_config)) return [];
  const [was, is] = [eventIn('prod', before), eventIn('prod', after)];
  const isAnother = destinationText(was) !== destinationText(is);
  if (isAnother) return [`in production it is to ${destinationText(is)} now, and was to ${destinationText(was)}`];
  return describeMembers('destination in production: ', {
    before: was.destination_config,
    after: is.destination_config,
  });
}

/** A webhook that production would never call: each delivery would be given up. */
function neverCalled(content: EventContent, whyNot: (url: string) => string | undefined): readonly InputError[] {
  const { event_name: name, prod_destination_config: own } = content;
  const live = eventIn('prod', content);
  if (live.event_type !== 'webhook' || !isDelivering(live)) return [];
  const { url } = live.destination_config;
  const reason = whyNot(url);
  if (reason === undefined) return [];
  const message = `event \`${name}\` posts to ${shown(url)}, which production never calls: ${reason}. Give it a public https address in \`prod_destination_config\``;
  return [{ pointer: `/${own === undefined ? '' : 'prod_'}destination_config/url`, code: 'invalid_address', message }];
}

function meaning(content: EventContent): string {
  const { event_stage, event_optype, entity_name, enabled } = content;
  const isOpen = content.entry_conditions === undefined && content.when === undefined;
  const condition = isOpen ? '' : ', on conditions,';
  const idle = enabled ? '' : '; it is switched off';
  const write = event_optype === 'update' ? 'an update' : `a ${event_optype}`;
  const live =
    content.prod_destination_config === undefined
      ? ''
      : `, and in production to ${destinationText(eventIn('prod', content))}`;
  return `${event_stage} ${write} of \`${entity_name}\`${condition} it is to ${destinationText(content)}${live}${idle}`;
}

/** The names that the expressions of an event may use. @param record the type of its entity's records, where known. */
export function eventScope(op: EventContent['event_optype'], record: ValueType | undefined): TemplateScope {
  const steps = new Map<string, ValueType>();
  if (record === undefined) return { steps };
  return op === 'update' ? { steps, record, before: record } : { steps, record };
}

function whenErrors(source: string | undefined, scope: TemplateScope): readonly InputError[] {
  if (source === undefined) return [];
  const when = compileWhen(source, scope);
  if (!isMistake(when)) return [];
  return [{ pointer: '/when', code: 'invalid_expression', message: `at character ${when.at + 1}: ${when.message}` }];
}

function templateErrors(content: EventContent, scope: TemplateScope): readonly InputError[] {
  return eachDestination(content).flatMap(({ content: one, at }): readonly InputError[] => {
    const templates = eventTemplates(one);
    const compiled = templates === undefined ? undefined : compileTemplate(templates, scope, at);
    return compiled === undefined || 'evaluate' in compiled ? [] : compiled;
  });
}

/** What events and their deliveries are, in words. */

import { counted } from '../../components/words/counted.ts';
import type { Delivery, ListedEvent } from './queries.ts';

const done = { create: 'created', update: 'updated', delete: 'deleted' } as const;
const doing = { create: 'creates', update: 'updates', delete: 'deletes' } as const;

type Waits = Pick<ListedEvent, 'entity_name' | 'event_optype' | 'event_stage'>;

/** What an event waits for, such as `After a record of order is created`. */
export function occasionOf({ entity_name, event_optype, event_stage }: Waits): string {
  return `${event_stage === 'before' ? 'Before' : 'After'} a record of ${entity_name} is ${done[event_optype]}`;
}

/** The effect of an event, such as `posts to https://…`. */
export function actionOf({ event_type, destination }: Pick<ListedEvent, 'event_type' | 'destination'>): string {
  const { url = '', to = '', entity = '', action = '', logicblock = '', crew = '' } = destination;
  switch (event_type) {
    case 'webhook':
      return `posts to ${url}`;
    case 'mail':
      return `mails ${to}`;
    case 'record':
      return `${doing[action as keyof typeof doing] ?? action} a record of ${entity}`;
    case 'logicblock':
      return `runs the logic block ${logicblock}`;
    case 'crew':
      return `asks the crew ${crew}, which does not run yet`;
  }
}

/** The condition of an event; undefined where it has none. */
export function conditionOf({
  when,
  entry_conditions: count,
}: Pick<ListedEvent, 'when' | 'entry_conditions'>): string | undefined {
  const fields = count === 0 ? undefined : counted(count, 'condition on a field', 'conditions on fields');
  if (when === undefined) return fields;
  return fields === undefined ? when : `${when}, and ${fields}`;
}

export const stateWords: Readonly<Record<Delivery['state'], string>> = {
  waiting: 'Waits to be sent again',
  retrying: 'Failed, is sent again',
  delivered: 'Delivered',
  dead: 'Given up',
};

export const stateColors: Readonly<Record<Delivery['state'], string>> = {
  waiting: 'gray',
  retrying: 'yellow',
  delivered: 'teal',
  dead: 'red',
};

/** The duration of an attempt. */
export function durationOf(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** 1,000 stands for more, too. */
export function waitingText(waiting: number): string {
  return waiting >= 1000 ? '1,000 or more' : String(waiting);
}

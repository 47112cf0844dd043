import type { InputError } from '@freehold/contract/problem';
import { compileTemplate, compileWhen, isMistake, type TemplateScope, type ValueType } from '../../expressions/port.ts';
import type { EventContent } from './event-content.ts';
import { eachDestination } from './event-destinations.ts';

/** What the expressions of an event may name. @param record how they see the records of its entity, where that is known. */
export function eventScope(op: EventContent['event_optype'], record: ValueType | undefined): TemplateScope {
  const steps = new Map<string, ValueType>();
  if (record === undefined) return { steps };
  return op === 'update' ? { steps, record, before: record } : { steps, record };
}

/** What is wrong with the condition of an event and with the templates of its destination. */
export function eventExpressionErrors(content: EventContent, record: ValueType | undefined): readonly InputError[] {
  const scope = eventScope(content.event_optype, record);
  return [...whenErrors(content.when, scope), ...templateErrors(content, scope)];
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

/** The members of a destination that are templates, together; undefined where it has none. */
export function eventTemplates(content: EventContent): object | undefined {
  switch (content.event_type) {
    case 'mail':
      return content.destination_config;
    case 'record': {
      const { record, values } = content.destination_config;
      return { ...(record === undefined ? {} : { record }), ...(values === undefined ? {} : { values }) };
    }
    default:
      return undefined;
  }
}

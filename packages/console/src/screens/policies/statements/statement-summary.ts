import { counted } from '../../../components/words/counted.ts';
import type { StatementForm } from './statement-form.ts';

/** A statement in a line. */
export function summaryOf({ effect, actions, resources, terms = [], fields, mode }: StatementForm): string {
  const what = someOf(actions.values) || 'nothing yet';
  const where = resources.values.includes('*') ? '' : ` on ${someOf(resources.values)}`;
  const when = terms.length === 0 ? '' : `, under ${counted(terms.length, 'condition')}`;
  const which = fields === undefined ? '' : `, of the fields ${someOf(fields)}`;
  return `${mode === 'report' ? 'Only report: ' : ''}${effect} ${what}${where}${which}${when}`;
}

function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(', ');
  return texts.length > 3 ? `${shown} and ${texts.length - 3} more` : shown;
}

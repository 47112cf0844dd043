import { isMistake } from '../../expressions/port.ts';
import { checkedFields, compileCheck } from '../checks.ts';
import type { FieldDefinition } from '../definition.ts';
import type { AddError } from './add-error.ts';
import { partsOf, refuseUnknownMembers } from './members.ts';

const checksMax = 20;
const messageMax = 500;

/** Reads `checks`: each is a condition over the fields, and the sentence that a record which does not meet it is refused with. */
export function parseChecks(input: unknown, catalog: readonly FieldDefinition[], add: AddError): void {
  const fields = checkedFields(catalog);
  for (const part of partsOf(input, { name: 'checks', pointer: '/checks', max: checksMax }, add)) {
    const { cel, message } = part.item;
    refuseUnknownMembers(part, { what: 'a check', known: ['cel', 'message'] }, add);
    if (typeof message !== 'string' || message === '' || message.length > messageMax)
      add(`${part.pointer}/message`, 'wrong_type', `\`message\` must be a text of 1 to ${messageMax} characters`);
    if (typeof cel !== 'string') add(`${part.pointer}/cel`, 'wrong_type', '`cel` must be an expression, as a string');
    else addMistake(compileCheck(cel, fields), `${part.pointer}/cel`, add);
  }
}

/** The place of a mistake is told as its character, from 1 on. */
function addMistake(compiled: ReturnType<typeof compileCheck>, pointer: string, add: AddError): void {
  if (isMistake(compiled)) add(pointer, 'invalid_expression', `at character ${compiled.at + 1}: ${compiled.message}`);
}

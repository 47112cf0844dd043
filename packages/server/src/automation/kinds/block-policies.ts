import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { parseStatements, type Statement, statementSchemas } from '../../access/port.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { listed, listOf } from '../../promotion/port.ts';

/** By whose policies the steps of a block are decided: by those of its caller, or by its own. */
export interface BlockRights {
  readonly run_as?: 'caller' | 'app';
  /** Statements, as policies have them. They need `run_as: "app"`. */
  readonly policies?: readonly unknown[];
}

export const rightsMembers: Readonly<Record<keyof BlockRights, JsonSchema>> = {
  run_as: { type: 'string', enum: ['caller', 'app'] },
  policies: listOf({ type: 'object', $ref: '#/$defs/PolicyStatement' }, 50, 1),
};

const { PolicyStatements: _, ...definitions } = statementSchemas((name) => ({ $ref: `#/$defs/${name}` }));

/** What the members refer to. */
export const rightsDefinitions: Readonly<Record<string, JsonSchema>> = definitions;

export function rightsErrors({ run_as, policies }: BlockRights): readonly InputError[] {
  if (run_as !== 'app')
    return policies === undefined
      ? []
      : [{ pointer: '/policies', code: 'contradiction', message: '`policies` need `"run_as": "app"`' }];
  if (policies === undefined)
    return [{ pointer: '/policies', code: 'required', message: '`policies` is required beside `"run_as": "app"`' }];
  const parsed = parseStatements(policies);
  return 'statements' in parsed
    ? []
    : parsed.errors.map((error) => ({ ...error, pointer: `/policies${error.pointer}` }));
}

/** What a block may do that it might not do before. */
export function widenedRights(before: BlockRights | undefined, after: BlockRights | undefined): readonly string[] {
  const was = before?.run_as === 'app' ? statementsOf(before) : undefined;
  const is = after?.run_as === 'app' ? statementsOf(after) : undefined;
  if (is === undefined) return [];
  const gained = is.filter(({ Effect }) => Effect === 'Allow').filter(isNotIn(was ?? []));
  const lost = (was ?? []).filter(({ Effect }) => Effect === 'Deny').filter(isNotIn(is));
  return [
    ...(was === undefined ? ['its steps are decided by policies of its own, and not by those of its caller'] : []),
    ...gained.map((statement) => `its steps may do ${shownStatement(statement)}`),
    ...lost.map((statement) => `its steps are not denied ${shownStatement(statement)} any more`),
  ];
}

/** Those that are enforced. */
function statementsOf({ policies }: BlockRights): readonly Statement[] {
  const parsed = parseStatements(policies);
  return 'statements' in parsed ? parsed.statements.filter(({ Mode }) => Mode === undefined) : [];
}

function isNotIn(others: readonly Statement[]): (statement: Statement) => boolean {
  return (statement) => !others.some((other) => isDeepStrictEqual(other, statement));
}

function shownStatement({ Action, Resource, Condition }: Statement): string {
  return `${listed([Action].flat())} on ${listed([Resource].flat())}${Condition === undefined ? '' : ', on conditions'}`;
}

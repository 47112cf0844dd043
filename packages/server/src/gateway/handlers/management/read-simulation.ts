import type { InputError } from '@freehold/contract/problem';
import { parseStatements } from '../../../access/port.ts';
import type { Simulation } from '../../../iam/port.ts';
import { invalidBody } from '../../../lib/problem.ts';
import type { AppRoute } from '../../app-route.ts';
import {
  anEnvironment,
  anObject,
  anything,
  aText,
  checkMembers,
  isObject,
  type MemberRule,
  type Members,
} from '../../pipeline/check-members.ts';
import { type AskedAction, askedByAction, askedByCall } from './asked-action.ts';
import { contextMistakes, readContext } from './read-context.ts';

const rules: Readonly<Record<string, MemberRule>> = {
  env: anEnvironment,
  tenant_code: aText,
  user_id: aText,
  statements: anything,
  action: aText,
  resource: aText,
  method: aText,
  path: aText,
  record: anObject,
  context: anObject,
};

export interface AppOfOrg {
  readonly orgCode: string;
  readonly routes: readonly AppRoute[];
}

/** @throws Problem `validation_failed`, `unknown_field` or `invalid_request`, with everything that is wrong. */
export function readSimulation(body: unknown, app: AppOfOrg): Simulation {
  const input = isObject(body) ? body : {};
  const { env, tenant_code, user_id, record, context = {} } = input;
  const drafted = parseStatements(input.statements ?? []);
  const errors: readonly InputError[] = [
    ...checkMembers(body, rules),
    ...choiceMistakes(input),
    ...(isObject(context) ? contextMistakes(context, user_id === undefined) : []),
    ...statementMistakes(drafted),
  ];
  if (errors.length > 0) throw invalidBody(errors);
  const { action, request, bodyAsRead = (sent) => sent } = askedOf(input, app);
  const {
    queryParameters = request.queryParameters,
    body: sentBody,
    ...given
  } = readContext(isObject(context) ? context : {});
  return {
    env: env === 'prod' ? 'prod' : 'test',
    tenantCode: tenant_code === undefined ? undefined : String(tenant_code),
    who: user_id === undefined && 'statements' in drafted ? drafted : { userId: String(user_id) },
    action,
    request: { ...request, queryParameters },
    record: recordOf(record),
    context: sentBody === undefined ? given : { ...given, body: bodyAsRead(sentBody) },
  };
}

/** Of some members one is needed and no other, and some need others beside them. */
function choiceMistakes(input: Members): readonly InputError[] {
  const has = (name: string): boolean => input[name] !== undefined;
  const errors: InputError[] = [];
  const demand = (name: string, message: string) => errors.push({ pointer: `/${name}`, code: 'required', message });
  if (has('user_id') === has('statements')) demand('user_id', 'either `user_id` or `statements` is needed');
  if (!has('tenant_code') && (has('user_id') || isStored(input.record)))
    demand('tenant_code', '`tenant_code` is needed for a member and for a stored record');
  const isAsked = ['action', 'resource', 'method', 'path'].filter(has).join();
  if (isAsked !== 'action,resource' && isAsked !== 'method,path')
    demand('action', 'either `action` and `resource` or `method` and `path` are needed');
  return errors;
}

/** The statements of a draft are held to what those of a policy are held to. */
function statementMistakes(drafted: ReturnType<typeof parseStatements>): readonly InputError[] {
  if ('statements' in drafted) return [];
  return drafted.errors.map((error) => ({ ...error, pointer: `/statements${error.pointer}` }));
}

function askedOf({ action, resource, method, path }: Members, { orgCode, routes }: AppOfOrg): AskedAction {
  if (action !== undefined) return askedByAction(String(action), String(resource));
  return askedByCall(routes, orgCode, { method: String(method), path: String(path) });
}

/** An id and nothing else names a record of the workspace. */
function isStored(record: unknown): record is { readonly id: string } {
  return isObject(record) && typeof record.id === 'string' && Object.keys(record).length === 1;
}

function recordOf(record: unknown): Simulation['record'] {
  if (isStored(record)) return record;
  return isObject(record) ? { fields: record } : undefined;
}

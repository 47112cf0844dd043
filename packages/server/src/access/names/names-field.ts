import type { AccessContext } from '../context/context.ts';
import { compileAllStatements } from '../decide.ts';
import { foldAscii } from '../patterns/glob.ts';
import { verbs } from '../verbs.ts';

const anyRequest: AccessContext = {
  request: { method: '', path: '', pathParameters: {}, queryParameters: new Map(), ip: '', time: 0 },
  user: { id: '', email: '' },
  tenant: { id: '', code: '' },
  jwt: {},
};

/** Whether a policy is about a field of an entity by its name: in a key, a variable, or a pattern other than `*`. */
export function namesField(
  statements: unknown,
  { entityName, field }: { readonly entityName: string; readonly field: string },
): boolean {
  const access = compileAllStatements([{ policyId: '', policyName: '', via: { kind: 'direct' }, statements }]);
  // As though it was a former name of a field that no pattern matches.
  const names = ['', field];
  const naming = {
    byName: new Map(names.map((name) => [name, names])),
    byFolded: new Map([[foldAscii(field), [names]]]),
  };
  const context = (): AccessContext => ({ ...anyRequest, naming });
  return verbs.some((verb) => access.renamedFields(verb + entityName, context).length > 0);
}

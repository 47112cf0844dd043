import { type Verb, verbs } from '../../access/port.ts';

export interface ActionParts {
  readonly verb: Verb;
  readonly entityName: string;
}

/** An action taken apart, in lower case; undefined for what is no verb followed by a name. */
export function actionParts(action: string): ActionParts | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(action)) return undefined;
  const folded = action.toLowerCase();
  const verb = verbs.find((one) => folded.startsWith(one) && folded.length > one.length);
  return verb === undefined ? undefined : { verb, entityName: folded.slice(verb.length) };
}

/** Where an app asks for a verb: the method, and the path below the app. What is about no single record needs no id. */
export function routeOfVerb(
  { verb, entityName }: ActionParts,
  id: string,
): { readonly method: string; readonly resource: string } {
  switch (verb) {
    case 'get':
      return { method: 'GET', resource: `/item/${entityName}/${id}` };
    case 'update':
      return { method: 'PUT', resource: `/update/${entityName}/${id}` };
    case 'delete':
      return { method: 'DELETE', resource: `/delete/${entityName}/${id}` };
    case 'create':
      return { method: 'POST', resource: `/create/${entityName}` };
    case 'count':
      return { method: 'GET', resource: `/count/${entityName}` };
    case 'list':
    case 'browse':
      return { method: 'GET', resource: `/list/${entityName}` };
  }
}

/** What the policies are asked about a block. */
export function runAction({ name = '' }: Readonly<Record<string, string>>): string {
  return `run${name}`;
}

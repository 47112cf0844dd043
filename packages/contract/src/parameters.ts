import type { HeaderParameter } from './route.ts';
import { oneOf, Type, text } from './schema.ts';

/** Which environment a management route is about. */
export const environment = oneOf(['test', 'prod'], { default: 'test', description: 'The environment.' });

/** What the parameters of paths name. */
export const pathParameters: Readonly<Record<string, string>> = {
  apiname:
    'An API of an entity: an action, `-` and the name of the entity, such as `create-order`; or the name that an entity was created under.',
  code: 'The code of a refusal.',
  decision_id: 'The `decision_id` of a refusal.',
  entity: 'The name of an entity.',
  env: 'The environment, `test` or `prod`.',
  id: 'The id, spelled as replies have it.',
  kid: 'The id of the key.',
  kind: 'The kind of the config item.',
  mail: 'The name of a mail, such as `verify_email`.',
  name: 'The name.',
  org: 'The code of the org.',
  path: 'What a logic block reads as `event.path`.',
  tenant_code: 'The code of the workspace.',
  version: 'The number of the version.',
};

/** The name of an entity, in a query. */
export const entityName = Type.String({ description: 'The name of the entity.' });

/** Of the document of an app. */
export const documentView = Type.String({
  default: 'default',
  description: 'The view by which replies show records, wherever an operation has it.',
});

/** Of a list that comes in pages. */
export const pagesize = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: 50,
  description: 'How many items a page has at most.',
});
export const nexttoken = Type.Optional(Type.String({ description: 'The cursor of the previous page.' }));

export const ifMatch: HeaderParameter = {
  name: 'If-Match',
  description: 'Entity tags, one of which must be the current one; else 412.',
  schema: text,
};

export const ifNoneMatch: HeaderParameter = {
  name: 'If-None-Match',
  description: 'Entity tags of the caller’s copies; 304 if one of them is current.',
  schema: text,
};

export const ifNoMatch: HeaderParameter = {
  name: 'If-None-Match',
  description: 'Entity tags, none of which may be the current one; else 412.',
  schema: text,
};

export const sessionHeader: HeaderParameter = {
  name: 'X-Session',
  description: 'With `cookie` the token is set as an HttpOnly cookie, and is not in the body.',
  schema: text,
};

export const orgHeader: HeaderParameter = {
  name: 'X-Org',
  description:
    'The code of the org that the caller expects to act in. A call of another org does nothing: 409 `org_mismatch`.',
  schema: text,
};

export const xRequestIDHeader: HeaderParameter = {
  name: 'X-Request-ID',
  description: 'The caller’s own id for the request, which the response repeats.',
  schema: text,
};

export const client_idHeader: HeaderParameter = {
  name: 'client_id',
  description:
    'The client id of the org’s environment. `client-id` means the same, for proxies that drop headers with an underscore in their names, as nginx does without `underscores_in_headers on`; if both are sent, they must be equal.',
  schema: text,
  isRequired: true,
};

export const oauthtokenHeader: HeaderParameter = {
  name: 'oauthtoken',
  description:
    'The login token, which is valid once and for five minutes, an identity token of a provider that the org allows, or an app JWT.',
  schema: text,
  isRequired: true,
};

import type { HeaderParameter } from './route.ts';
import { oneOf, Type, text } from './schema.ts';

/** Which environment a management route is about. */
export const environment = oneOf(['test', 'prod'], { default: 'test', description: 'The environment.' });

/** What the parameters of paths name. */
export const pathParameters: Readonly<Record<string, string>> = {
  apiname: 'An API of an entity: an action, `-` and the name of the entity, such as `create-order`.',
  code: 'The code of a refusal.',
  decision_id: 'The `decision_id` of a refusal.',
  entity: 'The name of an entity.',
  env: 'The environment, `test` or `prod`.',
  id: 'The id.',
  kid: 'The id of the key.',
  kind: 'The kind of the config item.',
  name: 'The name.',
  org: 'The code of the org.',
  version: 'The number of the version.',
};

/** The name of an entity, in a query. */
export const entityName = Type.String({ description: 'The name of the entity.' });

/** Of a list that comes in pages. */
export const pagesize = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: 50,
  description: 'How many items a page has at most.',
});
export const nexttoken = Type.Optional(Type.String({ description: 'Where the page before has ended.' }));

export const ifMatch: HeaderParameter = {
  name: 'If-Match',
  description: 'Entity tags, one of which must be that of what is changed; else 412.',
  schema: text,
};

export const ifNoneMatch: HeaderParameter = {
  name: 'If-None-Match',
  description: 'Entity tags of copies that the caller has; 304 where one of them is current.',
  schema: text,
};

export const ifNoMatch: HeaderParameter = {
  name: 'If-None-Match',
  description: 'Entity tags, none of which may be that of what is changed; else 412.',
  schema: text,
};

export const sessionHeader: HeaderParameter = {
  name: 'X-Session',
  description: 'With `cookie` the token comes in an HttpOnly cookie, and not in the body.',
  schema: text,
};

export const xRequestIDHeader: HeaderParameter = {
  name: 'X-Request-ID',
  description: 'The caller’s own name for the request: it comes back with the answer.',
  schema: text,
};

export const client_idHeader: HeaderParameter = {
  name: 'client_id',
  description:
    'The client id of the org’s environment. `client-id` means the same, for proxies that drop headers with an underscore in their names, as nginx does where it is not told `underscores_in_headers on`; where both are sent they must be equal.',
  schema: text,
  isRequired: true,
};

export const oauthtokenHeader: HeaderParameter = {
  name: 'oauthtoken',
  description:
    'The login token, which is good once and for five minutes, an identity token of a provider that the org allows, or an app JWT.',
  schema: text,
  isRequired: true,
};

import { text } from '../../lib/json-schema.ts';
import type { Parameter } from './operation.ts';

/** On the routes of an app that take no token. */
export const clientId: Parameter = {
  name: 'client_id',
  in: 'header',
  required: true,
  description:
    'The client id of the org’s environment. `client-id` means the same, for proxies that drop headers with an underscore in their names, as nginx does where it is not told `underscores_in_headers on`; where both are sent they must be equal.',
  schema: text,
};

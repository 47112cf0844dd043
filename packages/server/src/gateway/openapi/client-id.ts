import { text } from '../../lib/json-schema.ts';
import type { Parameter } from './operation.ts';

/** On the routes of an app that take no token. */
export const clientId: Parameter = {
  name: 'client_id',
  in: 'header',
  required: true,
  description: 'The client id of the org’s environment.',
  schema: text,
};

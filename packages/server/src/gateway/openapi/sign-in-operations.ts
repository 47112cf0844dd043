import {
  arrayOf,
  closedObjectOf,
  guid,
  type JsonSchema,
  objectOf,
  orNull,
  schemaReference,
  text,
  time,
} from '../../lib/json-schema.ts';
import { clientId } from './client-id.ts';
import { jsonContent, type Operation, type Parameter } from './operation.ts';

const tag = 'signing in';
const password: JsonSchema = {
  ...text,
  format: 'password',
  minLength: 1,
  description: 'A new one has at least 10 characters.',
};

const oauthToken: Parameter = {
  name: 'oauthtoken',
  in: 'header',
  required: true,
  description:
    'The login token, which is good once and for five minutes, an identity token of a provider that the org allows, or an app JWT.',
  schema: text,
};

/** What `handlers/app/sign-in.ts` serves, and the keys that its tokens are verified by. */
export const signInOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/app/:org/login',
    operationId: 'logIn',
    tag,
    summary: 'Checks a password; a new email becomes a user with it',
    access: 'public',
    parameters: [clientId],
    body: jsonContent(closedObjectOf({ email: { ...text, format: 'email', maxLength: 254 }, password })),
    replies: [{ status: 200, description: 'Logged in.', content: jsonContent(schemaReference('LoginToken')) }],
    problems: [
      'validation_failed',
      'unknown_field',
      'client_unknown',
      'credentials_invalid',
      'not_found',
      'rate_limited',
    ],
  },
  {
    method: 'GET',
    path: '/app/:org/token',
    operationId: 'exchangeToken',
    tag,
    summary: 'Exchanges a login token, a provider’s identity token, or an app JWT, for a fresh app JWT',
    access: 'public',
    parameters: [clientId, oauthToken],
    replies: [
      {
        status: 200,
        description: 'The app JWT, in the header and in the body.',
        content: jsonContent(schemaReference('AppToken')),
        headers: ['x-service-token'],
      },
    ],
    problems: [
      'token_missing',
      'token_invalid',
      'token_expired',
      'client_unknown',
      'issuer_not_allowed',
      'audience_mismatch',
      'not_found',
      'conflict',
      'plan_limit_exceeded',
    ],
  },
  {
    method: 'GET',
    path: '/app/:org/providers',
    operationId: 'listProviders',
    tag,
    summary: 'How users of the app may sign in, for one with this email where it is said',
    access: 'public',
    parameters: [clientId, { name: 'email', in: 'query', required: false, schema: text }],
    replies: [{ status: 200, description: 'The providers.', content: jsonContent(schemaReference('SignInOffers')) }],
    problems: ['invalid_request', 'client_unknown', 'not_found'],
  },
  {
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'readSigningKeys',
    tag,
    summary: 'The public keys that app JWTs are verified by (RFC 7517)',
    access: 'public',
    replies: [
      {
        status: 200,
        description: 'The keys.',
        content: jsonContent(objectOf({ keys: arrayOf({ type: 'object', additionalProperties: true }) })),
      },
    ],
  },
];

export const signInSchemas: Readonly<Record<string, JsonSchema>> = {
  LoginToken: objectOf({ token: text, expires_at: time }),
  SignInOffers: objectOf({
    items: arrayOf(objectOf({ issuer: text, name: text, client_ids: arrayOf(text) })),
    password_login: objectOf({ enabled: { type: 'boolean' }, allow_signup: { type: 'boolean' } }),
  }),
  AppToken: objectOf({
    token: text,
    expires_at: time,
    user_id: guid,
    tenant_id: orNull(guid),
    tenant_code: orNull(text),
  }),
};

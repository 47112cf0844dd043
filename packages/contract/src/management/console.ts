import { Type } from '@sinclair/typebox';
import { reply, route } from '../route.ts';
import { named, oneOf } from '../schema.ts';

export const ConsoleConfig = named(
  'ConsoleConfig',
  Type.Object({
    mode: oneOf(['development', 'production']),
    sign_up: Type.Boolean({ description: 'Whether a person without an invitation can sign up.' }),
    inbox: Type.Boolean({ description: 'Whether mails are kept for `GET /inbox` and not sent.' }),
  }),
);

export const consoleApi = {
  readConsoleConfig: route({
    method: 'GET',
    path: '/console/config',
    access: 'public',
    tag: 'operation',
    summary: 'What a console needs to know before anyone has signed in',
    replies: { 200: reply('The same for every caller.', ConsoleConfig) },
  }),
};

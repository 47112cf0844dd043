import { Type } from '@sinclair/typebox';
import { environment } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, itemsOf, madeByServer, named, text, time } from '../schema.ts';

const Setting = madeByServer('Setting');
const SettingChange = madeByServer('SettingChange');

export const RefusedOrigin = named(
  'RefusedOrigin',
  Type.Object({ origin: text, count: Type.Integer({ minimum: 1 }), last_at: time }),
);

export const settingsApi = {
  listSettings: route({
    method: 'GET',
    path: '/org/settings',
    access: 'developer',
    tag: 'settings',
    summary: 'What the org has settled, and the defaults of what it has not',
    query: closed({
      env: environment,
      group: Type.Optional(Type.String({ description: 'One group alone, such as `auth`.' })),
    }),
    replies: { 200: reply('The settings.', itemsOf(Setting)) },
  }),
  changeSetting: route({
    method: 'PUT',
    path: '/org/settings',
    access: 'org_admin',
    tag: 'settings',
    summary: 'Settles one thing, in place of what was settled before',
    description: 'Where there is a `prod_value`, production uses that; a change takes effect within a second.',
    query: closed({ env: environment }),
    body: SettingChange,
    replies: { 200: reply('Settled.', Setting) },
    problems: ['prod_read_only', 'conflict'],
  }),
  listRefusedOrigins: route({
    method: 'GET',
    path: '/org/refused-origins',
    access: 'developer',
    tag: 'settings',
    summary: 'Whose pages have called the app lately and may not, the last one first',
    replies: { 200: reply('The origins, as far as this process knows since its start.', itemsOf(RefusedOrigin)) },
  }),
};

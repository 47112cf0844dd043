import { Type } from '@sinclair/typebox';
import { environment } from '../parameters.ts';
import { reply, route } from '../route.ts';
import { closed, itemsOf, madeByServer, named, text, time } from '../schema.ts';

const Setting = madeByServer('Setting');
const ListedSetting = madeByServer('ListedSetting');
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
    summary: 'The org’s settings',
    description: 'Each with what it decides and its default.',
    query: closed({
      env: environment,
      group: Type.Optional(Type.String({ description: 'One group alone, such as `auth`.' })),
    }),
    replies: { 200: reply('The settings.', itemsOf(ListedSetting)) },
  }),
  changeSetting: route({
    method: 'PUT',
    path: '/org/settings',
    access: 'org_admin',
    tag: 'settings',
    summary: 'Sets one setting, and replaces its value',
    description: 'Production uses `prod_value` if it is set. A change takes effect within a second.',
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
    summary: 'The origins that called the app without being allowed',
    description: 'Lately, the latest first.',
    replies: { 200: reply('The origins that this process has seen since its start.', itemsOf(RefusedOrigin)) },
  }),
};

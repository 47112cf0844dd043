/** The largest of what builders ask about the users of an app. */
import type { Rows } from '../worst-case.ts';
import { noId, one, small } from './row-kinds.ts';

export const peopleRows: Rows = {
  'GET /org/app-users': {
    as: 'builder',
    target: () => '/org/app-users',
    largest: [
      { what: 'accounts', ask: () => ({ target: '/org/app-users?pagesize=200' }) },
      { what: 'accounts of an address', ask: () => ({ target: '/org/app-users?pagesize=200&q=a' }) },
    ],
  },
  'POST /org/app-users': small('/org/app-users'),
  'GET /org/app-users/:id': one(`/org/app-users/${noId}`),
  'POST /org/app-users/:id/disable': small(`/org/app-users/${noId}/disable`),
  'POST /org/app-users/:id/enable': small(`/org/app-users/${noId}/enable`),
  'POST /org/app-users/:id/revoke-tokens': small(`/org/app-users/${noId}/revoke-tokens`),
  'GET /org/suspended-accounts': small('/org/suspended-accounts'),
  'POST /org/suspended-accounts/:id/merge': one(`/org/suspended-accounts/${noId}/merge`),
  'DELETE /org/suspended-accounts/:id': one(`/org/suspended-accounts/${noId}`),
  'POST /org/app-users/:id/erase': small(`/org/app-users/${noId}/erase`),
  'POST /org/app-users/:id/merge': small(`/org/app-users/${noId}/merge`),
  'POST /org/app-users/:id/export': one(`/org/app-users/${noId}/export`),
  'GET /org/person-jobs': small('/org/person-jobs'),
  'GET /org/person-jobs/:id': one(`/org/person-jobs/${noId}`),
  'GET /org/person-jobs/:id/file': one(`/org/person-jobs/${noId}/file`),
};

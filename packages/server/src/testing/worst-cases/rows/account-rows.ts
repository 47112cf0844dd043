/** The largest of what builders ask for their own accounts. */
import type { Rows } from '../worst-case.ts';
import { noId, one, plain, small } from './row-kinds.ts';

export const accountRows: Rows = {
  'POST /auth/signup': small('/auth/signup', 'anyone'),
  'POST /auth/login': small('/auth/login', 'anyone'),
  'POST /auth/sign-in-links': plain('/auth/sign-in-links'),
  'POST /auth/command-sign-ins': small('/auth/command-sign-ins'),
  'POST /auth/command-sign-in': small('/auth/command-sign-in', 'anyone'),
  'POST /auth/sign-in-by-link': small('/auth/sign-in-by-link', 'anyone'),
  'POST /auth/accept-invitation': small('/auth/accept-invitation', 'anyone'),
  'POST /auth/forgot-password': small('/auth/forgot-password', 'anyone'),
  'POST /auth/reset-password': small('/auth/reset-password', 'anyone'),
  'POST /auth/logout': {
    ...plain('/auth/logout'),
    notSentAnything: 'it ends the session that all others are sent with',
  },
  'GET /auth/me': plain('/auth/me'),
  'GET /auth/orgs': plain('/auth/orgs'),
  'POST /auth/password': small('/auth/password'),
  'POST /auth/switch-org': small('/auth/switch-org'),
  'GET /auth/sessions': plain('/auth/sessions'),
  'DELETE /auth/sessions': plain('/auth/sessions'),
  'DELETE /auth/sessions/:id': one(`/auth/sessions/${noId}`),
};

export const factorRows: Rows = {
  'POST /auth/second-factor': small('/auth/second-factor', 'anyone'),
  'GET /auth/passkey-challenge': plain('/auth/passkey-challenge', 'anyone'),
  'POST /auth/passkey-sign-in': small('/auth/passkey-sign-in', 'anyone'),
  'GET /auth/second-factors': plain('/auth/second-factors'),
  'GET /auth/second-factors/challenge': plain('/auth/second-factors/challenge'),
  'POST /auth/second-factors/totp': small('/auth/second-factors/totp'),
  'POST /auth/second-factors/totp/confirm': small('/auth/second-factors/totp/confirm'),
  'POST /auth/second-factors/:id/remove': small('/auth/second-factors/none/remove'),
  'POST /auth/passkeys/options': small('/auth/passkeys/options'),
  'POST /auth/passkeys': small('/auth/passkeys'),
  'PUT /auth/passkeys/:id': small('/auth/passkeys/none'),
  'POST /auth/recovery-codes': small('/auth/recovery-codes'),
  'PUT /org/security': small('/org/security'),
  'POST /org/users/:id/reset-second-factors': one(`/org/users/${noId}/reset-second-factors`),
};
